package contract_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/run/next"
	"tribunal/internal/run/runner"
	"tribunal/read"
	"tribunal/stats"
	"tribunal/verdict"
)

// questionOf is what is asked of trials, each test as a strip of P, F, X
// (infrastructure) V (it could not be tried) and S (skipped).
func questionOf(t *testing.T, layer envelope.Policy, strips map[string]string) next.Question {
	t.Helper()
	var stream strings.Builder
	for test, strip := range strips {
		name, err := json.Marshal(test)
		if err != nil {
			t.Fatal(err)
		}
		for attempt, letter := range strip {
			status, class := map[rune]string{'P': "pass", 'F': "fail", 'X': "error", 'V': "error", 'S': "skip"}[letter], ""
			switch letter {
			case 'X':
				class = `,"error_class":"infrastructure"`
			case 'V':
				class = `,"error_class":"pre-validation"`
			}
			fmt.Fprintf(&stream, `{"test":%s,"attempt":%d,"status":%q,"cost_usd":1%s}`+"\n", name, attempt, status, class)
		}
	}
	held, err := verdict.Resolve(layer)
	if err != nil {
		t.Fatal(err)
	}
	run := counted(t, layer, stream.String())
	return next.Question{Run: run, Policy: held, InfraRetries: runner.DefaultInfraRetries}
}

