package driver

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/process"
	"tribunal/internal/run/runner"
	"tribunal/read"
	_ "tribunal/read/formats"
)

// TestEndedWithTheJob: a batch system ends all processes of a job, in any order. A
// command that it ended is no trial, and one that ended by itself is one.
func TestEndedWithTheJob(t *testing.T) {
	asked, alone := &execution{shutdown: make(chan struct{})}, &execution{shutdown: make(chan struct{})}
	close(asked.shutdown)
	for _, c := range []struct {
		reason string
		end    process.End
		cut    bool
	}{
		{"by SIGTERM", process.End{Why: process.Exited, Signal: "TERM", Code: -1}, true},
		{"by SIGKILL", process.End{Why: process.Exited, Signal: "KILL", Code: -1}, true},
		{"its child by SIGTERM, as a shell says it", process.End{Why: process.Exited, Code: 143}, true},
		{"a pass", process.End{Why: process.Exited}, false},
		{"a failure", process.End{Why: process.Exited, Code: 1}, false},
		{"a crash", process.End{Why: process.Exited, Signal: "SEGV", Code: -1}, false},
		{"its timeout", process.End{Why: process.Timeout, Signal: "TERM", Code: -1}, false},
	} {
		if cut := asked.endedAsWeAre(c.end); cut != c.cut {
			t.Errorf("%s: cut %v, want %v", c.reason, cut, c.cut)
		}
	}
	if alone.endedAsWeAre(process.End{Why: process.Exited, Signal: "KILL", Code: -1}) {
		t.Error("what somebody killed while nobody ended the run is a trial: an agent that eats all memory failed")
	}
}

// TestLeftBehind: only what a command that ended by itself left behind is told. Which
// process of one that was ended dies last is chance.
func TestLeftBehind(t *testing.T) {
	for why, left := range map[process.Why]int{process.Exited: 2, process.OutputLimit: 2, process.Timeout: 0, process.Stopped: 0} {
		var out outcome
		out.count(process.End{Why: why, LeftBehind: 2, Survived: 1})
		if out.left != left || out.survived != 1 {
			t.Errorf("%v: %d left and %d survived, want %d and 1", why, out.left, out.survived, left)
		}
	}
}

