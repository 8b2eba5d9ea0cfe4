package verdict

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/each"
	"tribunal/internal/verdict/gate"
)

// trialsOf makes trials of one test and run with the given attempts, each with a duration, a cost and tokens of its own.
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
		{"attempts 2 and 3 are missing", trialsOf("", 0, 1, 4), envelope.Header{}, envelope.CodeGaps, "2 attempt numbers are missing"},
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
			b := count.NewBuilder(5, 0.5)
			in := b.Input("s", "native")
			in.Header(c.header, nil)
			for i := range c.trials {
				in.Trial(&c.trials[i])
			}
			env := sealBuilt(t, b, envelope.Policy{Strict: envelope.Some(strict)})
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
		{"two of four", "2 counted trials have no score, but others of the test have scores outside 0 to 1, in 1 test, first in \"t\"", []float64{80, none, 90, none}},
		{"all have one", "", []float64{80, 90}},
		{"on the scale a pass is 1", "", []float64{0.8, none}},
		{"none has one", "", []float64{none, none}},
	} {
		env := sealRun(t, envelope.Policy{}, scoredTrials(c.scores...)...)
		got := each.Where(env.Problems, func(p envelope.Problem) bool { return p.Code == envelope.CodeUnscored })
		if c.says == "" && len(got) > 0 || c.says != "" && (len(got) != 1 || !strings.Contains(got[0].Message, c.says)) {
			t.Errorf("%s: %v, want %q", c.reason, got, c.says)
		}
	}
}

