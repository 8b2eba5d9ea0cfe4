package verdict

import (
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/each"
	"tribunal/policy"
)

// seal judges one test given as a strip: P F E S as they are, x an excluded infrastructure error, r a retry that passed,
// f one that failed, X one that is excluded.
func seal(t *testing.T, strip string, p envelope.Policy) envelope.Test {
	t.Helper()
	env, err := sealAll(map[string]string{"t": strip}, p)
	if err != nil {
		t.Fatal(err)
	}
	return env.Tests[0]
}

func sealAll(strips map[string]string, p envelope.Policy) (*envelope.Envelope, error) {
	policy, err := Resolve(p)
	if err != nil {
		return nil, err
	}
	b := count.NewBuilder(5, 0.5)
	in := b.Input("stream", "native")
	for name, strip := range strips {
		suite, test, ok := strings.Cut(name, "/")
		if !ok {
			suite, test = "", name
		}
		for _, c := range strip {
			tr := envelope.Trial{Key: envelope.Key{Suite: suite, Test: test}}
			switch c {
			case 'P':
				tr.Status = envelope.Pass
			case 'F':
				tr.Status = envelope.Fail
			case 'E':
				tr.Status = envelope.Error
			case 'S':
				tr.Status = envelope.Skip
			case 'x':
				tr.Status, tr.ErrorClass = envelope.Error, envelope.ClassInfrastructure
			case 'X':
				tr.Status, tr.ErrorClass, tr.Retry = envelope.Error, envelope.ClassInfrastructure, true
			case 'r':
				tr.Status, tr.Retry = envelope.Pass, true
			case 'f':
				tr.Status, tr.Retry = envelope.Fail, true
			}
			in.Trial(&tr)
		}
	}
	in.Close()
	return Seal(b.Run(policy.OnConflict, 5), policy)
}

func under(name string, threshold float64) envelope.Policy {
	p := envelope.Policy{Rule: name}
	if threshold > 0 {
		p.Threshold = envelope.Some(threshold)
	}
	return p
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }

