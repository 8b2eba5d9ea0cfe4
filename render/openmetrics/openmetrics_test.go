package openmetrics_test

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/render/internal/rendertest"
	"tribunal/render/openmetrics"
)

func write(t *testing.T, e *envelope.Envelope) string {
	t.Helper()
	return string(rendertest.Document(t, e, openmetrics.Write))
}

// suited gives an envelope the suites its tests are in, and sums.
func suited(e *envelope.Envelope) *envelope.Envelope {
	at := map[string]int{}
	for i := range e.Tests {
		t := &e.Tests[i]
		if _, ok := at[t.Suite]; !ok {
			at[t.Suite] = len(e.Suites)
			e.Suites = append(e.Suites, envelope.Suite{Name: t.Suite, CostUSD: envelope.Some(0.125)})
		}
		e.Suites[at[t.Suite]].Add(t.Status)
	}
	e.Summary.DurationMS, e.Summary.CostUSD, e.Summary.Tokens = envelope.Some(20000.4), envelope.Some(0.3125), envelope.Some(int64(1234567))
	e.Summary.Rate.PerProtocol = &envelope.Rate{Value: 0.7, Lo: 0.48102, Hi: 1 / 1.17}
	return e
}

func envelopes() map[string]*envelope.Envelope {
	out := rendertest.Envelopes()
	for name, e := range out {
		if name != "broken" && name != "empty" {
			suited(e)
		}
	}
	return out
}

func TestGoldens(t *testing.T) {
	for _, name := range []string{"plain", "broken", "empty"} {
		got := write(t, envelopes()[name])
		rendertest.Golden(t, name+".txt", got)
	}
}

func TestContract(t *testing.T) {
	for name, e := range envelopes() {
		t.Run(name, func(t *testing.T) {
			doc := string(rendertest.Written(t, e, openmetrics.Write))
			series, err := strict(doc)
			if err != nil {
				t.Fatal(err)
			}
			if !utf8.ValidString(doc) || strings.Contains(doc, "\n\n") || strings.Contains(doc, "\r") {
				t.Error("not UTF-8, a blank line or a CR")
			}
			metrics, err := gitlab(doc)
			if err != nil {
				t.Fatal(err)
			}
			if len(metrics) != len(series) {
				t.Errorf("GitLab sees %d series of %d", len(metrics), len(series))
			}
			compare(t, series, e)
		})
	}
}

func compare(t *testing.T, series map[string]float64, e *envelope.Envelope) {
	t.Helper()
	for _, status := range envelope.Statuses {
		if got := series[fmt.Sprintf(`tribunal_run_tests{status=%q}`, status)]; got != float64(e.Summary.Of(status)) {
			t.Errorf("%g tests are %s, want %d", got, status, e.Summary.Of(status))
		}
	}
	suites, tests := 0, 0.0
	for name, v := range series {
		if strings.HasPrefix(name, "tribunal_suite_flaky_tests{") {
			suites++
		}
		if strings.HasPrefix(name, "tribunal_suite_tests{") {
			tests += v
		}
	}
	if suites != len(e.Suites) || len(e.Suites) > 0 && int(tests) != e.Summary.Tests {
		t.Errorf("%d suites with %g tests, want %d with %d", suites, tests, len(e.Suites), e.Summary.Tests)
	}
}

