package compare_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/compare"
	"tribunal/internal/verdict/gate"
	"tribunal/verdict"
)

// strip is one test as a strip of outcomes: P passes, F fails, X is excluded, S skipped, f and p are retries.
type strip struct{ test, outcomes string }

// run judges strips. Trials are numbered when numbered is set.
func run(t *testing.T, numbered bool, strips ...strip) *envelope.Envelope {
	t.Helper()
	var trials []envelope.Trial
	for _, s := range strips {
		suite, name, _ := strings.Cut(s.test, "/")
		for i, outcome := range s.outcomes {
			trial := envelope.Trial{Key: envelope.Key{Suite: suite, Test: name}, Status: envelope.Fail}
			switch outcome {
			case 'P', 'p':
				trial.Status = envelope.Pass
			case 'X':
				trial.ErrorClass = envelope.ClassInfrastructure
			case 'S':
				trial.Status = envelope.Skip
			}
			trial.Retry = outcome == 'p' || outcome == 'f'
			if numbered {
				trial.Attempt = envelope.Some(int32(i))
			}
			trials = append(trials, trial)
		}
	}
	return sealed(t, envelope.Policy{}, trials...)
}

func sealed(t *testing.T, asked envelope.Policy, trials ...envelope.Trial) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	in := b.Input("run.ndjson", "native")
	for i := range trials {
		in.Trial(&trials[i])
	}
	in.Close()
	env, err := verdict.Judge(b, asked)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func compared(t *testing.T, base, candidate *envelope.Envelope, o compare.Options) *compare.Comparison {
	t.Helper()
	c, err := compare.Runs("", compare.Input{Name: "base", Envelope: base}, []compare.Input{{Name: "candidate", Envelope: candidate}}, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func of(passes, trials int) string {
	return strings.Repeat("P", passes) + strings.Repeat("F", trials-passes)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 1e-9) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestStates(t *testing.T) {
	for _, c := range []struct {
		reason          string
		numbered        bool
		base, candidate string
		method          string
		p               float64
		want            compare.State
		nonInferior     bool
	}{
		{"3 discordant pairs of twelve: 2/2^3, the example of the manual", true, of(8, 12), of(5, 12), "mcnemar-exact", 0.25, compare.Unresolved, false},
		{"ten without numbers: 2 (27027+5005+286) / C(20,10)", false, of(8, 10), of(5, 10), "fisher-exact", 2 * 32318. / 184756, compare.Unresolved, false},
		{"twelve trials all worse: 2/2^12", true, of(12, 12), of(0, 12), "mcnemar-exact", 2. / 4096, compare.Regressed, false},
		{"the other way round", true, of(0, 12), of(12, 12), "mcnemar-exact", 2. / 4096, compare.Improved, true},
		{"five pairs all worse, which cannot show it: 2/C(10,5)", true, of(5, 5), of(0, 5), "fisher-exact", 2. / 252, compare.Regressed, false},
		{"half of eleven pairs worse: 2 C(11,6)/C(22,5)", true, of(11, 11), of(6, 11), "fisher-exact", 2 * 462. / 26334, compare.Regressed, false},
		{"nothing changed, but twelve trials rule out little", true, of(12, 12), of(12, 12), "mcnemar-exact", 1, compare.Unresolved, false},
		{"nothing changed, and 200 trials rule out 5 points", true, of(200, 200), of(200, 200), "mcnemar-exact", 1, compare.Equivalent, true},
		{"a sure loss of one point of 2000 trials is less than matters", true, of(2000, 2000), of(1980, 2000), "mcnemar-exact", math.Exp2(-19), compare.Equivalent, true},
		{"no worse by the margin, maybe better by more", true, of(970, 1000), of(999, 1000), "mcnemar-exact", math.Exp2(-28), compare.Equivalent, true},
	} {
		got := compared(t, run(t, c.numbered, strip{"s/t", c.base}), run(t, c.numbered, strip{"s/t", c.candidate}), compare.Defaults())
		x := got.Contrasts[0].Tests[0]
		if x.State != c.want || x.Method != c.method || x.NonInferior != c.nonInferior {
			t.Errorf("%s: %s by %s, non-inferior %v (%s)", c.reason, x.State, x.Method, x.NonInferior, x.Reason)
		}
		near(t, c.reason+": p", x.PValue.V, c.p)
		if failed := got.Gate.ExitCode == gate.ExitFailed; failed != (c.want == compare.Regressed) {
			t.Errorf("%s: exit %d", c.reason, got.Gate.ExitCode)
		}
	}
}

// TestMarginDecides: a sure loss is a regression, unless its whole interval is within the margin.
func TestMarginDecides(t *testing.T) {
	base, candidate := run(t, true, strip{"s/t", of(2000, 2000)}), run(t, true, strip{"s/t", of(1980, 2000)})
	o := compare.Defaults()
	for _, c := range []struct {
		margin float64
		want   compare.State
	}{{0.05, compare.Equivalent}, {0.02, compare.Equivalent}, {0.01, compare.Regressed}, {0, compare.Regressed}} {
		o.Margin = c.margin
		if got := compared(t, base, candidate, o).Contrasts[0].Tests[0]; got.State != c.want {
			t.Errorf("margin %v: %s, want %s for a loss of %v [%v, %v]", c.margin, got.State, c.want, got.Difference.Value, got.Difference.Lo, got.Difference.Hi)
		}
	}
}

func TestPairing(t *testing.T) {
	trial := func(run string, attempt int32, status envelope.Status) envelope.Trial {
		return envelope.Trial{Key: envelope.Key{Test: "t"}, Run: run, Attempt: envelope.Some(attempt), Status: status}
	}
	twice := func(a, b string) *envelope.Envelope {
		return sealed(t, envelope.Policy{}, trial(a, 0, envelope.Pass), trial(a, 1, envelope.Pass), trial(b, 0, envelope.Pass), trial(b, 1, envelope.Fail))
	}
	for _, c := range []struct {
		reason          string
		base, candidate *envelope.Envelope
		pairing         string
		pairs           int
	}{
		{"numbered on both sides", run(t, true, strip{"/t", "PPPP"}), run(t, true, strip{"/t", "PFPF"}), "auto", 4},
		{"numbered on one side", run(t, true, strip{"/t", "PPPP"}), run(t, false, strip{"/t", "PFPF"}), "auto", 0},
		{"switched off", run(t, true, strip{"/t", "PPPP"}), run(t, true, strip{"/t", "PFPF"}), "none", 0},
		{"an excluded trial leaves its partner alone", run(t, true, strip{"/t", "PXPP"}), run(t, true, strip{"/t", "PFPF"}), "auto", 3},
		{"more than half of the larger side has no partner", run(t, true, strip{"/t", "PP"}), run(t, true, strip{"/t", "PFPFP"}), "auto", 0},
		{"one run a side, called differently", sealed(t, envelope.Policy{}, trial("monday", 0, envelope.Pass)), sealed(t, envelope.Policy{}, trial("tuesday", 0, envelope.Pass)), "auto", 1},
		{"two runs a side, called the same", twice("a", "b"), twice("a", "b"), "auto", 4},
		{"two runs a side, called differently", twice("a", "b"), twice("c", "d"), "auto", 0},
		{"one run against two, one of which has no name either", run(t, true, strip{"/t", "PPPP"}), twice("", "b"), "auto", 0},
		{"a number that two trials have", sealed(t, envelope.Policy{}, trial("a", 0, envelope.Pass), trial("a", 0, envelope.Fail)), run(t, true, strip{"/t", "PP"}), "auto", 0},
	} {
		o := compare.Defaults()
		o.Pairing = c.pairing
		got := compared(t, c.base, c.candidate, o).Contrasts[0].Tests[0]
		pairs := 0
		if got.Pairs != nil {
			pairs = got.Pairs.N()
		}
		if pairs != c.pairs {
			t.Errorf("%s: %d pairs, want %d", c.reason, pairs, c.pairs)
		}
	}
}

// TestPairsCount: the difference is that of the pairs, by who passed.
func TestPairsCount(t *testing.T) {
	got := compared(t, run(t, true, strip{"/t", "PPFFPPFFPPFFP"}), run(t, true, strip{"/t", "PFPFPFPFPFPFX"}), compare.Defaults()).Contrasts[0].Tests[0]
	if want := (compare.Pairs{Both: 3, Base: 3, Candidate: 3, Neither: 3}); *got.Pairs != want {
		t.Errorf("pairs %+v, want %+v", *got.Pairs, want)
	}
	near(t, "difference", got.Difference.Value, 0)
	if got.Base.N != 13 || got.Candidate.N != 12 || got.Candidate.Excluded != 1 || got.Compared(&got.Base) != "6/12" || got.Compared(&got.Candidate) != "6/12" {
		t.Errorf("trials %+v and %+v: all counted ones are kept, and those of the pairs shown", got.Base.Trials, got.Candidate.Trials)
	}
}

func TestRetriesAreLeftOut(t *testing.T) {
	got := compared(t, run(t, false, strip{"/t", "FpP"}), run(t, false, strip{"/t", "Ffp"}), compare.Defaults()).Contrasts[0].Tests[0]
	if got.Base.N != 2 || got.Base.Passed != 1 || got.Base.Retries != 1 || got.Candidate.N != 1 || got.Candidate.Retries != 2 {
		t.Errorf("trials %+v and %+v", got.Base.Trials, got.Candidate.Trials)
	}
}

// TestTrialsThatAreNotComparedAreCounted: a test that lost all its trials on one
// side has no part in the run as a whole, and is the first to be told of.
func TestTrialsThatAreNotComparedAreCounted(t *testing.T) {
	for _, c := range []struct {
		reason          string
		base, candidate strip
		code, want      string
	}{
		{"all excluded now", strip{"/t", "PPP"}, strip{"/t", "XX"}, compare.CodeExcluded, ": 0 in the base, 2 in the candidate (shared tests only)"},
		{"all excluded before", strip{"/t", "XX"}, strip{"/t", "PP"}, compare.CodeExcluded, ": 2 in the base, 0 in the candidate (shared tests only)"},
		{"all excluded on both sides", strip{"/t", "X"}, strip{"/t", "XX"}, compare.CodeExcluded, ": 1 in the base, 2 in the candidate (shared tests only)"},
		{"nothing but retries now", strip{"/t", "PPP"}, strip{"/t", "pp"}, compare.CodeRetries, "0 of the base, 2 of the candidate"},
		{"numbers that one side lacks", strip{"/t", of(12, 12)}, strip{"/t", of(12, 14)}, compare.CodeUnpaired, "0 of the base, 2 of the candidate"},
	} {
		numbered := c.code == compare.CodeUnpaired
		got := compared(t, run(t, numbered, c.base), run(t, numbered, c.candidate), compare.Defaults())
		if p := problemOf(got, c.code); p == nil || !strings.Contains(p.Message, c.want) {
			t.Errorf("%s: %+v, want %q", c.reason, p, c.want)
		}
		if test := got.Contrasts[0].Tests[0]; !numbered && test.State == compare.Unresolved && !strings.Contains(test.Reason, "nothing to compare") {
			t.Errorf("%s: the reason is %q", c.reason, test.Reason)
		}
	}
}

func problemOf(c *compare.Comparison, code string) *envelope.Problem {
	for i := range c.Problems {
		if c.Problems[i].Code == code {
			return &c.Problems[i]
		}
	}
	return nil
}

func TestListsAndExitCodes(t *testing.T) {
	base := run(t, false, strip{"/gone", "PP"}, strip{"/flaky", "PPPP"}, strip{"/broken", "PPFP"}, strip{"/skipped", "SS"}, strip{"/unseen", "PP"}, strip{"/was-flaky", "PF"}, strip{"/untried", "SX"})
	candidate := run(t, false, strip{"/new", "FF"}, strip{"/flaky", "PPFP"}, strip{"/broken", "FF"}, strip{"/skipped", "SS"}, strip{"/unseen", "XX"}, strip{"/was-flaky", "PF"}, strip{"/untried", "FF"})
	c := compared(t, base, candidate, compare.Defaults())
	want := compare.Summary{Tests: 6, Unresolved: 5, NotRun: 1, New: 1, Gone: 1, NewlyFlaky: 1, NewlyBroken: 1, NewFails: 2, NotTried: 1}
	if got := c.Contrasts[0].Summary; got != want {
		t.Errorf("summary %+v, want %+v", got, want)
	}
	if gone, found := c.Contrasts[0].Gone, c.Contrasts[0].New; gone[0].Test != "gone" || gone[0].N != 2 || found[0].Test != "new" || found[0].Status != envelope.Fail {
		t.Errorf("gone %+v, new %+v", gone, found)
	}
	// flaky, broken and was-flaky: 4 + 3 + 1 of 10 passed, and 3 + 0 + 1 of 8.
	if says := c.Contrasts[0].Run.Sentence(); !strings.HasPrefix(says, "in 3 shared tests, 8 of 10 trials passed before, 4 of 8 now: ") {
		t.Errorf("whose trials they are: %s", says)
	}
	for _, x := range []struct {
		failOn  string
		code    int
		reasons int
	}{
		{"regressed", 0, 0}, {"unresolved", 1, 1}, {"gone", 1, 2}, {"newly-flaky", 1, 1}, {"newly-broken", 1, 1}, {"new-fails", 1, 1},
		{"none", 0, 0}, {"gone newly-broken", 1, 3}, {"regressed gone", 1, 2},
	} {
		o := compare.Defaults()
		o.FailOn = strings.Fields(x.failOn)
		if g := compared(t, base, candidate, o).Gate; g.ExitCode != x.code || len(g.Reasons) != x.reasons {
			t.Errorf("--fail-on %s: exit %d, reasons %q", x.failOn, g.ExitCode, g.Reasons)
		}
	}
}

func TestNothingShared(t *testing.T) {
	key := func(variant string) envelope.Trial {
		return envelope.Trial{Key: envelope.Key{Test: "t", Variant: variant}, Status: envelope.Pass}
	}
	c := compared(t, sealed(t, envelope.Policy{}, key("opus")), sealed(t, envelope.Policy{}, key("sonnet")), compare.Defaults())
	if p := problemOf(c, compare.CodeNothingShared); p == nil || !strings.Contains(p.Message, "--by variant") || c.Gate.ExitCode != gate.ExitUnusable {
		t.Errorf("%v, exit %d: two variants of one test want another question", p, c.Gate.ExitCode)
	}
}

func TestDifferentPolicies(t *testing.T) {
	trial := envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass}
	wilson := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.5)}
	c := compared(t, sealed(t, envelope.Policy{}, trial), sealed(t, wilson, trial), compare.Defaults())
	if p := problemOf(c, envelope.CodePolicies); p == nil || !strings.Contains(p.Message, "rule") || !strings.Contains(p.Message, "only their trials are compared") || c.Gate.ExitCode != 0 {
		t.Errorf("%v, exit %d: it is said and no error", p, c.Gate.ExitCode)
	}
	if c := compared(t, sealed(t, wilson, trial), sealed(t, wilson, trial), compare.Defaults()); problemOf(c, envelope.CodePolicies) != nil {
		t.Error("one policy is no problem")
	}
}

