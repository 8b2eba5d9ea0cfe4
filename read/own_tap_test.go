package read_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/policy"
	"tribunal/read/tap"
	rendertap "tribunal/render/tap"
)

// tapOutcome is what of a test is looked at.
type tapOutcome struct {
	Status envelope.Status
	Strip  string
}

func tapOutcomes(t *testing.T, e *envelope.Envelope) map[envelope.Key]tapOutcome {
	t.Helper()
	out := map[envelope.Key]tapOutcome{}
	for i := range e.Tests {
		test := &e.Tests[i]
		o := tapOutcome{Status: test.Status, Strip: test.Rows.Outcome.String()}
		out[test.Key] = o
	}
	return out
}

func tapWritten(t *testing.T, e *envelope.Envelope, o rendertap.Options) string {
	t.Helper()
	var b strings.Builder
	if err := rendertap.Write(&b, e, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// readTAP judges a report again under the policy it carries, or by default.
func readTAP(t *testing.T, report string) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	in := b.Input("report.tap", "tap")
	if err := tap.Read(strings.NewReader(report), in); err != nil {
		t.Fatal(err)
	}
	in.Close()
	policies := b.Policies()
	if len(policies) == 0 {
		policies = []envelope.Carried{{Asked: &envelope.Policy{}}}
	}
	keep, err := policy.KeepDetails("5")
	if err != nil {
		t.Fatal(err)
	}
	return judge(t, b.Run(envelope.ConflictExtend, keep), policies)
}

// TestOwnTAPOfWindows: a report whose line ends were changed on the way reads
// the same.
func TestOwnTAPOfWindows(t *testing.T) {
	for name, e := range sealed(t) {
		report := tapWritten(t, e, rendertap.Options{})
		want, got := readTAP(t, report), readTAP(t, strings.ReplaceAll(report, "\n", "\r\n"))
		if diff := cmp.Diff(tapOutcomes(t, want), tapOutcomes(t, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestOwnTAP: identity and verdict of every test come back, and the trials of
// those that neither passed nor were skipped.
func TestOwnTAP(t *testing.T) {
	for name, e := range sealed(t) {
		if name == "hostile" {
			continue // names that cannot be tapWritten as they are
		}
		for _, o := range []rendertap.Options{{}, {Version: 14, Inconclusive: rendertap.TodoNotOK}, {Inconclusive: rendertap.SkipIt}} {
			again := readTAP(t, tapWritten(t, e, o))
			want, got := tapOutcomes(t, e), tapOutcomes(t, again)
			for key, w := range want {
				g := got[key]
				if w.Status != g.Status {
					t.Errorf("%s, %v, %s: %s, want %s", name, o, key, g.Status, w.Status)
				}
				if w.Status != envelope.Pass && w.Status != envelope.Skip && w.Strip != g.Strip {
					t.Errorf("%s, %v, %s: trials %s, want %s", name, o, key, g.Strip, w.Strip)
				}
			}
			if len(want) != len(got) && len(want) > 0 {
				t.Errorf("%s: %d tests, want %d", name, len(got), len(want))
			}
		}
	}
}

// TestOwnHostile: names are neutralised, and their number and verdicts stay.
func TestOwnHostile(t *testing.T) {
	e := sealed(t)["hostile"]
	again := readTAP(t, tapWritten(t, e, rendertap.Options{}))
	const same = 1 // two names that only a control character tells apart
	if again.Summary.Inconclusive < e.Summary.Inconclusive-same || again.Summary.Tests != again.Summary.Inconclusive {
		t.Errorf("%+v, want %+v", again.Summary.Counts, e.Summary.Counts)
	}
}

func TestOwnProblems(t *testing.T) {
	again := readTAP(t, tapWritten(t, sealed(t)["problems"], rendertap.Options{}))
	for _, p := range again.Problems {
		if strings.HasPrefix(p.Message, "the report says of its own input: ") {
			return
		}
	}
	t.Errorf("no problem of the report is told: %v", again.Problems)
}

// doubted is a run with a warning and an error of inputs whose names and messages
// read like other severities.
func doubted(t *testing.T) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	in := b.Input("trials: error: late.ndjson", "native")
	in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass})
	in.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: "c", Line: 7, Message: "it said error: no"})
	in.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: "c", Line: 8, Message: "it said warning: no"})
	in.Close()
	return judge(t, b.Run(envelope.ConflictExtend, 5), []envelope.Carried{{Asked: &envelope.Policy{}}})
}

// recordedProblems are the severities and words of what a report said of its input.
func recordedProblems(e *envelope.Envelope) []string {
	var out []string
	for _, p := range e.Problems {
		if said, ok := strings.CutPrefix(p.Message, "the report says of its own input: "); ok {
			out = append(out, string(p.Severity)+" | "+said)
		}
	}
	slices.Sort(out)
	return out
}