func TestRules(t *testing.T) {
	on := envelope.Policy{Rule: InconclusiveRule}
	for _, c := range []struct {
		reason string
		strip  string
		policy envelope.Policy
		want   envelope.Status
		judged string // the rule that judged
	}{
		{"the default asks for every repeat", "PPPP", envelope.Policy{}, "pass", "all"},
		{"one fail among repeats", "PPPF", envelope.Policy{}, "fail", "all"},
		{"an error counts as not passed", "PPE", envelope.Policy{}, "fail", "all"},
		{"a retried test passes when one try does", "Fr", envelope.Policy{}, "pass", "any"},
		{"a retried test that never passed", "Fff", envelope.Policy{}, "fail", "any"},
		{"repeats with retries: each repeat must pass", "PFrP", envelope.Policy{}, "pass", "all"},
		{"repeats with retries: one repeat never passed", "PFfP", envelope.Policy{}, "fail", "all"},
		{"a retry of an excluded trial is not one of the failure before it", "Fxr", envelope.Policy{}, "fail", "all"},
		{"a retry that was excluded does not end its repeat", "FXr", envelope.Policy{}, "pass", "any"},
		{"an excluded trial and its retry are one repeat", "xr", envelope.Policy{}, "pass", "any"},
		{"what was skipped is not what a retry retries", "FSr", envelope.Policy{}, "pass", "any"},
		{"rule all, asked for, means retries too", "Fr", under("all", 0), "fail", "all"},
		{"pass_hat_k is all", "PF", under("pass_hat_k", 0), "fail", "all"},
		{"any", "FFP", under("any", 0), "pass", "any"},
		{"pass_at_k is any", "FFF", under("pass_at_k", 0), "fail", "any"},
		{"exactly half is no majority", "PPFF", under("majority", 0), "fail", "majority"},
		{"more than half", "PPPFF", under("majority", 0), "pass", "majority"},
		{"mean of passes against the default of 0.5: reached", "PF", under("mean", 0), "pass", "mean"},
		{"mean below", "PFF", under("mean", 0), "fail", "mean"},
		{"wald, alone, is 0.5 at 95 % from 5 trials: 4 are too few", "PPPP", on, "inconclusive", "wald"},
		{"wald: 5 of 5 has the interval 1 to 1", "PPPPP", on, "pass", "wald"},
		{"wald: 0 of 5", "FFFFF", on, "fail", "wald"},
		{"wald: 8 of 10 is 0.552 to 1.048", "PPPPPPPPFF", on, "pass", "wald"},
		{"wald: 7 of 10 is 0.416 to 0.984", "PPPPPPPFFF", on, "inconclusive", "wald"},
		{"wilson: 35 straight passes reach 0.90 at 95 %", repeat("P", 35), under("wilson", 0.9), "pass", "wilson"},
		{"wilson: 34 do not", repeat("P", 34), under("wilson", 0.9), "inconclusive", "wilson"},
		{"exact: 0.025^(1/n) > 0.9 from n = 36", repeat("P", 36), under("exact", 0.9), "pass", "exact"},
		{"exact: 35 are not enough", repeat("P", 35), under("exact", 0.9), "inconclusive", "exact"},
		{"bayes: 1 - 0.9^(n+1) >= 0.95 from n = 28", repeat("P", 28), under("bayes", 0.9), "pass", "bayes"},
		{"bayes: 27 are not enough", repeat("P", 27), under("bayes", 0.9), "inconclusive", "bayes"},
		{"bayes: 9 of 9 at 0.995 leaves 1 - 0.995^10 = 0.049, which the prior alone is below", repeat("P", 9), under("bayes", 0.995), "inconclusive", "bayes"},
		{"bayes: 8 of 9 are 0.0011, and below 0.995", repeat("P", 8) + "F", under("bayes", 0.995), "fail", "bayes"},
		{"bayes: 1 - 0.995^(n+1) >= 0.95 from n = 597", repeat("P", 597), under("bayes", 0.995), "pass", "bayes"},
		{"t-interval of equal scores does not say how they vary", "PPPPP", under("confidence_interval", 0.9), "inconclusive", "t-interval"},
		{"nor of two distinct ones", "PPPPPPPPPF", under("t-interval", 0.5), "inconclusive", "t-interval"},
		{"bounded-mean on passes is exact: 0.025^(1/n) > 0.9 from n = 36", repeat("P", 36), under("bounded-mean", 0.9), "pass", "bounded-mean"},
		{"bounded-mean: 35 are not enough", repeat("P", 35), under("bounded-mean", 0.9), "inconclusive", "bounded-mean"},
		{"bounded-mean: 1 of 10 is 0.0025 to 0.445", "PFFFFFFFFF", under("bounded-mean", 0.5), "fail", "bounded-mean"},
		{"bounded-mean on 1 to 5: a pass is 5", repeat("P", 36), envelope.Policy{Rule: "bounded-mean", Threshold: envelope.Some(4.6), ScoreRange: "1..5"}, "pass", "bounded-mean"},
		{"sprt: 14 straight passes", repeat("P", 14), under("sprt", 0.9), "pass", "sprt"},
		{"sprt: 13 are not enough", repeat("P", 13), under("sprt", 0.9), "inconclusive", "sprt"},
		{"sprt: P F F P F F F", "PFFPFFF", under("sprt", 0.9), "fail", "sprt"},
		{"anytime: 12 straight passes", repeat("P", 12), under("anytime", 0.9), "pass", "anytime"},
		{"anytime: 2 straight failures", "FF", under("anytime", 0.9), "fail", "anytime"},
		{"anytime: six failures after twelve passes have E_fail 11.1 of 20", repeat("P", 12) + repeat("F", 6), under("anytime", 0.9), "pass", "anytime"},
		{"anytime: seven have 39", repeat("P", 12) + repeat("F", 7), under("anytime", 0.9), "fail", "anytime"},
		{"anytime: sixty fail it, whatever came first", repeat("P", 12) + repeat("F", 60), under("anytime", 0.9), "fail", "anytime"},
		{"anytime: no pass overrides a fail", "FF" + repeat("P", 400), under("anytime", 0.9), "fail", "anytime"},
		{"sprt: one failure of one after 14 passes has 0.1 at 0.9", repeat("P", 14) + "F", under("sprt", 0.9), "pass", "sprt"},
		{"sprt: two of two have 0.01: the pass is contradicted", repeat("P", 14) + "FF", under("sprt", 0.9), "inconclusive", "sprt"},
		{"sprt: 3 of 5 have 0.081", repeat("P", 14) + "FFPPP", under("sprt", 0.9), "pass", "sprt"},
		{"sprt: sixty failures", repeat("P", 14) + repeat("F", 60), under("sprt", 0.9), "inconclusive", "sprt"},
		{"sprt: a fail stands, whatever comes", "PFFPFFF" + repeat("P", 100), under("sprt", 0.9), "fail", "sprt"},
		{"all skipped", "SS", envelope.Policy{}, "skip", "all"},
		{"nothing counted", "xxS", envelope.Policy{}, "error", "all"},
		{"excluded trials do not fail a test", "PPx", envelope.Policy{}, "pass", "all"},
		{"coverage below the floor", "Pxx", envelope.Policy{MinCoverage: envelope.Some(0.5)}, "inconclusive", "all"},
		{"skips do not lower coverage", "PSSS", envelope.Policy{MinCoverage: envelope.Some(0.5)}, "pass", "all"},
	} {
		got := seal(t, c.strip, c.policy)
		if got.Status != c.want || got.Verdict.Rule != c.judged {
			t.Errorf("%s: %s by %s, want %s by %s (%s)", c.reason, got.Status, got.Verdict.Rule, c.want, c.judged, got.Verdict.Reason)
		}
		if got.Verdict.Reason == "" {
			t.Errorf("%s: no reason", c.reason)
		}
	}
}

