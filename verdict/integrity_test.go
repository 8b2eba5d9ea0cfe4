package verdict

import (
	"math"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/verdict/gate"
)

// trialsOf makes trials of one test and run with the given attempts, each with
// a duration, a cost and tokens of its own.
func trialsOf(run string, attempts ...int32) []envelope.Trial {
	var out []envelope.Trial
	for _, a := range attempts {
		out = append(out, envelope.Trial{Key: envelope.Key{Test: "t"}, Run: run, Attempt: envelope.Some(a), Status: envelope.Pass,
			DurationMS: envelope.Some(100 + float64(a)), CostUSD: envelope.Some(0.01 * float64(a+1)), Tokens: envelope.Some(int64(10 + a))})
	}
	return out
}

func TestIntegrity(t *testing.T) {
	same := trialsOf("", 0, 1, 2)
	for i := range same {
		same[i].DurationMS, same[i].Tokens = envelope.Some(812.0), envelope.Some(int64(99))
	}
	instant := trialsOf("", 0, 1, 2)
	for i := range instant {
		instant[i].DurationMS, instant[i].Tokens, instant[i].CostUSD = envelope.Some(0.0), envelope.Opt[int64]{}, envelope.Opt[float64]{}
	}
	begun := func(run string, hour int) []envelope.Trial {
		two := trialsOf(run, 0, 1)
		for i := range two {
			two[i].StartedAt = time.Date(2026, 1, 1, hour, 0, i, 0, time.UTC)
		}
		return two
	}
	early := trialsOf("", 0, 1)
	early[1].StartedAt = time.Date(2026, 1, 1, 11, 59, 0, 0, time.UTC)
	for _, c := range []struct {
		reason string
		trials []envelope.Trial
		header envelope.Header
		code   string
		says   string
	}{
		{"nothing to doubt", trialsOf("", 0, 1, 2), envelope.Header{}, "", ""},
		{"attempts 2 and 3 are missing", trialsOf("", 0, 1, 4), envelope.Header{}, envelope.CodeGaps, "2 attempts are missing"},
		{"a shard may start anywhere", trialsOf("", 10, 11, 12), envelope.Header{}, "", ""},
		{"gaps are per run", append(trialsOf("a", 0, 1), trialsOf("b", 5, 6)...), envelope.Header{}, "", ""},
		{"one shard under two names", append(trialsOf("a", 0, 1, 2), trialsOf("b", 0, 1, 2)...), envelope.Header{}, envelope.CodeSameRun, "runs a, b"},
		{"one of them has no name", append(trialsOf("", 0, 1, 2), trialsOf("d/a.xml", 0, 1, 2)...), envelope.Header{}, envelope.CodeSameRun, "the run without a name and run d/a.xml have exactly"},
		{"nor has one of three", append(append(trialsOf("", 0, 1, 2), trialsOf("b", 0, 1, 2)...), trialsOf("a", 0, 1, 2)...), envelope.Header{}, envelope.CodeSameRun, "the run without a name and runs a, b have exactly"},
		{"two trials may be equal by chance", append(trialsOf("a", 0, 1), trialsOf("b", 0, 1)...), envelope.Header{}, "", ""},
		{"two trials began at one time", append(begun("a", 9), begun("b", 9)...), envelope.Header{}, envelope.CodeSameRun, "runs a, b"},
		{"two trials began an hour later", append(begun("a", 9), begun("b", 10)...), envelope.Header{}, "", ""},
		{"answered from a cache", same, envelope.Header{}, envelope.CodeCached, "1 test"},
		{"trials without a measurable time are not suspicious", instant, envelope.Header{}, "", ""},
		{"a trial before its run", early, envelope.Header{StartedAt: "2026-01-01T12:00:00Z"}, envelope.CodeClock, "1 trial started before"},
	} {
		for _, strict := range []bool{false, true} {
			policy, err := Resolve(envelope.Policy{Strict: envelope.Some(strict)})
			if err != nil {
				t.Fatal(err)
			}
			b := count.NewBuilder(5, 0.5)
			in := b.Input("s", "native")
			in.Header(c.header, nil)
			for i := range c.trials {
				in.Trial(&c.trials[i])
			}
			env, err := Seal(b.Run(policy.OnConflict, 5), policy)
			if err != nil {
				t.Fatal(err)
			}
			var got []envelope.Problem
			for _, p := range env.Problems {
				if gate.Broken([]envelope.Problem{p}, envelope.Policy{Strict: envelope.Some(true)}) > 0 {
					got = append(got, p)
				}
			}
			if c.code == "" && len(got) > 0 || c.code != "" && (len(got) != 1 || got[0].Code != c.code || !strings.Contains(got[0].Message, c.says)) {
				t.Errorf("%s: %v, want %q saying %q", c.reason, got, c.code, c.says)
			}
			if want := strict && c.code != ""; (env.Gate.ExitCode == gate.ExitUnusable) != want {
				t.Errorf("%s, strict %v: exit %d", c.reason, strict, env.Gate.ExitCode)
			}
		}
	}
}