// TestFamily: tests that could not show anything do not make it harder for the one that can.
func TestFamily(t *testing.T) {
	base, candidate := []strip{{"/bad", of(12, 12)}}, []strip{{"/bad", of(4, 12)}}
	for i := range 500 {
		name := fmt.Sprintf("/t%03d", i)
		base, candidate = append(base, strip{name, "PP"}), append(candidate, strip{name, "PF"})
	}
	c := compared(t, run(t, true, base...), run(t, true, candidate...), compare.Defaults())
	if c.Settings.Asked != 501 || c.Settings.Able != 1 {
		t.Errorf("%d asked, %d able", c.Settings.Asked, c.Settings.Able)
	}
	bad := c.Contrasts[0].Tests[0]
	near(t, "p of a family of one", bad.PAdjusted.V, 2./256)
	if bad.State != compare.Regressed {
		t.Errorf("%s in a family of one", bad.State)
	}
	if other := c.Contrasts[0].Tests[1]; other.PAdjusted.OK || !other.PValue.OK || other.State != compare.Unresolved {
		t.Errorf("a test outside the family: %+v", other.Finding)
	}
}

// TestAdjusted: with ten able tests, p = 2/2^8 times ten is more than 0.05 under
// holm; under bh ten such tests hold together.
func TestAdjusted(t *testing.T) {
	var base, candidate []strip
	for i := range 10 {
		base = append(base, strip{fmt.Sprintf("/t%d", i), of(8, 12)})
		candidate = append(candidate, strip{fmt.Sprintf("/t%d", i), of(0, 12)})
	}
	for adjust, want := range map[string]float64{"holm": 20. / 256, "bh": 2. / 256, "none": 2. / 256} {
		o := compare.Defaults()
		o.Adjust = adjust
		got := compared(t, run(t, true, base...), run(t, true, candidate...), o).Contrasts[0]
		near(t, adjust, got.Tests[0].PAdjusted.V, want)
		if regressed := got.Tests[0].State == compare.Regressed; regressed != (want <= 0.05) {
			t.Errorf("%s: %s at p = %v", adjust, got.Tests[0].State, want)
		}
	}
}