// TestWordsOfAnEnd: a trial says what it wrote last, and one that was ended for that says so.
func TestWordsOfAnEnd(t *testing.T) {
	for _, c := range []struct {
		reason, stdout, stderr, want string
		end                          process.End
	}{
		{"what it wrote to standard error", "log", "no answer", "no answer", process.End{Code: 1}},
		{"what it wrote", "log", "", "log", process.End{Code: 1}},
		{"it wrote nothing", "", "", "it ended with exit code 1", process.End{Code: 1}},
		{"too much, which is no reason", "xxxx", "", "it was stopped because it wrote more than 64 MiB: write less, or redirect its log into a file in {dir}", process.End{Code: -1, Signal: "KILL", Why: process.OutputLimit}},
	} {
		if got := messageOf(c.stdout, c.stderr, c.end); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestFailedBesideItsScore: a start that failed failed its trial where what it tells without
// a status is no failure by itself.
func TestFailedBesideItsScore(t *testing.T) {
	d := execution{run: &Run{Plan: runner.Plan{Form: runner.Each, Policy: envelope.Effective{Policy: envelope.Policy{ScoreThreshold: envelope.Some(0.5)}}}}}
	failed := envelope.Trial{Status: envelope.Fail, Message: "it ended with exit code 1"}
	for _, c := range []struct {
		reason string
		trial  envelope.Trial
		want   envelope.Status
		worth  float64 // its score or category, 0 at most where it is made to fail
	}{
		{"a score that passes", envelope.Trial{Score: envelope.Some(0.5)}, envelope.Fail, 0},
		{"a score that fails", envelope.Trial{Score: envelope.Some(0.4)}, "", 0.4},
		{"a pass below 0", envelope.Trial{Status: envelope.Pass, Score: envelope.Some(-2.0)}, envelope.Fail, -2},
		{"a category that passes", envelope.Trial{Category: envelope.Some(int32(1))}, envelope.Fail, 0},
		{"a category that fails", envelope.Trial{Category: envelope.Some(int32(0))}, "", 0},
		{"checks that pass", envelope.Trial{Checks: []envelope.Check{{Name: "a", Status: envelope.Pass}, {Name: "b", Score: envelope.Some(0.9)}}}, envelope.Fail, 0},
		{"a check that fails", envelope.Trial{Checks: []envelope.Check{{Name: "a", Status: envelope.Pass}, {Name: "b", Score: envelope.Some(0.1)}}}, "", 0},
	} {
		if got := d.withExit(c.trial, &report{failed: &failed, trials: []envelope.Trial{c.trial}}); got.Status != c.want || got.Score.V+float64(got.Category.V) != c.worth {
			t.Errorf("%s: status %q, score %v, category %v, want %q, %v", c.reason, got.Status, got.Score.V, got.Category.V, c.want, c.worth)
		}
	}
}

// TestTriesInSeveralFiles: names of files say nothing of which try was the last; Allure
// gives each try a random one.
func TestTriesInSeveralFiles(t *testing.T) {
	begin := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	at := func(second int, status envelope.Status) envelope.Trial {
		return envelope.Trial{Key: envelope.Key{Test: "x"}, Status: status, StartedAt: begin.Add(time.Duration(second) * time.Second)}
	}
	untold := func(status envelope.Status) envelope.Trial {
		return envelope.Trial{Key: envelope.Key{Test: "x"}, Status: status}
	}
	again := func(status envelope.Status) envelope.Trial {
		return envelope.Trial{Key: envelope.Key{Test: "x"}, Status: status, Retry: true}
	}
	type files [][]envelope.Trial
	for _, c := range []struct {
		reason string
		files  files
		want   envelope.Status
	}{
		{"the later try passed", files{{at(9, envelope.Pass)}, {at(1, envelope.Fail)}}, envelope.Pass},
		{"the later try failed", files{{at(9, envelope.Fail)}, {at(1, envelope.Pass)}}, envelope.Fail},
		{"no times: one of them failed", files{{untold(envelope.Error)}, {untold(envelope.Pass)}}, envelope.Error},
		{"no times: one of them was not tried", files{{untold(envelope.Pass)}, {untold(envelope.Skip)}}, envelope.Pass},
		{"one has no time", files{{at(1, envelope.Fail)}, {untold(envelope.Pass)}}, envelope.Fail},
		{"a retry of the runner passed", files{{untold(envelope.Fail), again(envelope.Pass)}}, envelope.Pass},
		{"and ended well in all files", files{{untold(envelope.Fail), again(envelope.Pass)}, {untold(envelope.Pass)}}, envelope.Pass},
		{"two tests of one name, the first of which failed", files{{untold(envelope.Fail), untold(envelope.Pass)}}, envelope.Fail},
		{"the second of which failed", files{{untold(envelope.Pass), untold(envelope.Fail)}}, envelope.Fail},
		{"the first of which was not tried", files{{untold(envelope.Skip), untold(envelope.Pass)}}, envelope.Pass},
		{"the second of which passed when it was tried again", files{{untold(envelope.Fail), untold(envelope.Fail), again(envelope.Pass)}}, envelope.Fail},
		{"in one of two files", files{{untold(envelope.Fail), untold(envelope.Pass)}, {untold(envelope.Pass)}}, envelope.Fail},
	} {
		if got := countedOf(mergeFiles(c.files), envelope.Trial{}); got.Status != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got.Status, c.want)
		}
	}
}

// TestWorstWithoutStatus: of tests of one name that tell scores, categories or checks and no
// status, none makes good what another broke.
func TestWorstWithoutStatus(t *testing.T) {
	named := func(name string, tell func(t *envelope.Trial)) envelope.Trial {
		trial := envelope.Trial{Key: envelope.Key{Test: "x"}, RawStatus: name}
		tell(&trial)
		return trial
	}
	scored := func(name string, score float64) envelope.Trial {
		return named(name, func(t *envelope.Trial) { t.Score = envelope.Some(score) })
	}
	ranked := func(name string, category int32) envelope.Trial {
		return named(name, func(t *envelope.Trial) { t.Category = envelope.Some(category) })
	}
	checked := func(name string, checks ...envelope.Check) envelope.Trial {
		return named(name, func(t *envelope.Trial) { t.Checks = checks })
	}
	said := func(name string, status envelope.Status) envelope.Trial {
		return named(name, func(t *envelope.Trial) { t.Status = status })
	}
	for _, c := range []struct {
		reason    string
		good, bad envelope.Trial
	}{
		{"a lower score", scored("good", 1), scored("bad", 0)},
		{"a failure beside a score", scored("good", 1), said("bad", envelope.Fail)},
		{"a score beside a pass", said("good", envelope.Pass), scored("bad", 0)},
		{"a lower score of what passed", named("good", func(t *envelope.Trial) { t.Status, t.Score = envelope.Pass, envelope.Some(0.9) }), named("bad", func(t *envelope.Trial) { t.Status, t.Score = envelope.Pass, envelope.Some(0.1) })},
		{"a lower category", ranked("good", 1), ranked("bad", 0)},
		{"a check that failed", checked("good", envelope.Check{Name: "c", Status: envelope.Pass}), checked("bad", envelope.Check{Name: "c", Status: envelope.Fail})},
		{"a check of a lower score", checked("good", envelope.Check{Name: "c", Score: envelope.Some(0.9)}), checked("bad", envelope.Check{Name: "d", Status: envelope.Pass}, envelope.Check{Name: "c", Score: envelope.Some(0.1)})},
	} {
		for _, files := range [][][]envelope.Trial{{{c.good, c.bad}}, {{c.bad, c.good}}, {{c.good}, {c.bad}}, {{c.bad}, {c.good}}} {
			if got := countedOf(mergeFiles(files), envelope.Trial{}); got.RawStatus != "bad" {
				t.Errorf("%s: the other one of %+v counts", c.reason, files)
			}
		}
	}
}

