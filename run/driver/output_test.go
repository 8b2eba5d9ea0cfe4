package driver

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/read"
)

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
		if got := countedOf(asTheyEnded(c.files), envelope.Trial{}); got.Status != c.want {
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
			if got := countedOf(asTheyEnded(files), envelope.Trial{}); got.RawStatus != "bad" {
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
	new(drive).readTrials([]string{file}, read.Options{}, false, &into)
	if len(into.trials) != 2 || into.trials[0].Status != envelope.Fail || into.trials[1].Status != "" {
		t.Errorf("%+v", into.trials)
	}
}