func TestOverall(t *testing.T) {
	base := run(t, true, strip{"/a", of(9, 10)}, strip{"/b", of(8, 10)}, strip{"/c", of(10, 10)})
	candidate := run(t, true, strip{"/a", of(5, 10)}, strip{"/b", of(6, 10)}, strip{"/c", of(6, 10)})
	got := compared(t, base, candidate, compare.Defaults()).Contrasts[0].Run
	near(t, "pooled McNemar of 10 and 0", got.PValue.V, 2./1024)
	near(t, "difference", got.Difference.Value, -10./30)
	// Differences -0.4, -0.2, -0.4: deviation 0.11547, t(2) = 4.30265.
	half := 4.302652729749464 * math.Sqrt(0.04/3) / math.Sqrt(3)
	if got.Difference.Method != "clustered-by-test" || math.Abs(got.Difference.Hi-(-10./30+half)) > 1e-9 {
		t.Errorf("interval %+v, want half-width %v", got.Difference, half)
	}
	if got.State != compare.Regressed || got.Method != "mcnemar-exact" || got.Pairs.N() != 30 {
		t.Errorf("%s by %s: no test alone, but all together", got.State, got.Method)
	}
}

// TestSimpson: each test got better, the pooled rate got worse, for the candidate tried the hard test more often.
func TestSimpson(t *testing.T) {
	base := run(t, false, strip{"/easy", of(81, 90)}, strip{"/hard", of(1, 10)})
	candidate := run(t, false, strip{"/easy", of(10, 10)}, strip{"/hard", of(27, 90)})
	got := compared(t, base, candidate, compare.Defaults()).Contrasts[0].Run
	if got.Method != "cochran-mantel-haenszel" || !(got.Difference.Value > 0) {
		t.Errorf("%s, difference %+v: tests are compared within themselves", got.Method, got.Difference)
	}
	near(t, "weights 9 and 9", got.Difference.Value, (0.1+0.2)/2)
}

