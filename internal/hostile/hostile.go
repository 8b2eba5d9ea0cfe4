// Package hostile holds what the tests of renderers are thrown against: texts
// that attack a terminal, a parser, a log or a page, and envelopes full of
// them. It exists so that every format is held against the same corpus; it is
// imported by tests alone, and it judges nothing: its envelopes are made up,
// complete and consistent in their counts, not the result of any rule.
package hostile

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"tribunal/envelope"
)

// Texts is the corpus, each entry with its reason.
var Texts = []struct{ Reason, Text string }{
	{"empty", ""},
	{"blank", " \t "},
	{"NUL", "a\x00b"},
	{"every C0 control and DEL", "\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x1a\x1b\x1c\x1d\x1e\x1f\x7f"},
	{"C1 controls", "a\u0080\u0085\u008d\u009fb"},
	{"ANSI colour", "\x1b[31mred\x1b[0m"},
	{"unfinished CSI", "before\x1b[12"},
	{"OSC title and link", "\x1b]0;pwned\x07\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\"},
	{"unfinished OSC must not swallow", "\x1b]0;never ends\nnext line stays"},
	{"sequence hidden in a sequence", "\x1b\x1b[m[31mred"},
	{"8-bit CSI", "\u009b31mred"},
	{"bidi override", "user\u202enimda\u202c \u2066x\u2069 \u200f\u061c"},
	{"zero width", "a\u200bb\ufeffc\u2060d"},
	{"tags", "ok\U000e0041\U000e0042"},
	{"noncharacters", "a\ufffeb\uffffc\U0001fffed"},
	{"invalid UTF-8", "a\xff\xfe\xc3(b"},
	{"lone surrogate in UTF-8", "a\xed\xa0\x80b"},
	{"end of CDATA", "x]]>y]]]]>><![CDATA[z"},
	{"markup", `</testcase><testcase name="evil"/><!-- & &lt; "'`},
	{"script", "</script><script>alert(1)</script>"},
	{"TAP directive", "C# SKIP nothing # TODO later \\# SKIP x\\"},
	{"TAP lines", "ok 1\nnot ok 2\n1..0\nBail out! now\n  ---\n  ...\nTAP version 14\npragma +strict"},
	{"GitHub command", "::error file=a::b\n  ::set-output name=x::y"},
	{"old GitHub and Azure commands", "x ##[error]bad ##vso[task.complete result=Failed;]### [###[group]"},
	{"TeamCity command", "##teamcity[testFailed name='x']"},
	{"GitLab section", "\x1b[0Ksection_start:1560896352:x\r\x1b[0Ksection_end:1:x\r"},
	{"attachment", "[[ATTACHMENT|/etc/passwd]] [[[PROPERTY|k=v]]"},
	{"mention and Markdown", "@everyone `code` ``` | a | **b** [x](y) <details>"},
	{"lines", "a\r\nb\rc\u2028d\u2029e"},
	{"formula", "=cmd|' /C calc'!A0"},
	{"quotes", `"'\"` + "`"},
	{"only a mark", "x ~0123456789ab"},
	{"variant in the name", "a [b]"},
	{"path", "../../etc/./passwd\\x"},
	{"scripts and emoji", "日本語 عربى 👩‍👩‍👧 é"},
	{"10 kB name", strings.Repeat("long ", 2000)},
	{"12 kB of CDATA ends", strings.Repeat("]]>", 4000)},
}

// Pick returns one text of the corpus, or two joined.
func Pick(r *rand.Rand) string {
	s := Texts[r.IntN(len(Texts))].Text
	if r.IntN(3) == 0 {
		s += Texts[r.IntN(len(Texts))].Text
	}
	return s
}

// All is an envelope with a test of every status for every text, the text being
// its suite, name, variant, file, reason, message, output and label at once.
func All() *envelope.Envelope {
	r := rand.New(rand.NewPCG(1, 2))
	e := &envelope.Envelope{}
	for i, x := range Texts {
		for j, status := range envelope.Statuses {
			key := envelope.Key{Suite: x.Text, Test: fmt.Sprintf("%s %d %d", x.Text, i, j), Variant: x.Text}
			e.Tests = append(e.Tests, Test(r, key, status, func() string { return x.Text }))
		}
	}
	return finish(e, func() string { return Pick(r) })
}

// Random is an envelope of up to n tests whose every word is hostile and whose
// keys are different and nothing else.
func Random(seed uint64, n int) *envelope.Envelope {
	r := rand.New(rand.NewPCG(seed, 7))
	e, seen := &envelope.Envelope{}, map[envelope.Key]bool{}
	for range r.IntN(n + 1) {
		k := envelope.Key{Suite: Pick(r), Test: Pick(r)}
		if r.IntN(2) == 0 {
			k.Variant = Pick(r)
		}
		if !seen[k] {
			seen[k] = true
			e.Tests = append(e.Tests, Test(r, k, envelope.Statuses[r.IntN(len(envelope.Statuses))], func() string { return Pick(r) }))
		}
	}
	return finish(e, func() string { return Pick(r) })
}

// Test is a made-up test with trials that fit its status and words from word.
func Test(r *rand.Rand, k envelope.Key, status envelope.Status, word func() string) envelope.Test {
	strip := map[envelope.Status]string{envelope.Pass: "PPPP", envelope.Fail: "FPFE", envelope.Inconclusive: "PFPX", envelope.Error: "XX",
		envelope.Skip: "SS"}[status]
	t := envelope.Test{Key: k, Status: status, File: word(), Line: r.IntN(3) - 1, Labels: map[string]string{word(): word(), "b": word()}}
	if status == envelope.Pass && r.IntN(2) == 0 {
		strip = "PPFEP"
	}
	t.Rows = rows(strip)
	count(&t)
	for i := range t.Details {
		d := &t.Details[i]
		d.Attempt, d.Run, d.ErrorClass, d.Message, d.Output = envelope.Some(int32(i)), word(), word(), word(), word()
		d.Labels = map[string]string{word(): word()}
	}
	t.Verdict.Reason = word()
	return t
}

// count fills in what follows from the rows, with intervals that are made up.
func count(t *envelope.Test) {
	t.Trials.Excluded = map[string]int{}
	for i, o := range t.Rows.Outcome {
		t.Trials.Total++
		switch {
		case o.Counted():
			t.Trials.Counted++
		case o == envelope.Skipped:
			t.Trials.Excluded["skip"]++
		default:
			t.Trials.Excluded["infrastructure"]++
		}
		if o == envelope.Passed {
			t.Trials.Passed++
		} else {
			t.Details = append(t.Details, envelope.Detail{Trial: i, Status: t.Rows.Given[i].Status()})
		}
	}
	k, n := t.Trials.Passed, t.Trials.Counted
	t.Flaky = k > 0 && k < n
	t.Verdict = &envelope.Verdict{Rule: "wald", Threshold: envelope.Some(0.5), Confidence: envelope.Some(0.95), N: n, Passed: k}
	if n > 0 {
		p := float64(k) / float64(n)
		t.Verdict.Interval = &envelope.Interval{Lo: p / 2, Hi: (1 + p) / 2, Method: "wald"}
		t.Rate.PerProtocol = &envelope.Rate{Value: p, Lo: p / 2, Hi: (1 + p) / 2, Method: "wilson", Confidence: 0.95}
		t.DurationMS = &envelope.Spread{Total: 1000 * float64(n), P50: envelope.Some(1000.0), P95: envelope.Some(1000.0)}
		t.CostUSD = envelope.Some(float64(n) / 64)
	}
}

// rows are the rows of a strip. The wire form is the one way to make them
// outside of package envelope.
func rows(strip string) *envelope.Rows {
	out := new(envelope.Rows)
	if err := json.Unmarshal(fmt.Appendf(nil, `{"outcome":%q}`, strip), out); err != nil {
		panic(err) // the strips are the five above
	}
	return out
}

func finish(e *envelope.Envelope, word func() string) *envelope.Envelope {
	e.Run.Name, e.Run.ID, e.Run.Commit, e.Run.StartedAt = word(), word(), word(), "2026-11-21T10:00:00Z"
	e.Run.Labels = map[string]string{word(): word()}
	sum(e)
	for _, severity := range []envelope.Severity{envelope.SeverityError, envelope.SeverityWarning, envelope.SeverityInfo} {
		e.Problems = append(e.Problems, envelope.Problem{Severity: severity, Code: "hostile", Message: word(), Input: word(), Line: 3})
	}
	e.Gate = envelope.Gate{Status: envelope.Error, ExitCode: 2, Reasons: []string{word()}, InputErrors: 1,
		Gates: []envelope.GateResult{{Name: word(), Expr: word(), Status: envelope.Fail, Saw: word()}}}
	return e
}

func sum(e *envelope.Envelope) {
	for i := range e.Tests {
		t := &e.Tests[i]
		e.Summary.Add(t.Status)
		e.Summary.Trials.Total += t.Trials.Total
		e.Summary.Trials.Counted += t.Trials.Counted
		e.Summary.Trials.Passed += t.Trials.Passed
		if t.Flaky {
			e.Summary.Flaky++
		}
	}
}

// Plain is an envelope without any trap, for goldens: a test of every status
// but with words a person would write, two of them a test of two variants.
func Plain() *envelope.Envelope {
	e := &envelope.Envelope{Tests: []envelope.Test{
		plain("", "no suite", "", envelope.Pass, "PP", "all 2 counted trials passed"),
		plain("weather", "broken", "", envelope.Error, "XX", "no counted trial: 2 excluded"),
		plain("weather", "fails", "", envelope.Fail, "FPFEF", "1 of 5 trials passed: the 95 % wald interval "+
			"0.000 to 0.551 is below the threshold 0.8"),
		plain("weather", "left out", "", envelope.Skip, "S", "all trials were skipped"),
		plain("weather", "passes", "large", envelope.Pass, "PPPPP", "5 of 5 trials passed"),
		plain("weather", "passes", "small", envelope.Pass, "PPFPP", "4 of 5 trials passed"),
		plain("weather", "unsure", "", envelope.Inconclusive, "PFPX", "3 counted trials: at least 5 are needed"),
	}}
	e.Tests[2].File, e.Tests[2].Line = "tests/weather_test.py", 42
	e.Tests[2].Labels = map[string]string{"team": "forecast"}
	e.Tests[2].Details[0].Message, e.Tests[2].Details[0].Output = "expected rain, got <sun>", "step 1\nstep 2 & more"
	e.Tests[3].Details[0].Message = "no network"
	e.Run.Name, e.Run.Commit, e.Run.StartedAt = "nightly", "4f2a9c1", "2026-11-21T10:00:00Z"
	e.Policy.Rule = "wald"
	sum(e)
	e.Summary.Flaky = 1
	e.Problems = []envelope.Problem{{Severity: envelope.SeverityWarning, Code: "noise",
		Message: "3 lines are no trials", Input: "trials.ndjson", Line: 7}}
	e.Gate = envelope.Gate{Status: envelope.Fail, ExitCode: 1, Reasons: []string{"1 test failed", "1 test errored"}}
	return e
}

func plain(suite, name, variant string, status envelope.Status, strip, reason string) envelope.Test {
	t := envelope.Test{Key: envelope.Key{Suite: suite, Test: name, Variant: variant}, Status: status, Rows: rows(strip)}
	count(&t)
	t.Verdict.Reason = reason
	return t
}

// Broken is the envelope of a run whose only input has no trial.
func Broken() *envelope.Envelope {
	return &envelope.Envelope{
		Problems: []envelope.Problem{{Severity: envelope.SeverityError, Code: envelope.CodeNoTrials,
			Message: "no trial in this input", Input: "trials.ndjson"}},
		Gate: envelope.Gate{Status: envelope.Error, ExitCode: 2, Reasons: []string{"1 error in the input"}, InputErrors: 1},
	}
}