func TestSequentialRulesSayWhereTheyStopped(t *testing.T) {
	for _, c := range []struct {
		strip, rule string
		want        int
	}{
		{repeat("P", 20), "sprt", 14}, {"PFFPFFFPPP", "sprt", 7}, {repeat("P", 20), "anytime", 12}, {"FFPP", "anytime", 2},
		{repeat("P", 12) + repeat("F", 60), "anytime", 19}, {repeat("P", 14) + "FF", "sprt", 14},
	} {
		v := seal(t, c.strip, under(c.rule, 0.9)).Verdict
		if v.StoppedAt.V != c.want || !v.ValidUnderPeeking.V {
			t.Errorf("%s on %s stopped at %d, want %d; valid under peeking %v", c.rule, c.strip, v.StoppedAt.V, c.want, v.ValidUnderPeeking)
		}
	}
}

// TestWhatCameAfterAPass: both numbers of a pass that is taken back are told, in words and in fields: P(X <= 2 of 10 | 0.9) = 3.74e-7.
func TestWhatCameAfterAPass(t *testing.T) {
	v := seal(t, repeat("P", 14)+"FFFFPPFFFF", under("sprt", 0.9)).Verdict
	c := v.Contradicted
	if c == nil || c.N != 10 || c.Passed != 2 || math.Abs(c.PValue-3.736e-7) > 1e-10 || c.Level != 0.05 {
		t.Errorf("%+v, want 2 of 10 at 3.74e-7", c)
	}
	for _, says := range []string{"stopped with a pass", "14 of 14 trials passed", "contradicted-after-stop", "only 2 of 10 later trials passed", "3.74e-07", "below the limit of 0.05"} {
		if !strings.Contains(v.Reason, says) {
			t.Errorf("%q does not say %q", v.Reason, says)
		}
	}
	if v := seal(t, repeat("P", 14)+"FP", under("sprt", 0.9)).Verdict; v.Contradicted != nil || strings.Contains(v.Reason, "contradict") {
		t.Errorf("a pass that stands: %+v", v)
	}
	for outcomes, says := range map[string]string{
		repeat("P", 12): "stopped with a pass after 12 trials: a rate above 0.8 is shown (",
		"FF":            "stopped with a fail after 2 trials: a rate below 0.9 is shown (",
		"P":             "not decided after 1 trial: neither a rate above 0.8 nor one below 0.9 is shown yet (",
	} {
		if v := seal(t, outcomes, under("anytime", 0.9)).Verdict; !strings.HasPrefix(v.Reason, says) {
			t.Errorf("%s: %q, want %q", outcomes, v.Reason, says)
		}
	}
	if v := seal(t, repeat("P", 12)+repeat("F", 8), under("anytime", 0.9)).Verdict; !strings.Contains(v.Reason, "stopped with a fail") || !strings.Contains(v.Reason, "overrides the pass it had after 12 trials") {
		t.Errorf("%q does not say which pass is overridden", v.Reason)
	}
}