// TestNoSpread: tests that agree wholly do not give certainty.
func TestNoSpread(t *testing.T) {
	var strips []strip
	for i := range 5 {
		strips = append(strips, strip{fmt.Sprintf("/t%d", i), "PP"})
	}
	got := compared(t, run(t, true, strips...), run(t, true, strips...), compare.Defaults()).Contrasts[0].Run
	if got.State != compare.Unresolved || got.Difference.Method != "stratified-score" || !(got.Difference.Hi > 0.2) {
		t.Errorf("%s %+v: ten trials a side rule out little", got.State, got.Difference)
	}
}

func TestMeasurements(t *testing.T) {
	timed := func(ms ...float64) *envelope.Envelope {
		var trials []envelope.Trial
		for _, v := range ms {
			trials = append(trials, envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass, DurationMS: envelope.Some(v), SetupMS: envelope.Some(1e6 / v)})
		}
		trials = append(trials, envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Skip, DurationMS: envelope.Some(9e9)})
		return sealed(t, envelope.Policy{}, trials...)
	}
	c := compared(t, timed(1, 2, 3, 4, 5, 6), timed(10, 20, 30, 40, 50, 60), compare.Defaults())
	got := c.Contrasts[0].Tests[0].DurationMS
	near(t, "p, 2/C(12,6)", got.PValue.V, 2./924)
	near(t, "change", got.Change.V, 9)
	if got.Base != 3.5 || got.Candidate != 35 || got.NBase != 6 || got.BaseLo.V != 1 || got.BaseHi.V != 6 || got.CandidateLo.V != 10 || got.CandidateHi.V != 60 || !got.Sure || c.Contrasts[0].SureWords(compare.Took) != "; changed beyond chance: t +900 %" {
		t.Errorf("%+v: medians of counted trials without setup", got)
	}
	if c.Contrasts[0].Tests[0].CostUSD != nil {
		t.Error("a cost that nobody reports")
	}
	near(t, "change of the run", c.Contrasts[0].Run.DurationMS.Change.V, 9)
	if few := compared(t, timed(1, 2, 3), timed(10, 20, 30), compare.Defaults()).Contrasts[0].Tests[0].DurationMS; few.Sure || few.BaseLo.OK || few.CandidateHi.OK {
		t.Errorf("%+v: three against three is p = 0.1 at best, and three values give no interval at 95 %%", few)
	}
	if zero := compared(t, timed(0), timed(1), compare.Defaults()).Contrasts[0].Tests[0].DurationMS; zero.Change.OK {
		t.Errorf("%+v: nothing is a multiple of 0", zero)
	}
}