// TestOwnSeveritiesOfTAP: a problem comes back with its severity, whatever its input is
// called; older reports had the severity behind the position.
func TestOwnSeveritiesOfTAP(t *testing.T) {
	report := tapWritten(t, doubted(t), rendertap.Options{})
	want := []string{
		"error | error: trials: error: late.ndjson:8: it said warning: no",
		"warning | warning: trials: error: late.ndjson:7: it said error: no",
	}
	if got := recordedProblems(readTAP(t, report)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	older := strings.NewReplacer("# problem: error: trials: error: late.ndjson:8: ", "# problem: late.ndjson:8: error: ",
		"# problem: warning: trials: error: late.ndjson:7: ", "# problem: late.ndjson:7: warning: ").Replace(report)
	want = []string{"error | late.ndjson:8: error: it said warning: no", "warning | late.ndjson:7: warning: it said error: no"}
	if got := recordedProblems(readTAP(t, older)); older == report || !slices.Equal(got, want) {
		t.Errorf("older: %q, want %q", got, want)
	}
}

// TestOwnCoverageIsAField: the coverage is not taken from the words of the reason.
// In them 75.00001 % is 75 %, which 6 of 8 trials reach.
func TestOwnCoverageIsAField(t *testing.T) {
	e := lacking(t, 0.7500001)
	if v := e.Tests[1].Verdict; e.Tests[1].Test != "thin" || v.MinCoverage != envelope.Some(0.7500001) {
		t.Fatalf("%s: the verdict says %v of its coverage", e.Tests[1].Key, v.MinCoverage)
	}
	report := tapWritten(t, e, rendertap.Options{})
	other := strings.ReplaceAll(report, "below the coverage of", "under what was wanted,")
	if other == report {
		t.Fatal("the reason does not say it in these words")
	}
	for _, text := range []string{report, other} {
		if got := tapOutcomes(t, readTAP(t, text))[envelope.Key{Suite: "s", Test: "thin"}]; got != (tapOutcome{envelope.Inconclusive, "PPPPPPXX"}) {
			t.Errorf("thin came back as %v", got)
		}
	}
}

// lacking is a run judged under a policy that leaves trials out: one test is
// inconclusive for its coverage alone, one fails, one has no money left.
func lacking(t *testing.T, coverage float64) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	in := b.Input("trials", "native")
	for test, strip := range map[string]string{"thin": "PPPPPPXX", "weak": "FFFFFFPP", "dear": "PPPPPPPP"} {
		for i, letter := range []byte(strip) {
			one := envelope.Trial{Key: envelope.Key{Suite: "s", Test: test}, Attempt: envelope.Some(int32(i)), Status: envelope.Given(letter).Status()}
			if letter == 'X' {
				one.Status, one.ErrorClass = envelope.Error, envelope.ClassInfrastructure
			}
			if test == "dear" {
				one.CostUSD = envelope.Some(1.0)
			}
			in.Trial(&one)
		}
	}
	in.Close()
	policy := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.8), MinCoverage: envelope.Some(coverage), CostLimitUSD: envelope.Some(6.0)}
	return judge(t, b.Run(envelope.ConflictExtend, 5), []envelope.Carried{{Asked: &policy}})
}

// TestOwnEndingsOfTAP: a test whose trials were not all started is inconclusive again
// under any rule, though no more trials can be judged, and one that was never
// started is an error without a trial.
func TestOwnEndingsOfTAP(t *testing.T) {
	for _, policy := range []envelope.Policy{
		{Rule: "all"}, {Rule: "majority"}, {Rule: "mean", Threshold: envelope.Some(0.5)}, {Rule: "wilson", Threshold: envelope.Some(0.8)},
	} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("journal", "native")
		short, never := envelope.Key{Suite: "s", Test: "short"}, envelope.Key{Suite: "s", Test: "never"}
		for _, key := range []envelope.Key{short, never} {
			in.Listed(key, nil, envelope.Some[int64](40), false)
			in.Ended(key, envelope.EndedCut)
		}
		for i := range 6 {
			in.Trial(&envelope.Trial{Key: short, Attempt: envelope.Some(int32(i)), Status: envelope.Pass, Score: envelope.Some(1.0)})
		}
		in.Close()
		report := tapWritten(t, judge(t, b.Run(envelope.ConflictExtend, 5), []envelope.Carried{{Asked: &policy}}), rendertap.Options{})
		got := tapOutcomes(t, readTAP(t, report))
		want := map[envelope.Key]tapOutcome{short: {envelope.Inconclusive, "PPPPPP"}, never: {envelope.Error, ""}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", policy.Rule, diff)
		}
	}
}

// TestOwnTreatAs: an inconclusive test does to the exit code what it did when the report was
// tapWritten.
func TestOwnTreatAs(t *testing.T) {
	for _, as := range []string{policy.TreatNeutral, policy.TreatFail, policy.TreatExit3} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("trials", "native")
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Pass})
		in.Close()
		first := judge(t, b.Run(envelope.ConflictExtend, 5), []envelope.Carried{{Asked: &envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.8), TreatAs: as}}})
		again := readTAP(t, tapWritten(t, first, rendertap.Options{}))
		if first.Gate.ExitCode != again.Gate.ExitCode || first.Gate.Status != again.Gate.Status {
			t.Errorf("%s: exit code %d, and %d when its TAP is read", as, first.Gate.ExitCode, again.Gate.ExitCode)
		}
	}
}

// TestOwnCoverage: what is inconclusive for its coverage comes back with its
// trials, and so does what a cost limit cut short.
func TestOwnCoverage(t *testing.T) {
	got := tapOutcomes(t, readTAP(t, tapWritten(t, lacking(t, 0.9), rendertap.Options{})))
	for test, want := range map[string]tapOutcome{
		"thin": {envelope.Inconclusive, "PPPPPPXX"}, "weak": {envelope.Fail, "FFFFFFPP"}, "dear": {envelope.Inconclusive, "PPPPPPSS"},
	} {
		if g := got[envelope.Key{Suite: "s", Test: test}]; g != want {
			t.Errorf("%s: %v, want %v", test, g, want)
		}
	}
}