func TestRetriesAreOfTheirRun(t *testing.T) {
	trial := func(run string, status envelope.Status, class string, retry bool) envelope.Trial {
		return envelope.Trial{Key: envelope.Key{Test: "t"}, Run: run, Status: status, ErrorClass: class, Retry: retry}
	}
	P, F, E := envelope.Pass, envelope.Fail, envelope.Error
	for _, c := range []struct {
		reason string
		trials []envelope.Trial
		want   envelope.Status
		says   string
	}{
		{"run b retries its own trial, and not that of run a", []envelope.Trial{trial("a", F, "", false), trial("b", E, envelope.ClassInfrastructure, false), trial("b", P, "", true)},
			F, "1 of 2 repeats did not pass, retries included (2 trials)"},
		{"a run that begins with a retry", []envelope.Trial{trial("a", F, "", false), trial("b", P, "", true)}, F, "1 of 2 repeats did not pass"},
		{"runs whose trials came in turns", []envelope.Trial{trial("a", F, "", false), trial("b", F, "", false), trial("a", P, "", true), trial("b", P, "", true)},
			P, "each of 2 repeats passed"},
	} {
		if got := sealTrials(t, envelope.Policy{}, c.trials...); got.Status != c.want || !strings.Contains(got.Verdict.Reason, c.says) {
			t.Errorf("%s: %s, %s; want %s, %s", c.reason, got.Status, got.Verdict.Reason, c.want, c.says)
		}
	}
}

// TestARetryUnderTheAttemptOfItsFirstTry: a runner that numbers repeats, and not their
// tries, has the retry behind the try whatever both took, in either order.
func TestARetryUnderTheAttemptOfItsFirstTry(t *testing.T) {
	for ms := range 16 {
		first, again := failure("", 0, float64(ms)), failure("", 0, 1)
		again.Status, again.Retry = envelope.Pass, true
		for _, trials := range [][]envelope.Trial{{first, again}, {again, first}} {
			got := sealTrials(t, envelope.Policy{}, trials...)
			if got.Status != envelope.Pass || got.Rows.Outcome.String() != "FP" {
				t.Errorf("a first try of %d ms: %s, %s: %s", ms, got.Status, got.Rows.Outcome, got.Verdict.Reason)
			}
		}
	}
}

// TestRepeatsThatWereRetried: where one try is enough for a repeat, the rule judges repeats; any other rule for retries
// judges all trials. Both outcomes and every expected verdict are counted by hand.
func TestRepeatsThatWereRetried(t *testing.T) {
	trial := func(run string, status envelope.Status, retry bool) envelope.Trial {
		return envelope.Trial{Key: envelope.Key{Test: "t"}, Run: run, Status: status, Retry: retry}
	}
	P, F := envelope.Pass, envelope.Fail
	mended := []envelope.Trial{trial("a", F, false), trial("a", F, true), trial("a", P, true), trial("b", P, false)}
	broken := []envelope.Trial{trial("a", F, false), trial("a", F, true), trial("b", F, false), trial("b", P, true), trial("c", P, false)}
	for _, c := range []struct {
		reason      string
		rule, retry string
		trials      []envelope.Trial
		want        envelope.Status
		says        string
	}{
		{"both repeats passed in the end", "all", "any", mended, P, "each of 2 repeats passed"},
		{"two of four trials did not pass", "all", "all", mended, F, "2 of 4 trials did not pass"},
		{"half of the trials is no majority", "all", "majority", mended, F, "2 of 4 trials passed"},
		{"one repeat of three never passed", "all", "any", broken, F, "1 of 3 repeats did not pass"},
		{"two repeats of three are a majority", "majority", "any", broken, P, "2 of 3 repeats passed"},
		{"two repeats of three are more than one", "any", "any", broken, P, "2 of 3 repeats passed"},
		{"two trials of five are no majority", "any", "majority", broken, F, "2 of 5 trials passed"},
	} {
		got := sealTrials(t, envelope.Policy{Rule: c.rule, RetryRule: c.retry}, c.trials...)
		if got.Status != c.want || !strings.Contains(got.Verdict.Reason, c.says) {
			t.Errorf("%s under %s, retries under %s: %s, %s; want %s, %s", c.reason, c.rule, c.retry, got.Status, got.Verdict.Reason, c.want, c.says)
		}
	}
}