// TestFromNothing: a sure change that is no percentage says which way it went, and not
// that chance may explain it. p is that of R 4.2.2: wilcox.test(rep(0,8), rep(0.1,8)).
func TestFromNothing(t *testing.T) {
	costing := func(usd float64) *envelope.Envelope {
		var trials []envelope.Trial
		for range 8 {
			trials = append(trials, envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass, CostUSD: envelope.Some(usd)})
		}
		return sealed(t, envelope.Policy{}, trials...)
	}
	for _, c := range []struct {
		base, candidate float64
		says            string
		p               float64
	}{
		{0, 0.1, "more", 0.0001375860572},
		{0.1, 0, "less", 0.0001375860572},
		{0, 0, "~", 1},
	} {
		found := compared(t, costing(c.base), costing(c.candidate), compare.Defaults()).Contrasts[0]
		near(t, "p", found.Tests[0].CostUSD.PValue.V, c.p)
		for _, m := range []*compare.Measurement{found.Tests[0].CostUSD, found.Run.CostUSD} {
			if got := m.Relative(); got != c.says {
				t.Errorf("from %v to %v: %q, want %q", c.base, c.candidate, got, c.says)
			}
		}
	}
}

// TestMeansKnowNoZero: the tests that rose from 0 or fell to it are told beside the means of the others, which say
// sqrt(1 * 4) = 2 before and sqrt(1 * 16) = 4 now. The p-value is of all tests.
func TestMeansKnowNoZero(t *testing.T) {
	costing := func(usd map[string]float64) *envelope.Envelope {
		var trials []envelope.Trial
		for _, name := range slices.Sorted(maps.Keys(usd)) {
			for range 8 {
				trials = append(trials, envelope.Trial{Key: envelope.Key{Test: name}, Status: envelope.Pass, CostUSD: envelope.Some(usd[name])})
			}
		}
		return sealed(t, envelope.Policy{}, trials...)
	}
	before := map[string]float64{"a": 1, "b": 4, "free": 0, "free too": 0, "never": 0, "paid": 3}
	now := map[string]float64{"a": 1, "b": 16, "free": 5, "free too": 6, "never": 0, "paid": 0}
	got := compared(t, costing(before), costing(now), compare.Defaults()).Contrasts[0].Run.CostUSD
	near(t, "before", got.Base, 2)
	near(t, "now", got.Candidate, 4)
	if got.FromZero != 2 || got.ToZero != 1 || got.ApartFrom() != ", apart from 2 tests up from 0 and 1 test down to 0" {
		t.Errorf("%d from 0, %d to 0: %q", got.FromZero, got.ToZero, got.ApartFrom())
	}
	if alone := compared(t, costing(map[string]float64{"free": 0}), costing(map[string]float64{"free": 5}), compare.Defaults()).Contrasts[0].Run.CostUSD; alone.ApartFrom() != "" || alone.Candidate != 5 {
		t.Errorf("%+v: with no other test the medians are those of all trials", alone)
	}
}