// TestNothingTold: a trial of which nothing that judges it could be read failed, as it does in
// a report of its file, and the run goes on.
func TestNothingTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.ndjson")
	lines := `{"test":"a","checks":[{"name":"x","passed":true}]}` + "\n" + `{"test":"b","score":1}` + "\n"
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	var into report
	into.missing = new(envelope.Trial)
	new(execution).readTrials([]string{file}, read.Options{}, false, &into)
	if len(into.trials) != 2 || into.trials[0].Status != envelope.Fail || into.trials[1].Status != "" {
		t.Errorf("%+v", into.trials)
	}
}

// TestToll: from five starts on, in the order of the starts, a larger share of broken
// ones than allowed gives the suite up, whenever their ends come.
func TestToll(t *testing.T) {
	cases := []struct {
		ends   []int // numbers of starts as they end; negative is one that broke, from -1 for start 0 on
		none   []int // starts that were cut off
		most   float64
		at     int // which end gives up, from 1 on; 0 none
		reason string
	}{
		{[]int{-1, -2, -3, -4, -5}, nil, 0.2, 5, "all broke: at the fifth"},
		{[]int{-1, -2, -3, -4, 4}, nil, 0.8, 0, "4 of 5 are not more than 0.8"},
		{[]int{0, 1, 2, -4, -5}, nil, 0.2, 5, "2 of 5"},
		{[]int{-1, 1, 2, 3, 4, 5}, nil, 0.2, 0, "1 of 5 is not more than 0.2"},
		{[]int{-5, -4, -3, -2, -1}, nil, 0.2, 5, "they end from behind: none before the first is there"},
		{[]int{-6, -7, 0, 1, 2, 3, 4}, nil, 0.2, 7, "1 of 5 would hold; 2 of 7, which had ended before"},
		{[]int{-1, 2, 3, 4, 5}, []int{1}, 0.1, 5, "one was cut off, and is no start"},
		{[]int{-1, -1, -1, -1, -1}, nil, 0.1, 0, "the same start again"},
		{[]int{0, 1, 2, 3, 4}, nil, 0, 0, "none broke, and none may"},
		{[]int{0, 1, 2, 3, 4, -6}, nil, 0, 6, "one broke, and none may"},
	}
	for _, c := range cases {
		d := &execution{run: &Run{MaxErrorRates: map[string]float64{"s": c.most}}, breakages: map[string]*breakages{}}
		for _, number := range c.none {
			d.countBreakages("s", number, none)
		}
		at := 0
		for i, number := range c.ends {
			end := whole
			if number < 0 {
				number, end = -number-1, broken
			}
			trial := &envelope.Trial{Status: envelope.Pass}
			d.giveUp(&start{Start: runner.Start{Number: number, Group: envelope.Key{Suite: "s"}}}, end, []runner.Reported{{Trial: trial}})
			if at == 0 && trial.ErrorClass == envelope.ClassErrorRate {
				at = i + 1
			}
		}
		if at != c.at {
			t.Errorf("%s: given up at end %d, want %d", c.reason, at, c.at)
		}
	}
}

// TestTollIsRemembered: what the journal tells of starts counts for the run that goes
// on with it, each start once, and one that was cut off not at all.
func TestTollIsRemembered(t *testing.T) {
	d := &execution{run: &Run{MaxErrorRates: map[string]float64{"s": 0.2}}, breakages: map[string]*breakages{}}
	line := func(number int) journal.Start {
		return journal.Start{Key: envelope.Key{Suite: "s", Test: "a"}, Number: envelope.Some(number)}
	}
	d.remember(line(0), &envelope.Trial{RawStatus: "exit 1"})
	d.remember(line(0), &envelope.Trial{RawStatus: "exit 1"}) // of another contract
	d.remember(line(1), nil)
	for number := 2; number < 5; number++ {
		d.remember(line(number), &envelope.Trial{RawStatus: "exit 0"})
	}
	if over := d.countBreakages("s", 5, whole); over != "" {
		t.Errorf("1 of 5 is not more than 0.2: %s", over)
	}
	if over := d.countBreakages("s", 6, broken); over != "stopped: 2 of 6 commands did not end with exit code 0, and max_error_rate is 0.20" {
		t.Errorf("%q", over)
	}
	if over := d.countBreakages("other", 0, broken); over != "" {
		t.Errorf("a suite without a limit: %q", over)
	}
}