// TestLabels: what a suite's name becomes. The hashes are those of sha256sum.
func TestLabels(t *testing.T) {
	for _, c := range []struct{ reason, suite, want string }{
		{"as it is", "weather", "weather"},
		{"blanks, signs and letters stay", "C++ a,b{c}='d' é 日本", "C++ a,b{c}='d' é 日本"},
		{"# is a comment for GitLab", "C#", "C_ ~040228846ead"},
		{"its twin is another series", "C_", "C_"},
		{"quotes and backslashes", `a"b\`, "a_b_ ~6867941a35f7"},
		{"newlines", "a\nb", "a b ~7e18f737311b"},
		{"none: an empty label is no label", "", "(no suite)"},
		{"one with that name", "(no suite)", "(no suite) ~028b99d887dc"},
		{"one that looks marked", "x ~0123456789ab", "x ~0123456789ab ~9463afcf5b4f"},
		{"nothing is left", "\x1b[m", "~aacbb7d44293"},
	} {
		doc := write(t, &envelope.Envelope{Suites: []envelope.Suite{{Name: c.suite}}})
		metrics, err := gitlab(doc)
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for name := range metrics {
			if rest, ok := strings.CutPrefix(name, "tribunal_suite_flaky_tests{suite="); ok {
				found = strings.TrimSuffix(rest, "}")
			}
		}
		if found != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.reason, c.suite, found, c.want)
		}
	}
}

// TestValues: a fixed number of decimals, rounded, and nothing for what is not
// known or is not a number.
func TestValues(t *testing.T) {
	e := &envelope.Envelope{}
	s := &e.Summary
	s.DurationMS, s.SetupMS, s.CostUSD = envelope.Some(1234.5678), envelope.Some(math.NaN()), envelope.Some(1e-9)
	s.Rate.PerProtocol = &envelope.Rate{Value: 2.0 / 3, Lo: math.Inf(-1), Hi: 1}
	s.Tokens = envelope.Some(int64(12345678901))
	got, err := gitlab(write(t, e))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ reason, name, want string }{
		{"milliseconds become seconds", "tribunal_run_duration_seconds", "1.235"},
		{"a duration that is not a number", "tribunal_run_setup_seconds", ""},
		{"no exponent", "tribunal_run_cost_usd", "0.000000"},
		{"a rate", "tribunal_run_pass_rate_ratio{trials=per_protocol}", "0.666667"},
		{"an infinite end", "tribunal_run_pass_rate_low_ratio{trials=per_protocol}", ""},
		{"one is as long as the others", "tribunal_run_pass_rate_high_ratio{trials=per_protocol}", "1.000000"},
		{"a rate nobody knows", "tribunal_run_pass_rate_ratio{trials=intent_to_treat}", ""},
		{"large integers stay integers", "tribunal_run_tokens", "12345678901"},
		{"a cost nobody reports", "tribunal_run_setup_cost_usd", ""},
		{"zero is a number", "tribunal_run_exit_code", "0"},
	} {
		if got[c.name] != c.want {
			t.Errorf("%s: %s is %q, want %q", c.reason, c.name, got[c.name], c.want)
		}
	}
}

// TestManySuites: the number of series is bounded, and says so.
func TestManySuites(t *testing.T) {
	e := &envelope.Envelope{}
	for i := range 1000 {
		e.Suites = append(e.Suites, envelope.Suite{Name: fmt.Sprintf("s%04d", i), DurationMS: envelope.Some(1.0), CostUSD: envelope.Some(1.0)})
	}
	got, err := strict(write(t, e))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) > 200*8+20 || got["tribunal_suites_not_listed"] != 800 {
		t.Errorf("%d series, %g suites not listed", len(got), got["tribunal_suites_not_listed"])
	}
}

func TestHuge(t *testing.T) {
	e := &envelope.Envelope{Suites: []envelope.Suite{{Name: strings.Repeat("a#", 5<<20)}}}
	if doc := write(t, e); len(doc) > 8<<10 {
		t.Errorf("%d bytes", len(doc))
	}
}

// TestReaders: the readers of these tests refuse what the real ones refuse.
func TestReaders(t *testing.T) {
	for _, c := range []struct{ reason, doc string }{
		{"no end", "# TYPE a gauge\na 1\n"},
		{"a blank line", "# TYPE a gauge\n\na 1\n# EOF\n"},
		{"a sample without its family", "a 1\n# EOF\n"},
		{"a family in two pieces", "# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# TYPE a gauge\na 2\n# EOF\n"},
		{"a series twice", "# TYPE a gauge\na 1\na 1\n# EOF\n"},
		{"a unit that is no suffix", "# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n"},
		{"a quote in a label", "# TYPE a gauge\na{b=\"c\"d\"} 1\n# EOF\n"},
	} {
		if _, err := strict(c.doc); err == nil {
			t.Errorf("%s: accepted", c.reason)
		}
	}
	if _, err := gitlab("a{b=\"c#d\"} 1\n"); err == nil {
		t.Error("a # in a label: accepted")
	}
}

// gitlab reads a metrics report by the rules of GitLab's parser
// (ee/lib/gitlab/ci/parsers/metrics/generic.rb): of each line that is not blank, what stands
// before the first # is split into words as a shell would; the first word is the name, the
// second the value. A quote that is left open fails the whole report.
func gitlab(doc string) (map[string]string, error) {
	out := map[string]string{}
	for line := range strings.Lines(doc) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		before, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "#")
		words, err := shellSplit(before)
		if err != nil {
			return nil, err
		}
		if len(words) < 2 {
			continue
		}
		if _, ok := out[words[0]]; ok {
			return nil, fmt.Errorf("%s twice: the last one would win", words[0])
		}
		out[words[0]] = words[1]
	}
	return out, nil
}

// shellSplit is Ruby's Shellwords.split, as its documentation describes it: in double quotes a
// backslash escapes $, `, ", \ and a newline, outside of quotes anything.
func shellSplit(s string) (words []string, err error) {
	word, started, quote := "", false, rune(0)
	runes := []rune(s)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case quote != 0 && r == quote:
			quote = 0
		case quote == '\'':
			word += string(r)
		case r == '\\' && i+1 < len(runes) && (quote == 0 || strings.ContainsRune("$`\"\\\n", runes[i+1])):
			i++
			word, started = word+string(runes[i]), true
		case quote == '"':
			word += string(r)
		case r == '"' || r == '\'':
			quote, started = r, true
		case strings.ContainsRune(" \t\r\n\f\v", r):
			if started {
				words, word, started = append(words, word), "", false
			}
		default:
			word, started = word+string(r), true
		}
	}
	if quote != 0 {
		return nil, errors.New("unmatched quote: " + s)
	}
	if started {
		words = append(words, word)
	}
	return words, nil
}

var (
	metadata   = regexp.MustCompile(`^# (TYPE|UNIT|HELP) ([a-z_]+) (.+)$`)
	sampleLine = regexp.MustCompile(`^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\n"])*"(?:,|\}))+)? (-?[0-9]+(?:\.[0-9]+)?)$`)
)

// strict reads an exposition by the ABNF and the rules of OpenMetrics 1.0 as far
// as gauges go: metadata before samples, families in one piece, the unit as
// suffix, no line twice, # EOF and nothing behind it.
func strict(doc string) (map[string]float64, error) {
	body, ok := strings.CutSuffix(doc, "# EOF\n")
	if !ok {
		return nil, errors.New("does not end in # EOF")
	}
	out, done, family, sampled := map[string]float64{}, map[string]bool{}, "", false
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if m := metadata.FindStringSubmatch(line); m != nil {
			if m[2] != family {
				if done[m[2]] {
					return nil, fmt.Errorf("%s: the family is not in one piece", m[2])
				}
				done[m[2]], family, sampled = true, m[2], false
			}
			if sampled || m[1] == "TYPE" && m[3] != "gauge" || m[1] == "UNIT" && !strings.HasSuffix(family, "_"+m[3]) {
				return nil, fmt.Errorf("metadata %q", line)
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil || m[1] != family || m[2] != "" && !strings.HasSuffix(m[2], "}") {
			return nil, fmt.Errorf("line %q below %s", line, family)
		}
		if _, ok := out[m[1]+m[2]]; ok {
			return nil, fmt.Errorf("%s twice", m[1]+m[2])
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return nil, err
		}
		out[m[1]+m[2]], sampled = v, true
	}
	return out, nil
}