// TestScoresOnAnotherScale: 20 of 100 points would pass at the threshold of 0.5, which is meant for scores from 0 to 1.
func TestScoresOnAnotherScale(t *testing.T) {
	hundred := envelope.Some(50.0)
	for _, c := range []struct {
		reason, says string
		asked        envelope.Policy
		scores       []float64
	}{
		{"points of 100", "2 trials have scores above 1 and no status, in 1 test, first in \"t\"", envelope.Policy{}, []float64{95, 20, 0}},
		{"from 0 to 1", "", envelope.Policy{}, []float64{1, 0.2}}, {"80 for 80 %", "no score reaches the score threshold 80", envelope.Policy{ScoreThreshold: envelope.Some(80.0)}, []float64{1, 0.2}},
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

// TestAMergedReportBesideItsParts: it is told that its trials count twice, whatever else was read; runs of the same
// tests with times of their own are none of its parts, nor are those that are equal by chance.
func TestAMergedReportBesideItsParts(t *testing.T) {
	type input struct {
		name  string
		times map[string]float64
	}
	cart, pay := map[string]float64{"cart/adds": 123.4, "cart/drops": 45.61}, map[string]float64{"pay/card": 789.5, "pay/bill": 81.02}
	both := map[string]float64{"cart/adds": 123.4, "cart/drops": 45.61, "pay/card": 789.5, "pay/bill": 81.02}
	later, other := map[string]float64{"cart/adds": 124.9, "cart/drops": 45.6, "pay/card": 790.5, "pay/bill": 80.95}, map[string]float64{"ship/quick": 11.25}
	quick, slow, bothQuick := map[string]float64{"cart/adds": 1, "cart/drops": 2}, map[string]float64{"pay/card": 3, "pay/bill": 2}, map[string]float64{"cart/adds": 1, "cart/drops": 2, "pay/card": 3, "pay/bill": 2}
	for reason, c := range map[string]struct {
		inputs []input
		apart  time.Duration // starts
		want   string
	}{
		"merged":           {[]input{{"1.xml", cart}, {"2.xml", pay}, {"all.xml", both}}, 0, "all.xml 4"},
		"beside others":    {[]input{{"1.xml", cart}, {"2.xml", pay}, {"3.xml", other}, {"all.xml", both}}, 0, "all.xml 4"},
		"two nights":       {[]input{{"1.xml", cart}, {"2.xml", pay}, {"all.xml", later}}, 0, ""},
		"equal by chance":  {[]input{{"1.xml", quick}, {"2.xml", slow}, {"all.xml", bothQuick}}, 0, ""},
		"a part is absent": {[]input{{"1.xml", cart}, {"3.xml", other}, {"all.xml", both}}, 0, ""},
		"on other days":    {[]input{{"1.xml", cart}, {"2.xml", pay}, {"all.xml", both}}, 24 * time.Hour, ""},
	} {
		b := count.NewBuilder(0, 0.5)
		for day, i := range c.inputs {
			in := b.Input(i.name, "junit")
			in.AsRun(i.name)
			for name, ms := range i.times {
				in.Trial(&envelope.Trial{Key: envelope.Key{Test: name}, Attempt: envelope.Some[int32](0), Status: envelope.Pass, DurationMS: envelope.Some(ms), StartedAt: time.Unix(1e9, 0).Add(c.apart * time.Duration(day))})
			}
			in.Close()
		}
		got := ""
		for _, p := range sealBuilt(t, b, envelope.Policy{}).Problems {
			if p.Code == envelope.CodeSameInput {
				got += fmt.Sprintf("%s %d", p.Input, p.Count)
			}
		}
		if got != c.want {
			t.Errorf("%s: told %q, want %q", reason, got, c.want)
		}
	}
}

// TestARunInTwoFormats: one run by two reporters counts twice, and that is told; runs of one format are repeats, and
// reports that differ in a test or in how one ended are of different runs.
func TestARunInTwoFormats(t *testing.T) {
	type report struct{ name, format, trials string } // a word a trial: NAME=STATUS or NAME=STATUS@MS
	const says, two = "if both report one run", "cart.spec.ts › cart › Adds=pass cart.spec.ts › cart › Adds(2)=fail cart.spec.ts › cart › Pays=skip"
	junit := report{"junit.xml", "junit", "adds=pass adds=error pays[chromium]=skip"}
	for _, c := range []struct {
		reason  string
		reports []report
		input   string // of which it is told
		count   int
	}{
		{"the same run", []report{junit, {"results.json", "playwright", two}}, "results.json", 3},
		{"and another", []report{junit, {"results.json", "playwright", two}, {"ctrf.json", "ctrf", two}}, "junit.xml", 6}, // inputs are in the order of their names
		{"numbers of JUnit 5, under which Karate runs", []report{{"a.xml", "junit", "[1:4]_pays=pass [2.1:9]_adds=fail [2.2:10]_adds=pass"}, {"b.json", "karate", "pays=pass adds_(example_1)=fail adds_(example_2)=pass"}}, "b.json", 3},
		{"repeats", []report{junit, {"again.xml", "junit", junit.trials}}, "", 0},
		{"another outcome", []report{junit, {"results.json", "playwright", strings.Replace(two, "fail", "pass", 1)}}, "", 0},
		{"another test", []report{junit, {"results.json", "playwright", strings.Replace(two, "Pays", "Ships", 1)}}, "", 0},
		{"too few to say", []report{{"a.xml", "junit", "a=pass b=pass"}, {"a.json", "jest", "a=pass b=pass"}}, "", 0},
		{"groups in words, examples by number", []report{{"a.xml", "junit", "cart_adds=pass cart_pays_-_#1.2=fail cart_ships=pass"}, {"b.json", "jest", "cart › adds=pass cart › pays_(example_2)=fail cart › ships=pass"}}, "b.json", 3},
		{"the last tries alone", []report{{"a.xml", "junit", "a=pass b=fail c=pass d=skip"}, {"b.json", "jest", "a=fail a=pass b=fail b=fail c=pass"}}, "b.json", 5},
		{"another last try", []report{{"a.xml", "junit", "a=pass b=fail c=pass"}, {"b.json", "jest", "a=pass a=fail b=fail c=pass"}}, "", 0},
		{"a file a class", []report{{"r/TEST-A.xml", "junit", "a=pass b=pass"}, {"r/TEST-B.xml", "junit", "c=fail"}, {"x.json", "ctrf", "a=pass b=pass c=fail"}}, "r/TEST-A.xml", 3},
		{"times that were rounded", []report{{"a.xml", "junit", "a=pass@1001 b=pass@2002 c=pass@3003"}, {"b.json", "jest", "a=pass@1000.6 b=pass@2002.2 c=pass@3003.1"}}, "b.json", 3},
		{"times of another night", []report{{"a.xml", "junit", "a=pass@1001 b=pass@2002 c=pass@3003"}, {"b.json", "jest", "a=pass@1101 b=pass@1802 c=pass@3003"}}, "", 0},
		{"one time added up", []report{{"a.xml", "junit", "a=pass@3003 b=pass c=pass"}, {"b.json", "jest", "a=pass@1001 b=pass c=pass"}}, "b.json", 3},
		{"one test of one time", []report{{"a.xml", "junit", "a=pass@48231"}, {"b.json", "jest", "a=pass@48231.4"}}, "b.json", 1},
		{"one test of two times", []report{{"a.xml", "junit", "a=pass@48231"}, {"b.json", "jest", "a=pass@48931"}}, "", 0},
		{"two forms of one format", []report{{"r.csv", "promptfoo", "a=pass b=pass c=fail"}, {"r.json", "promptfoo", "a=pass b=pass c=fail"}}, "r.json", 3},
		{"two runs of one format", []report{{"r.csv", "promptfoo", "a=pass b=pass c=fail"}, {"s.json", "promptfoo", "a=pass b=pass c=fail"}}, "", 0},
		{"repeats by number", []report{{"run.1", "tap", "a=pass b=pass c=fail"}, {"run.2", "tap", "a=pass b=pass c=fail"}}, "", 0},
	} {
		b := count.NewBuilder(0, 0.5)
		for _, r := range c.reports {
			in := b.Input(r.name, r.format)
			for i, word := range strings.Split(strings.ReplaceAll(r.trials, " › ", "~"), " ") {
				name, status, _ := strings.Cut(strings.NewReplacer("~", " › ", "_", " ").Replace(word), "=")
				status, time, _ := strings.Cut(status, "@")
				trial := envelope.Trial{Key: envelope.Key{Suite: r.format, Test: name}, Run: r.name, Attempt: envelope.Some(int32(i)), Status: envelope.Status(status)}
				if ms, err := strconv.ParseFloat(time, 64); err == nil {
					trial.DurationMS = envelope.Some(ms)
				}
				in.Trial(&trial)
			}
			in.Close()
		}
		input, n := "", 0
		for _, p := range sealBuilt(t, b, envelope.Policy{}).Problems {
			if p.Code == envelope.CodeSameInput && strings.Contains(p.Message, says) {
				input, n = p.Input, p.Count
			}
		}
		if input != c.input || n != c.count {
			t.Errorf("%s: told of %q, %d trials; want %q, %d", c.reason, input, n, c.input, c.count)
		}
	}
}