func TestWhatIsValidUnderPeeking(t *testing.T) {
	for _, rule := range []envelope.Policy{under("sprt", 0.9), under("anytime", 0.9)} {
		if v := seal(t, "PPPF", rule).Verdict; !v.ValidUnderPeeking.V {
			t.Errorf("%s: trials one after the other: %+v", rule.Rule, v)
		}
		if v := seal(t, "PFrP", rule).Verdict; v.ValidUnderPeeking != envelope.Some(false) || !strings.Contains(v.Reason, "not independent") {
			t.Errorf("%s: retries are no trials of their own: %+v", rule.Rule, v)
		}
		if v := sealTrials(t, rule, failure("a", 0, 1), failure("b", 0, 2), failure("b", 1, 3)).Verdict; !v.ValidUnderPeeking.V {
			t.Errorf("%s: each trial has its run and attempt: %+v", rule.Rule, v)
		}
		if v := sealTrials(t, rule, failure("", 0, 1), failure("", 0, 2), failure("", 1, 3)).Verdict; v.ValidUnderPeeking != envelope.Some(false) || !strings.Contains(v.Reason, "2 trials share run and attempt") {
			t.Errorf("%s: two trials share one place: %+v", rule.Rule, v)
		}
	}
}

// failure is one that took so long.
func failure(run string, attempt int32, ms float64) envelope.Trial {
	return envelope.Trial{Key: envelope.Key{Test: "t"}, Run: run, Attempt: envelope.Some(attempt), Status: envelope.Fail, DurationMS: envelope.Some(ms)}
}

// sealTrials judges the one test of some trials.
func sealTrials(t *testing.T, p envelope.Policy, trials ...envelope.Trial) envelope.Test {
	t.Helper()
	return sealRun(t, p, trials...).Tests[0]
}

// sealRun judges a run of some trials.
func sealRun(t *testing.T, p envelope.Policy, trials ...envelope.Trial) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	in := b.Input("s", "native")
	for i := range trials {
		in.Trial(&trials[i])
	}
	in.Close()
	return sealBuilt(t, b, p)
}

// TestEvidencePath: 14 straight passes at 0.9 against 0.8 add log(9/8) each, and the bounds are log(0.05/0.8) and log(0.95/0.2).
func TestEvidencePath(t *testing.T) {
	v := seal(t, repeat("P", 20), under("sprt", 0.9)).Verdict
	if h := v.Hypotheses; h == nil || h.P0 != 0.9 || math.Abs(h.P1-0.8) > 1e-12 || h.Alpha != 0.05 || h.Beta != 0.2 {
		t.Errorf("hypotheses %+v", h)
	}
	if words := seal(t, "PF", under("sprt", 0.8)).Verdict.Reason; !strings.Contains(words, "a rate above 0.7 nor one below 0.8 is") {
		t.Errorf("0.8 - 0.1 is 0.7 to people: %q", words)
	}
	e := v.Evidence[0]
	if len(e.Path) != 14 || math.Abs(e.Path[13]-14*math.Log(9.0/8)) > 1e-9 || math.Abs(e.PassAt.V-math.Log(4.75)) > 1e-9 || math.Abs(e.FailAt.V-math.Log(0.0625)) > 1e-9 {
		t.Errorf("evidence %+v", e)
	}
}

// TestEvidenceOfAnytime: the bounds are log(1/0.05) and log(1/0.2), and two failures are enough at 0.9: both paths end there.
func TestEvidenceOfAnytime(t *testing.T) {
	v := seal(t, "FFPP", under("anytime", 0.9)).Verdict
	if len(v.Evidence) != 2 || len(v.Evidence[0].Path) != 2 || len(v.Evidence[1].Path) != 2 {
		t.Fatalf("%+v", v.Evidence)
	}
	toFail, toPass := v.Evidence[0], v.Evidence[1]
	if math.Abs(toFail.FailAt.V-math.Log(20)) > 1e-9 || toFail.PassAt.OK || math.Abs(toPass.PassAt.V-math.Log(5)) > 1e-9 || toPass.FailAt.OK {
		t.Errorf("bounds of %+v and %+v", toFail, toPass)
	}
	if toFail.Path[1] < toFail.FailAt.V || toPass.Path[1] >= toPass.PassAt.V {
		t.Errorf("%v fails at %v, %v passes at %v", toFail.Path, toFail.FailAt.V, toPass.Path, toPass.PassAt.V)
	}
}