func TestTrialsWithoutAScoreBesideOthersOnAnotherScale(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		reason, says string
		scores       []float64
	}{
		{"two of four", "2 counted trials have no score, and others have scores outside 0 to 1, in 1 test, first in t", []float64{80, none, 90, none}},
		{"all have one", "", []float64{80, 90}},
		{"on the scale a pass is 1", "", []float64{0.8, none}},
		{"none has one", "", []float64{none, none}},
	} {
		env := sealRun(t, envelope.Policy{}, scoredTrials(c.scores...)...)
		var got []envelope.Problem
		for _, p := range env.Problems {
			if p.Code == envelope.CodeUnscored {
				got = append(got, p)
			}
		}
		if c.says == "" && len(got) > 0 || c.says != "" && (len(got) != 1 || !strings.Contains(got[0].Message, c.says)) {
			t.Errorf("%s: %v, want %q", c.reason, got, c.says)
		}
	}
}

// TestScoresOnAnotherScale: 20 of 100 points would pass at the threshold of 0.5, which is
// meant for scores from 0 to 1.
func TestScoresOnAnotherScale(t *testing.T) {
	hundred := envelope.Some(50.0)
	for _, c := range []struct {
		reason, says string
		asked        envelope.Policy
		scores       []float64
	}{
		{"points of 100", "2 trials have scores above 1 and no status, in 1 test, first in t", envelope.Policy{}, []float64{95, 20, 0}},
		{"from 0 to 1", "", envelope.Policy{}, []float64{1, 0.2}},
		{"it is said what passes", "", envelope.Policy{ScoreThreshold: hundred}, []float64{95, 20}},
		{"it is said of some tests", "", envelope.Policy{Overrides: []envelope.Override{{Match: "*", Policy: envelope.Policy{ScoreThreshold: hundred}}}}, []float64{95, 20}},
	} {
		var got []string
		trials := scoredTrials(c.scores...)
		for i := range trials {
			trials[i].Status = "" // the score decides
		}
		for _, p := range sealRun(t, c.asked, trials...).Problems {
			if p.Code == envelope.CodeScale {
				got = append(got, p.Message)
			}
		}
		if said := strings.Join(got, "\n"); (c.says == "") != (said == "") || !strings.Contains(said, c.says) {
			t.Errorf("%s: %q, want %q", c.reason, said, c.says)
		}
	}
}

func TestAnInputReadTwiceIsDoubtful(t *testing.T) {
	problems := []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Input: "a.ndjson"}}
	for _, strict := range []bool{false, true} {
		if got := gate.Broken(problems, envelope.Policy{Strict: envelope.Some(strict)}); (got > 0) != strict {
			t.Errorf("strict %v: %d errors", strict, got)
		}
	}
}

// TestFasterAfterTheFirst: a cache that the first trial fills answers all others at once.
func TestFasterAfterTheFirst(t *testing.T) {
	for _, c := range []struct {
		reason string
		ms     []float64
		fails  int // the trial that fails
		says   bool
	}{
		{"five seconds, then nearly nothing", []float64{5000, 49, 0, 12, 49.9}, -1, true},
		{"one that took its time", []float64{5000, 49, 0, 50, 49}, -1, false},
		{"four say nothing", []float64{5000, 1, 1, 1}, -1, false},
		{"what took no second may be noise", []float64{999, 1, 1, 1, 1}, -1, false},
		{"one ended otherwise", []float64{5000, 1, 1, 1, 1}, 0, false},
	} {
		var trials []envelope.Trial
		for i, ms := range c.ms {
			status := envelope.Pass
			if i == c.fails {
				status = envelope.Fail
			}
			trials = append(trials, envelope.Trial{Key: envelope.Key{Test: "t"}, Attempt: envelope.Some(int32(i)), Status: status, DurationMS: envelope.Some(ms)})
		}
		var said []string
		for _, p := range sealRun(t, envelope.Policy{}, trials...).Problems {
			if p.Code == envelope.CodeFasterAfter {
				said = append(said, p.Message)
			}
		}
		if len(said) > 0 != c.says {
			t.Errorf("%s: %q", c.reason, said)
		}
	}
}