func nextOf(t *testing.T, q next.Question) *next.Plan {
	t.Helper()
	p, err := next.New(q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var anytime = envelope.Policy{Rule: "anytime", Threshold: envelope.Some(0.9)}

// TestKnownNext are the values that the contract of tribunal next gives: A passed 9
// of 9, B 5 of 7, C has no trial.
func TestKnownNext(t *testing.T) {
	q := questionOf(t, anytime, map[string]string{"A": "PPPPPPPPP", "B": "PPFPFPP"})
	q.Tests = []runner.Test{{Key: envelope.Key{Test: "C"}}}
	q.Batch = 6
	for aim, want := range map[string][]struct {
		test  string
		index float64
		near  int
	}{
		next.ForVerdict: {{"A", 0.299772, 3}, {"A", 0.299772, 3}, {"A", 0.299772, 3}, {"C", 0.054921, 2}, {"C", 0.054921, 2}, {"B", 0.028431, 3}},
		next.ForFail:    {{"B", 0.028431, 3}, {"B", 0.028431, 3}, {"B", 0.028431, 3}, {"C", 0.027188, 2}, {"C", 0.027188, 2}, {"A", 0.003, 3}},
	} {
		q.For = aim
		p := nextOf(t, q)
		if len(p.Trials) != len(want) {
			t.Fatalf("%s: %d trials, want %d", aim, len(p.Trials), len(want))
		}
		for i, w := range want {
			got, far := p.Trials[i], 1e-6
			if w.index == 0.003 {
				far = 0.003 // and below it
			}
			if got.Test != w.test || got.Near != w.near || math.Abs(got.Index-w.index) > far || far > 1e-6 && got.Index >= w.index {
				t.Errorf("%s, trial %d: %+v, want %+v", aim, i, got, w)
			}
		}
	}
	if q.Batch = 0; len(nextOf(t, q).Trials) != 3 {
		t.Error("without a batch the best test gets what it needs")
	}
}

// TestNextStates: a test that has ended for whatever reason is not named, and says
// why.
func TestNextStates(t *testing.T) {
	for _, c := range []struct {
		reason string
		policy envelope.Policy
		strip  string
		trials int
		state  string
		named  int
	}{
		{"a verdict", anytime, "FF", 0, "decided", 0},
		{"a verdict behind which trials came", anytime, "FFPPP", 0, "decided", 0},
		{"all its trials", anytime, "PPFPPPPPPPPPPP", 14, "full", 0},
		{"it could not be tried", anytime, "PV", 0, "check", 0},
		{"every trial was skipped", envelope.Policy{Rule: "all"}, "SS", 5, "check", 0},
		{"some were", envelope.Policy{Rule: "all"}, "SPS", 5, "open", 2},
		{"more broke than are replaced", anytime, "XPXXX", 0, "infrastructure", 0},
		{"three broke, and are replaced", anytime, "XPXX", 0, "open", 1},
		{"a fixed number is filled up", envelope.Policy{Rule: "all"}, "PPF", 5, "open", 2},
		{"and not gone beyond", envelope.Policy{Rule: "all"}, "PPFPP", 5, "full", 0},
	} {
		q := questionOf(t, c.policy, map[string]string{"a": c.strip})
		q.Trials, q.AllowStarved = c.trials, true
		p := nextOf(t, q)
		if p.Tests[0].State != c.state || (len(p.Trials) > 0) != (c.named > 0) || c.policy.Rule == "all" && len(p.Trials) != c.named {
			t.Errorf("%s: %+v with %d trials named, want %s with %d", c.reason, p.Tests[0], len(p.Trials), c.state, c.named)
		}
	}
}

// TestNextOfLostTrials: what a plan named and never came is named again, before new
// trials, as the trial that it was. Gaps of runs that somebody else numbered are theirs.
func TestNextOfLostTrials(t *testing.T) {
	for _, c := range []struct {
		reason string
		runs   map[string][]int
		want   string // the first trials that are named
	}{
		{"none", map[string][]int{"next-1": {0, 1}}, "next-2 #2, next-2 #3"},
		{"between others", map[string][]int{"next-1": {0, 3}, "next-2": {4, 1}}, "next-1 #2, next-3 #5"},
		{"before the others of its plan", map[string][]int{"next-1": {0, 1}, "next-2": {3}}, "next-2 #2, next-3 #4"},
		{"the last of a plan", map[string][]int{"next-1": {0}}, "next-2 #1, next-2 #2"},
		{"each run counts from 0", map[string][]int{"next-1": {0, 2}, "next-2": {0, 1, 2}}, "next-3 #5, next-3 #6"},
		{"another's run", map[string][]int{"gitlab-7": {0, 2}}, "next-1 #3, next-1 #4"},
		{"no attempts of a plan", map[string][]int{"next-1": {0, 2000000000}}, "next-1 #1, next-1 #2"},
		{"times", map[string][]int{"": {1764000000, 1764000060}}, "next-1 #1764000061, next-1 #1764000062"},
	} {
		var lines []string
		for run, attempts := range c.runs {
			for _, attempt := range attempts {
				lines = append(lines, fmt.Sprintf(`{"test":"a","run":%q,"attempt":%d,"status":"pass"}`, run, attempt))
			}
		}
		q := questionOf(t, anytime, nil)
		q.Run = counted(t, anytime, strings.Join(lines, "\n"))
		named := nextOf(t, q).Trials
		if got := fmt.Sprintf("%s #%d, %s #%d", named[0].Run, named[0].Attempt, named[1].Run, named[1].Attempt); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}

// TestNextHeedsMoney: with a cost limit no more is named than it pays for at the
// largest cost so far.
func TestNextHeedsMoney(t *testing.T) {
	q := questionOf(t, anytime, map[string]string{"a": "PPPP", "b": "PPPP"})
	q.Batch = 20
	for limit, want := range map[float64]int{8: 0, 9: 1, 11: 3} {
		q.Limits = runner.Limits{MaxCostUSD: envelope.Some(limit)}
		if p := nextOf(t, q); len(p.Trials) != want || p.SpentUSD.V != 8 {
			t.Errorf("limit %v: %d trials, %+v spent, want %d and 8", limit, len(p.Trials), p.SpentUSD, want)
		}
	}
}

// TestNamesOfNextRuns sort behind those that there are, in the order in which trials
// are counted.
func TestNamesOfNextRuns(t *testing.T) {
	for _, runs := range [][]string{{""}, {"gitlab-7", "gitlab-12"}, {"zeta"}, {"next-9"}, {"next-9", "next-10"}, {"zeta+next-9", "zeta"}, {"next-x"}, {"~"}, {"20261122T091739Z-4f2a"}} {
		rows, words := envelope.Columns{}, envelope.NewDictionary()
		for i, name := range runs {
			rows.Append(&envelope.Row{Given: envelope.GivenOf(envelope.Pass), Attempt: envelope.Some(int32(i)), Run: name}, words)
		}
		held, err := verdict.Resolve(anytime)
		if err != nil {
			t.Fatal(err)
		}
		p := nextOf(t, next.Question{Run: &envelope.Run{Tests: []envelope.Test{{Key: envelope.Key{Test: "a"}, Rows: rows.Rows()}}}, Policy: held})
		for _, name := range runs {
			if envelope.CompareNames(p.Run, name) <= 0 {
				t.Errorf("%q: the run is called %q, which does not sort behind %q", runs, p.Run, name)
			}
		}
		if !strings.HasSuffix(p.Run, "1") && !strings.HasSuffix(p.Run, "next-10") {
			t.Errorf("%q: the run is called %q", runs, p.Run)
		}
	}
}

// TestLoopOfNext: what a loop of next and an engine comes to is what one trial at a
// time comes to: each test has the trials up to its verdict and no other, in
// whatever order an engine delivers them.
func TestLoopOfNext(t *testing.T) {
	held, err := verdict.Resolve(anytime)
	if err != nil {
		t.Fatal(err)
	}
	decide := verdict.DecideFor(held)
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 22))
		rates := []float64{1, 0.97, 0.9, 0.7, 0.3}
		outcome := func(test, attempt int) bool {
			return rand.New(rand.NewPCG(seed*1000+uint64(test), uint64(attempt))).Float64() < rates[test%len(rates)]
		}
		var tests []runner.Test
		for i := range 8 {
			tests = append(tests, runner.Test{Key: envelope.Key{Test: fmt.Sprint("t", i)}})
		}
		var lines []string
		for round := 0; ; round++ {
			q := questionOf(t, anytime, nil)
			q.Run = counted(t, anytime, strings.Join(lines, "\n"))
			q.Tests, q.Batch = tests, 1+random.IntN(20)
			p := nextOf(t, q)
			if len(p.Trials) == 0 {
				break
			}
			var batch []string
			for _, trial := range p.Trials {
				test, _ := strconv.Atoi(trial.Test[1:])
				status := "fail"
				if outcome(test, trial.Attempt) {
					status = "pass"
				}
				batch = append(batch, fmt.Sprintf(`{"test":%q,"run":%q,"attempt":%d,"status":%q}`, trial.Test, trial.Run, trial.Attempt, status))
			}
			random.Shuffle(len(batch), func(i, j int) { batch[i], batch[j] = batch[j], batch[i] })
			lines = append(lines, batch...)
		}
		got := counted(t, anytime, strings.Join(lines, "\n"))
		for i := range got.Tests {
			test, _ := strconv.Atoi(got.Tests[i].Test[1:])
			passed, n := 0, 0
			for n < runner.DefaultTrials && (n == 0 || decide(passed, n-passed) == stats.Undecided) {
				if outcome(test, n) {
					passed++
				}
				n++
			}
			rows := got.Tests[i].Rows
			seen := 0
			for row := range rows.Len() {
				if rows.Given[row] == envelope.GivenOf(envelope.Pass) {
					seen++
				}
			}
			if rows.Len() != n || seen != passed {
				t.Errorf("seed %d, %s: %d of %d passed, one at a time %d of %d", seed, got.Tests[i].Test, seen, rows.Len(), passed, n)
			}
		}
	}
}

func counted(t *testing.T, layer envelope.Policy, stream string) *envelope.Run {
	t.Helper()
	b, err := verdict.NewBuilder(layer)
	if err != nil {
		t.Fatal(err)
	}
	read.Stream(b, "trials.ndjson", strings.NewReader(stream+"\n"), "")
	held, err := verdict.PolicyFor(b, layer)
	if err != nil {
		t.Fatal(err)
	}
	run, err := verdict.Counted(b, held)
	if err != nil {
		t.Fatal(err)
	}
	return run
}
