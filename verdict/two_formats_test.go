package verdict

import (
	"strconv"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// TestARunInTwoFormats: one run by two reporters counts twice, and that is told; runs of
// one format are repeats, and reports that differ in a test or in how one ended are of
// different runs.
func TestARunInTwoFormats(t *testing.T) {
	type report struct{ name, format, trials string } // a word a trial: NAME=STATUS or NAME=STATUS@MS
	const says, two = "if both are reports of one run", "cart.spec.ts › cart › Adds=pass cart.spec.ts › cart › Adds(2)=fail cart.spec.ts › cart › Pays=skip"
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