// TestSwapped: what regressed one way improved the other way.
func TestSwapped(t *testing.T) {
	mirror := map[compare.State]compare.State{compare.Regressed: compare.Improved, compare.Improved: compare.Regressed,
		compare.Unresolved: compare.Unresolved, compare.Equivalent: compare.Equivalent}
	for _, numbered := range []bool{true, false} {
		a := run(t, numbered, strip{"/a", of(12, 12)}, strip{"/b", of(3, 12)}, strip{"/c", of(400, 400)})
		b := run(t, numbered, strip{"/a", of(2, 12)}, strip{"/b", of(4, 12)}, strip{"/c", of(400, 400)})
		there, back := compared(t, a, b, compare.Defaults()).Contrasts[0], compared(t, b, a, compare.Defaults()).Contrasts[0]
		for i := range there.Tests {
			x, y := there.Tests[i], back.Tests[i]
			if y.State != mirror[x.State] || x.PValue != y.PValue || math.Abs(x.Difference.Lo+y.Difference.Hi) > 1e-12 {
				t.Errorf("%s: %+v and %+v", x.Key, x.Finding, y.Finding)
			}
		}
		if there.Run.State != mirror[back.Run.State] {
			t.Errorf("run %s and %s", there.Run.State, back.Run.State)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*compare.Options)
		says   string
	}{
		{"a percentage as a fraction", func(o *compare.Options) { o.Confidence = 95 }, "80 to 99.9"},
		{"no number", func(o *compare.Options) { o.Margin = math.NaN() }, "margin"},
		{"points for a fraction", func(o *compare.Options) { o.Margin = 5 }, "0.05"},
		{"misspelt", func(o *compare.Options) { o.Adjust = "hoim" }, "holm"},
		{"misspelt", func(o *compare.Options) { o.FailOn = []string{"regresed"} }, "regressed"},
		{"none and something", func(o *compare.Options) { o.FailOn = []string{"none", "gone"} }, "excludes other values"},
		{"unknown pairing", func(o *compare.Options) { o.Pairing = "maybe" }, "pairing"},
	} {
		o := compare.Defaults()
		c.change(&o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want words like %q", c.reason, err, c.says)
		}
	}
}