func TestIntervalsOfTheVerdict(t *testing.T) {
	for _, c := range []struct {
		reason string
		strip  string
		policy envelope.Policy
		lo, hi float64
	}{
		{"0.8 +- 1.96 sqrt(0.016)", "PPPPPPPPFF", under("wald", 0.5), 0.5520774, 1.0479226},
		{"(0.8 + 3.8416/20 -+ 1.96 sqrt(0.016 + 3.8416/400)) / 1.38416", "PPPPPPPPFF", under("wilson", 0.5), 0.4901568, 0.9433191},
	} {
		v := seal(t, c.strip, c.policy).Verdict
		if v.Interval == nil || math.Abs(v.Interval.Lo-c.lo) > 1e-6 || math.Abs(v.Interval.Hi-c.hi) > 1e-6 {
			t.Errorf("%s: %+v, want %v to %v", c.reason, v.Interval, c.lo, c.hi)
		}
	}
}

func TestReliabilityOfOneTest(t *testing.T) {
	for _, c := range []struct {
		strip              string
		curve              []int
		variance, graceful int
	}{
		{"PPPF", []int{100, 100, 100, 31}, 87, 60},
		{"PFPF", nil, 100, 40},
		{"FPPP", nil, 87, 90},
	} {
		r := seal(t, c.strip, envelope.Policy{}).Reliability
		if r.VarianceAmplification != c.variance || r.GracefulDegradation != c.graceful {
			t.Errorf("%s: variance %d graceful %d, want %d and %d", c.strip, r.VarianceAmplification, r.GracefulDegradation, c.variance, c.graceful)
		}
		for i, want := range c.curve {
			if r.Curve[i] != want {
				t.Errorf("%s: curve %v, want %v", c.strip, r.Curve, c.curve)
			}
		}
	}
}

func TestRatesAndBracket(t *testing.T) {
	got := seal(t, "PPPFxS", envelope.Policy{})
	if v := got.Rate.PerProtocol.Value; v != 0.75 {
		t.Errorf("per protocol %v, want 3 of 4", v)
	}
	if v := got.Rate.IntentToTreat.Value; v != 0.6 {
		t.Errorf("intent to treat %v, want 3 of 5", v)
	}
	if b := got.Rate.Bracket; b.Lo != 0.6 || b.Hi != 0.8 {
		t.Errorf("bracket %v, want 3/5 to 4/5", b)
	}
	if e := got.Trials.Excluded; e["infrastructure"] != 1 || e["skip"] != 1 || len(e) != 2 {
		t.Errorf("excluded %v", e)
	}
	if got.Rows.Outcome.String() != "PPPFXS" || !got.Flaky {
		t.Errorf("strip %s, flaky %v", got.Rows.Outcome, got.Flaky)
	}
}

func TestResolveRefuses(t *testing.T) {
	some := envelope.Some[float64]
	for _, c := range []struct {
		reason string
		policy envelope.Policy
		says   string
	}{
		{"an unknown rule names the near one", under("wilsn", 0.9), "did you mean wilson"},
		{"a rule of two variants leads to what judges them", under("paired", 0.9), "use tribunal run --rule paired --variants old,new"},
		{"wilson without a threshold", under("wilson", 0), "needs a threshold"},
		{"threshold 1 cannot be shown", under("wald", 1), "above 0 and below 1"},
		{"confidence 50", envelope.Policy{Confidence: some(0.5)}, "80 to 99.9 percent"},
		{"sprt threshold 1", under("sprt", 1), "for every trial to pass, use rule all"},
		{"anytime threshold 1", under("anytime", 1), "for every trial to pass, use rule all"},
		{"a slip for 0.9 or 90%", under("anytime", 9), "did you mean 0.9 or 9%?"},
		{"sprt threshold 0.01", under("sprt", 0.01), "0.02 to 0.999"},
		{"a gap of 0 gives p1 = p0", envelope.Policy{Rule: "sprt", Threshold: some(0.9), Gap: some(0)}, "must be above 0"},
		{"a gap below 0 gives p1 > p0", envelope.Policy{Rule: "anytime", Threshold: some(0.9), Gap: some(-0.1)}, "above 0"},
		{"anytime at the lowest rate", under("anytime", 0.01), "too low"},
		{"sprt cannot be adjusted", envelope.Policy{Rule: "sprt", Threshold: some(0.9), Adjust: "holm"}, "use rule anytime"},
		{"rule all has no p-value", envelope.Policy{Adjust: "bh"}, "does not work with rule all"},
		{"treat_as", envelope.Policy{TreatAs: "fial"}, "did you mean fail"},
		{"min_trials 0", envelope.Policy{Rule: "wald", MinTrials: envelope.Some(0)}, "1 or more"},
		{"keep_details", envelope.Policy{KeepDetails: "some"}, "a number"},
		{"an override is checked too", envelope.Policy{Overrides: []envelope.Override{{Match: "a*", Policy: under("wilson", 0)}}}, "tests[0].rule wilson"},
		{"sprt beside a rule of the same kind: no p-value anywhere", envelope.Policy{Rule: "sprt", Threshold: some(0.9), Adjust: "holm", Overrides: []envelope.Override{{Match: "a", Policy: under("any", 0)}}}, "use rule anytime"},
		{"an override for nothing", envelope.Policy{Overrides: []envelope.Override{{Policy: under("any", 0)}}}, "tests[0] has no match and no labels"},
	} {
		_, err := Resolve(c.policy)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.says)
		}
	}
}

