package html

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

func TestVerdictInWords(t *testing.T) {
	hypotheses := &envelope.Hypotheses{P0: 0.9, P1: 0.8, Alpha: 0.05, Beta: 0.2}
	interval := &envelope.Interval{Lo: 0.2, Hi: 0.8}
	for _, c := range []struct {
		reason string
		v      envelope.Verdict
		want   string
	}{
		{"a binary rule says it all in its reason", envelope.Verdict{Rule: "all", N: 3}, ""},
		{"both hypotheses and both error rates", envelope.Verdict{Rule: "sprt", N: 5, Hypotheses: hypotheses},
			"Tests a pass rate of 0.9 against 0.8: a test at 0.9 fails by chance at most 5 % of the time, one at 0.8 passes at most 20 %."},
		{"where it stopped", envelope.Verdict{N: 20, StoppedAt: some(14)}, "Decided at trial 14 of 20; the later ones do not change it."},
		{"stopped by its last trial", envelope.Verdict{N: 14, StoppedAt: some(14)}, ""},
		{"an interval rule", envelope.Verdict{Rule: "wilson", Threshold: some(0.7), Interval: interval},
			"Passes when the whole interval is above 0.7, fails when it is below, and is undecided otherwise."},
		{"a credible interval decides nothing", envelope.Verdict{Rule: "bayes", Threshold: some(0.7), Confidence: some(0.95), Interval: interval},
			"Passes when the probability of a rate of 0.7 or more reaches 95 %, fails when that of a lower rate does and the rate seen is below, and is undecided between."},
		{"a rule of a later version", envelope.Verdict{Rule: "new", Threshold: some(0.7), Interval: interval}, ""},
		{"an adjustment that changed the verdict", envelope.Verdict{PValue: some(0.01), PAdjusted: some(0.2), RawStatus: envelope.Fail},
			"Adjusted for the number of tests: p 0.01 becomes 0.2, so FAIL becomes UNDECIDED."},
		{"and one that did not", envelope.Verdict{PValue: some(0.01), PAdjusted: some(0.02)}, "Adjusted for the number of tests: p 0.01 becomes 0.02."},
		{"valid under peeking", envelope.Verdict{ValidUnderPeeking: some(true)}, "Valid no matter how often you looked before stopping."},
		{"a sequential rule whose trials do not bear it", envelope.Verdict{Rule: "anytime", Hypotheses: hypotheses, ValidUnderPeeking: some(false)},
			"Tests a pass rate of 0.9 against 0.8: a test at 0.9 fails by chance at most 5 % of the time, one at 0.8 passes at most 20 %. Not valid here if you looked repeatedly; the reason says why."},
		{"not valid under peeking", envelope.Verdict{ValidUnderPeeking: some(false)}, "Valid only if you fixed the number of trials before you looked at results."},
	} {
		if got := strings.ReplaceAll(strings.Join(verdictSentences(&c.v), " "), nbsp, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestLongTextsAreFolded(t *testing.T) {
	for _, c := range []struct {
		reason, text, folded string
	}{
		{"a line", "a", ""},
		{"colours are no bytes of the text", strings.Repeat("\x1b[31ma\x1b[0m", 2001), "Output: 1 line, 2,001 bytes"},
		{"25 lines fit a screen, and a newline at the end starts no other", strings.Repeat("a\n", 25), ""},
		{"26 do not", strings.Repeat("a\n", 26), "Output: 26 lines, 52 bytes"},
		{"nor does one long line", strings.Repeat("a", 2001), "Output: 1 line, 2,001 bytes"},
	} {
		if got := newOutput("Output", c.text); got.Folded != c.folded {
			t.Errorf("%s: %q, want %q", c.reason, got.Folded, c.folded)
		}
	}
	if newOutput("Output", "") != nil {
		t.Error("no text is a text")
	}
}

func TestManyTrialsAreFolded(t *testing.T) {
	test := envelope.Test{Trials: envelope.TrialCounts{Total: 9}, Rows: new(envelope.Rows)}
	for i := range 7 {
		test.Details = append(test.Details, envelope.Detail{Trial: i, Message: "no " + fmt.Sprint(i)})
	}
	k := (&opener{}).newKept(&test)
	if len(k.Kept) != openTrials || len(k.More) != 2 || k.MoreText != "2 more trials" {
		t.Errorf("%d trials shown, %d behind %q", len(k.Kept), len(k.More), k.MoreText)
	}
}

// bareOpener is that of a run of which nothing is known.
func bareOpener() *opener {
	o, _ := newOpener(&envelope.Envelope{}, Options{}) // no address that could be wrong
	return o
}

// Trials that said the same are one, with the others beside it.
func TestEqualTrialsAreOne(t *testing.T) {
	test := envelope.Test{Trials: envelope.TrialCounts{Total: 5}, Rows: new(envelope.Rows)}
	for i, message := range []string{"no", "no", "never", "no", "no"} {
		test.Details = append(test.Details, envelope.Detail{Trial: i, Message: message, Output: strings.Repeat("of its own", i/4)})
	}
	k := bareOpener().newKept(&test)
	if len(k.Kept) != 3 || !slices.Equal(k.Kept[0].Same, []string{"Trial 2", "Trial 4"}) || k.Kept[1].Same != nil || k.Kept[2].Title != "Trial 5" {
		t.Errorf("%d trials shown, %q beside the first", len(k.Kept), k.Kept[0].Same)
	}
}

// Runners put the message into the trace, and attach files of the same name to each trial.
func TestMessagesInTracesStandOnce(t *testing.T) {
	test := envelope.Test{Trials: envelope.TrialCounts{Total: 3}, Rows: new(envelope.Rows)}
	for i, output := range []string{"\x1b[31mError: 1\x1b[0m\n\n  is not 2\n  at a.js:1", "\x1b[31mError: 1\x1b[0m\n\n  is not 2\n  at a.js:1", "Error: 3"} {
		test.Details = append(test.Details, envelope.Detail{Trial: i, Message: "Error: 1\nis not 2", Output: output, Attachments: []envelope.Attachment{{Name: "shot"}}})
	}
	k := bareOpener().newKept(&test)
	if len(k.Kept) != 2 || k.Kept[0].Message != nil || !k.Kept[0].Output.Lead || k.Kept[1].Message == nil || k.Kept[1].Output.Lead {
		t.Fatalf("%+v", k.Kept)
	}
	if files := k.Kept[0].Files; len(files) != 2 || files[0].Note != "" || files[1].Note != "trial 2" {
		t.Errorf("files %+v", files)
	}
}

// A page of very many tests draws those that say something: the first ones as HTML, all of them in data.
func TestPicturesAreBudgeted(t *testing.T) {
	test := func(name, strip string) envelope.Test {
		rows := trialsOf(strip, 1, 2, 3, 4)
		return envelope.Test{Key: envelope.Key{Test: name}, Status: envelope.Inconclusive, Rows: rows, Trials: envelope.TrialCounts{Total: 4, Counted: 4, Passed: strings.Count(strip, "P")},
			Verdict: &envelope.Verdict{Rule: "wilson", Threshold: some(0.5), Changes: []envelope.Change{{Outcome: envelope.Pass, Trials: 2, Status: envelope.Pass}}}}
	}
	for _, c := range []struct {
		tests, asHTML, asData int
		reason                string
	}{
		{10, 10, 10, "few tests are all drawn"},
		{1200, picturesInHTML / 2, 1200, "every second of the first ones has trials that differ"},
		{picturesInData + 2, picturesInHTML / 2, picturesInData/2 + 1, "so many that data has only the tests that differ, too"},
	} {
		var tests []envelope.Test
		for i := range c.tests {
			tests = append(tests, test(fmt.Sprint(i), []string{"PPPF", "PPPP"}[i%2]))
		}
		l := newListing(tests, max(len(tests), DefaultStatic+1), bareOpener())
		asHTML, asData := 0, 0
		for place := range tests {
			r := l.row(place)
			if len(r.Detail.More.Charts) > 0 {
				asHTML++
			}
			if _, rest := l.body(place); len(rest.Charts) > 0 {
				asData++
			}
			if r.Detail.Change == "" {
				t.Errorf("test %d of %d does not say what would change it", place, c.tests)
			}
		}
		if asHTML != c.asHTML || asData != c.asData {
			t.Errorf("%s: %d drawn as HTML and %d as data, want %d and %d", c.reason, asHTML, asData, c.asHTML, c.asData)
		}
	}
}

// A check that fails is explained by a trial in which it failed: graders give reasons for what they like as well.
func TestReasonOfAFailingCheck(t *testing.T) {
	test := envelope.Test{Rows: &envelope.Rows{}}
	var inside envelope.Inside
	for i, given := range []envelope.Outcome{envelope.Passed, envelope.Errored, envelope.Failed} {
		inside.Checks.Set(i, "polite", envelope.Checked{Given: envelope.Given(given)})
	}
	test.Rows.SetInside(inside)
	test.Rows.ClassifyChecks(envelope.CountingRules{})
	test.Details = []envelope.Detail{{Trial: 0, Reasons: map[string]string{"polite": "says please"}}, {Trial: 1, Reasons: map[string]string{}}, {Trial: 2, Reasons: map[string]string{"polite": "shouts"}}}
	if got, want := newCheckLine(&test, "polite", envelope.CheckRate{N: 3, Passed: 1}).Why, "Trial 3: shouts"; got != want {
		t.Errorf("the check fails for %q, want %q", got, want)
	}
}

func TestNumbersForPeople(t *testing.T) {
	for _, c := range []struct{ got, want, reason string }{
		{percent(0.421), "42.1 %", "a page has room for a decimal"},
		{span(0.046, 0.699), "4.6 to 69.9 %", "the unit once"},
		{span(0.42, 0.42), "42 %", "nothing lies between equal ends"},
		{number(0.9), "0.9", "no zeros at the end"},
		{number(0.0123456), "0.01235", "four digits that count"},
		{number(-2.5), "-2.5", "a log-likelihood ratio may be negative"},
		{number(123456.7), "123,457", "large numbers need no decimals"},
		{number(1e300), "1e+300", "what fits no integer"},
		{duration(1234), "1.2 s", "a unit stays with its number"},
	} {
		if got := strings.ReplaceAll(c.got, nbsp, " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

// The axis of charts.html starts at 5 and is 130 long.
func TestPlotCoordinates(t *testing.T) {
	for _, c := range []struct {
		v            float64
		want, reason string
	}{
		{0, "5", "the left end"},
		{0.5, "70", "5 + 65"},
		{1, "135", "the right end"},
		{-0.1, "", "off the axis on the left"},
		{1.1, "", "off the axis: a threshold of scores may be"},
		{math.NaN(), "", "no place at all"},
	} {
		if got := at(c.v); got != c.want {
			t.Errorf("%s: at(%v) = %q, want %q", c.reason, c.v, got, c.want)
		}
	}
	if got := intervalPath(0, 1); got != "M5 9H135" {
		t.Errorf("the whole axis is %q", got)
	}
}

func TestStrips(t *testing.T) {
	for _, c := range []struct {
		strip, want string
		whole       bool
		reason      string
	}{
		{"", "", true, "a test without trials"},
		{"PPFXES", "PP/F/X/E/S", true, "equal neighbours share an element"},
		{strings.Repeat("P", 34), strings.Repeat("P", 34), true, "leaving out two letters would save nothing"},
		{strings.Repeat("P", 35) + "F", strings.Repeat("P", 24) + "/ +4 /" + strings.Repeat("P", 7) + "/F", false, "both ends of a long strip"},
	} {
		all := make(envelope.Outcomes, len(c.strip))
		for i := range c.strip {
			all[i] = envelope.Outcome(c.strip[i])
		}
		got, whole := shortStrip(all)
		var parts []string
		for _, l := range got {
			parts = append(parts, l.Letters)
		}
		if joined := strings.Join(parts, "/"); joined != c.want || whole != c.whole {
			t.Errorf("%s: got %q, %v", c.reason, joined, whole)
		}
	}
}

// Overrides have a table of their own.
var shownElsewhere = map[string]bool{"Overrides": true}

// A setting that is added to the policy must be added to the page.
func TestEverySettingOfThePolicyIsShown(t *testing.T) {
	kind := reflect.TypeFor[envelope.Policy]()
	for i := range kind.NumField() {
		var p envelope.Policy
		set(reflect.ValueOf(&p).Elem().Field(i))
		if len(policyFacts(&p)) != 1 && !shownElsewhere[kind.Field(i).Name] {
			t.Errorf("%s is set, and the page says %v", kind.Field(i).Name, policyFacts(&p))
		}
	}
}

// set gives a field some value that is not its zero value.
func set(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Struct: // an Opt
		v.FieldByName("OK").SetBool(true)
	}
}

func TestPolicyInWords(t *testing.T) {
	for _, c := range []struct {
		policy       envelope.Policy
		want, reason string
	}{
		{envelope.Policy{}, "Judged by the rule of the default policy.", "a policy that says nothing"},
		{envelope.Policy{Rule: "all", RetryRule: "any", TreatAs: "neutral"},
			"Judged by the rule all; tests that were retried by the rule any. Undecided is treated as neutral.", "the default"},
		{envelope.Policy{Rule: "any", RetryRule: "any"}, "Judged by the rule any.", "one rule for all is said once"},
		{envelope.Policy{Rule: "wald", Threshold: envelope.Some(0.0), MinTrials: envelope.Some(1)},
			"Judged by the rule wald at threshold 0, at least 1 trial.", "a threshold of 0 is a threshold"},
	} {
		if got := policyWords(&envelope.Effective{Policy: c.policy}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestSourceURL(t *testing.T) {
	const github = "https://github.com/me/project/blob/{commit}/{file}#L{line}"
	for _, c := range []struct {
		reason, template, commit, file string
		line                           int
		want                           string
	}{
		{"all parts", github, "9fceb02", "evals/a test.py", 42, "https://github.com/me/project/blob/9fceb02/evals/a%20test.py#L42"},
		{"a part may be asked for twice, or not at all", "http://x/{file}?f={file}", "", "a", 0, "http://x/a?f=a"},
		{"no commit, and it is asked for", github, "", "a", 1, ""},
		{"no line, and it is asked for", github, "c", "a", 0, ""},
		{"no template", "", "c", "a", 1, ""},
		{"what means something in an address is escaped", "https://x/{file}?at={commit}", `"&a=b#`, "a?b#c%2f&d=+é<>\"", 1, "https://x/a%3Fb%23c%252f%26d%3D%2B%C3%A9%3C%3E%22?at=%22%26a%3Db%23"},
		{"two dots lead to other pages of the server", github, "c", "../../../evil", 1, ""},
		{"in the commit too", github, "..", "a", 1, ""},
		{"and behind backslashes", github, "c", `a\..\b`, 1, ""},
		{"a path of Windows", github, "c", `tests\a.py`, 1, "https://github.com/me/project/blob/c/tests/a.py#L1"},
		{"a path of the machine is none of the repository", github, "c", "/home/ci/a.py", 1, ""},
		{"a leading dot is the root", github, "c", "./a.py", 1, "https://github.com/me/project/blob/c/a.py#L1"},
		{"a script is escaped like any name", "https://x/{file}", "", "javascript:alert(1)", 1, "https://x/javascript%3Aalert%281%29"},
		{"a placeholder in a name is a name", "https://x/{file}/{line}", "", "{line}", 7, "https://x/%7Bline%7D/7"},
	} {
		s, err := parseSourceURL(c.template)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		test := envelope.Test{File: c.file, Line: c.line}
		if got := s.of(&test, c.commit).URL; got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
	if (sourceURL{}).of(&envelope.Test{}, "c") != nil {
		t.Error("a test that does not say where it is has a place")
	}
}

func TestSourceURLsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ reason, template, want string }{
		{"a script", "javascript:alert({line})", "not an http or https address"},
		{"a file", "file:///etc/{file}", "not an http or https address"},
		{"a path", "/blob/{file}", "not an http or https address"},
		{"no server", "https:///{file}", "not an http or https address"},
		{"a server that tests choose", "https://{file}/x", "a server name without a placeholder"},
		{"a port that tests choose", "https://host:{line}/x", ""},
		{"an unknown part", "https://x/{path}", "{path} is not known: use {commit}, {file}, {line}"},
		{"half a brace", "https://x/{file", "unmatched brace"},
		{"a password", "https://me:secret@x/{file}", "leave it out"},
		{"a control character", "https://x/\x00{file}", "control character"},
	} {
		err := CheckSourceURL(c.template)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q gives %v, want an error with %q", c.reason, c.template, err, c.want)
		}
	}
}

// The page explains the words that it uses, in the words of the glossary.
func TestThePageExplainsItsWords(t *testing.T) {
	if all := glossary(); len(all) < 35 || all[0].Name != "trial" || !slices.Contains(all, fact{"gate", "a condition on the run or its tests that sets the exit code"}) {
		t.Errorf("of docs/glossary.md these are read: %v", all)
	}
	for _, f := range glossary() {
		if strings.ContainsAny(f.Value, "[]`*|") {
			t.Errorf("%s has Markdown: %s", f.Name, f.Value)
		}
	}
	for says, want := range map[string]string{
		"84 of 200 trials passed; on similar tests 42 %": "trial, test, on these tests, on similar tests",
		"pass^k: 2 excluded, 1 quarantined":              "excluded, pass@k, pass^k, quarantine",
		"A trialling of cartridges":                      "",
	} {
		var names []string
		for _, f := range termsIn(says) {
			names = append(names, f.Name)
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%q uses %q, want %q", says, got, want)
		}
	}
}