func TestWhatIsNoEnvelopeIsAnError(t *testing.T) {
	whole := compare.Input{Name: "whole", Envelope: run(t, true, strip{"/t", "P"})}
	for _, c := range []struct {
		bad    *envelope.Envelope
		reason string
	}{
		{nil, "no envelope"},
		{&envelope.Envelope{Tests: make([]envelope.Test, 1)}, "no rows"},
	} {
		bad := compare.Input{Name: "bad", Envelope: c.bad}
		_, before := compare.Runs("", bad, []compare.Input{whole}, nil, compare.Defaults())
		_, after := compare.Runs("", whole, []compare.Input{bad}, nil, compare.Defaults())
		for _, err := range []error{before, after} {
			if err == nil || !strings.Contains(err.Error(), "cannot compare bad: ") || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("%s: %v", c.reason, err)
			}
		}
	}
}

func TestRanked(t *testing.T) {
	base := run(t, true, strip{"/better", of(0, 10)}, strip{"/broken", "PF"}, strip{"/same", of(300, 300)}, strip{"/shaky", "PPP"}, strip{"/worse", of(10, 10)}, strip{"/hazy", of(5, 10)})
	candidate := run(t, true, strip{"/better", of(10, 10)}, strip{"/broken", "FF"}, strip{"/same", of(300, 300)}, strip{"/shaky", "PPF"}, strip{"/worse", of(0, 10)}, strip{"/hazy", of(4, 10)})
	var names []string
	for _, x := range compared(t, base, candidate, compare.Defaults()).Contrasts[0].Ranked() {
		names = append(names, x.Test)
	}
	if got, want := strings.Join(names, " "), "worse broken better hazy shaky same"; got != want {
		t.Errorf("ranked %s, want %s", got, want)
	}
}