func TestLayers(t *testing.T) {
	recorded := resolved(t, envelope.Policy{})
	for _, c := range []struct {
		reason string
		layers []envelope.Policy
		want   func(envelope.Policy) bool
	}{
		{"a later layer wins", []envelope.Policy{under("wald", 0.5), {Threshold: envelope.Some(0.9)}}, func(p envelope.Policy) bool { return p.Rule == "wald" && p.Threshold.V == 0.9 }},
		{"asking for rule all on an envelope means retries too", []envelope.Policy{Unresolve(recorded), under("all", 0)}, func(p envelope.Policy) bool { return p.RetryRule == "" }},
		{"an envelope's own policy stays as it is", []envelope.Policy{Unresolve(recorded), {}}, func(p envelope.Policy) bool { return p.RetryRule == "any" }},
		{"another rule brings its own minimum", []envelope.Policy{{Rule: "wilson", Threshold: envelope.Some(0.9), MinTrials: envelope.Some(5)}, under("anytime", 0)}, func(p envelope.Policy) bool { return p.MinTrials.V == 1 && p.Threshold.V == 0.9 }},
	} {
		p, err := Resolve(Layer(c.layers...))
		if err != nil || !c.want(p.Policy) {
			t.Errorf("%s: %+v, %v", c.reason, p, err)
		}
	}
}

func TestOverridesByGlobAndLabel(t *testing.T) {
	p := envelope.Policy{Overrides: []envelope.Override{
		{Match: "flaky/*", Policy: under("any", 0)},
		{Match: "strict?", Policy: under("all", 0)},
	}}
	env, err := sealAll(map[string]string{"flaky/a": "FP", "other/a": "FP", "flaky/strict1": "FP"}, p)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []envelope.Status{"pass", "fail", "fail"} { // flaky/a, flaky/strict1, other/a
		if env.Tests[i].Status != want {
			t.Errorf("%s: %s, want %s", env.Tests[i].Key, env.Tests[i].Status, want)
		}
	}
	test := &envelope.Test{Key: envelope.Key{Test: "x"}, Labels: map[string]string{"tier": "gold"}}
	if !each.Within(map[string]string{"tier": "gold"}, test.Labels) || each.Within(map[string]string{"tier": "tin"}, test.Labels) {
		t.Error("labels do not select")
	}
}

func TestGateAndExitCodes(t *testing.T) {
	wald := func(treat string) envelope.Policy { return envelope.Policy{Rule: "wald", TreatAs: treat} }
	broken := []envelope.Problem{{Severity: envelope.SeverityError, Code: envelope.CodeMalformed}}
	for _, c := range []struct {
		reason   string
		strip    string
		policy   envelope.Policy
		problems []envelope.Problem
		want     int
	}{
		{"a pass", "P", envelope.Policy{}, nil, 0},
		{"a fail", "F", envelope.Policy{}, nil, 1},
		{"an error", "x", envelope.Policy{}, nil, 1},
		{"inconclusive is neutral by default", "PF", wald(""), nil, 0},
		{"inconclusive as exit 3", "PF", wald("exit3"), nil, 3},
		{"inconclusive as fail", "PF", wald("fail"), nil, 1},
		{"malformed records", "P", envelope.Policy{}, broken, 2},
		{"malformed records, lenient", "P", envelope.Policy{Lenient: envelope.Some(true)}, broken, 0},
		{"1 wins over 2", "F", envelope.Policy{}, broken, 1},
		{"2 wins over 3", "PF", wald("exit3"), broken, 2},
		{"lenient does not forgive an unreadable input", "P", envelope.Policy{Lenient: envelope.Some(true)}, []envelope.Problem{{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable}}, 2},
		{"warnings are no errors", "P", envelope.Policy{}, []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodeNoise}}, 0},
		{"no trial at all", "", envelope.Policy{}, nil, 2},
		{"no trial at all, allowed", "", envelope.Policy{AllowEmpty: envelope.Some(true)}, nil, 0},
	} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("s", "native")
		for _, o := range c.strip {
			tr := envelope.Trial{Key: envelope.Key{Test: "t"}, Status: map[rune]envelope.Status{'P': "pass", 'F': "fail", 'x': "error"}[o]}
			if o == 'x' {
				tr.ErrorClass = envelope.ClassInfrastructure
			}
			in.Trial(&tr)
		}
		for _, p := range c.problems {
			in.Problem(p)
		}
		in.Close()
		env := sealBuilt(t, b, c.policy)
		if env.Gate.ExitCode != c.want {
			t.Errorf("%s: exit %d (%v), want %d", c.reason, env.Gate.ExitCode, env.Gate.Reasons, c.want)
		}
		if c.want == 0 != (len(env.Gate.Reasons) == 0) {
			t.Errorf("%s: exit %d with reasons %v", c.reason, env.Gate.ExitCode, env.Gate.Reasons)
		}
	}
}

// TestAdjusting: 20 tests that always fail one of three at threshold 0.5 … the one with 0 of 10 (p = 1/1024) stands
// under Bonferroni over 20, a 2 of 10 (p = 56/1024) does not.
func TestAdjusting(t *testing.T) {
	strips := map[string]string{"s1/clear": repeat("F", 10), "s2/weak": "PF" + repeat("F", 7) + "F"}
	for i := range 18 {
		strips["s3/ok"+string(rune('a'+i))] = repeat("P", 10)
	}
	p := envelope.Policy{Rule: "wald", Adjust: "bonferroni"}
	env, err := sealAll(strips, p)
	if err != nil {
		t.Fatal(err)
	}
	clear, weak := env.Tests[0], env.Tests[1]
	if clear.Status != envelope.Fail || math.Abs(clear.Verdict.PAdjusted.V-20.0/1024) > 1e-12 {
		t.Errorf("0 of 10: %s, adjusted p %v, want fail and 20/1024", clear.Status, clear.Verdict.PAdjusted)
	}
	if weak.Status != envelope.Inconclusive || weak.Verdict.RawStatus != envelope.Fail || math.Abs(weak.Verdict.PValue.V-11.0/1024) > 1e-12 {
		t.Errorf("1 of 10: %s (raw %s), p %v, want inconclusive (raw fail) and 11/1024", weak.Status, weak.Verdict.RawStatus, weak.Verdict.PValue)
	}
	p.Family = policy.FamilySuite
	if env, err = sealAll(strips, p); err != nil {
		t.Fatal(err)
	}
	if weak = env.Tests[1]; weak.Status != envelope.Fail {
		t.Errorf("alone in its suite: %s, want fail", weak.Status)
	}
}

func TestSealDoesNotChangeTheRun(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("s", "native")
	in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Score: envelope.Some(0.9), Message: "m"})
	run := b.Run(envelope.ConflictExtend, 5)
	for _, c := range []struct {
		threshold float64
		want      envelope.Status
	}{{0.5, "pass"}, {0.95, "fail"}, {0.5, "pass"}} {
		p := resolved(t, envelope.Policy{ScoreThreshold: envelope.Some(c.threshold)})
		env, err := Seal(run, p)
		if err != nil || env.Tests[0].Status != c.want {
			t.Errorf("at %v: %v %v, want %s", c.threshold, env.Tests[0].Status, err, c.want)
		}
	}
}