// TestUneven: trials that together point one way say nothing of the run where some tests rose and others fell.
func TestUneven(t *testing.T) {
	base := run(t, true, strip{"/a", of(30, 30)}, strip{"/b", of(30, 30)}, strip{"/c", of(10, 30)})
	candidate := run(t, true, strip{"/a", of(0, 30)}, strip{"/b", of(20, 30)}, strip{"/c", of(20, 30)})
	got := compared(t, base, candidate, compare.Defaults()).Contrasts[0].Run
	if got.State != compare.Unresolved || !(got.PValue.V < 0.001) || !strings.Contains(got.Reason, "differ too much") {
		t.Errorf("%s at p = %v: %s", got.State, got.PValue, got.Reason)
	}
}

// TestShown: many tests that are newly flaky by chance do not bury the ones that
// changed, and what is not listed is counted.
func TestShown(t *testing.T) {
	base, candidate := []strip{{"/worse", of(10, 10)}, {"/near", of(9, 10)}}, []strip{{"/worse", of(0, 10)}, {"/near", of(4, 10)}}
	for i := range 50 {
		name := fmt.Sprintf("/t%02d", i)
		base, candidate = append(base, strip{name, of(10, 10)}), append(candidate, strip{name, of(9, 10)})
	}
	x := &compared(t, run(t, true, base...), run(t, true, candidate...), compare.Defaults()).Contrasts[0]
	shown, hidden := x.Shown(10, 5)
	if len(shown) != 6 || shown[0].Test != "worse" || shown[1].Test != "near" {
		t.Errorf("%d shown, first %s, %s", len(shown), shown[0].Key, shown[1].Key)
	}
	if len(hidden) != 1 || hidden[compare.Unresolved] != 46 {
		t.Errorf("not listed: %v", hidden)
	}
}

func TestSigned(t *testing.T) {
	for v, want := range map[float64]string{0: "0", -0.0000001: "0", 0.65: "+65", -0.0226: "-2.3", 0.0005: "+0.05", 1: "+100", -1: "-100", 0.945: "+94.5", 9: "+900"} {
		if got := compare.Signed(v); got != want {
			t.Errorf("Signed(%v) = %q, want %q", v, got, want)
		}
	}
}
