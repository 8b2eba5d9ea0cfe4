package verdict

import (
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/verdict/gate"
	"tribunal/policy"
)

// held judges strips in a run that started at a time, which may be empty.
func held(t *testing.T, start string, p envelope.Policy, strips map[string]string) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	in := b.Input("s", "native")
	in.Header(envelope.Header{StartedAt: start}, nil)
	for name, strip := range strips {
		suite, test, _ := strings.Cut(name, "/")
		for i, c := range strip {
			tr := envelope.Trial{Key: envelope.Key{Suite: suite, Test: test}, Attempt: envelope.Some(int32(i)), Status: map[rune]envelope.Status{'P': "pass", 'F': "fail", 'x': "error", 'S': "skip"}[c]}
			if c == 'x' {
				tr.ErrorClass = envelope.ClassInfrastructure
			}
			in.Trial(&tr)
		}
	}
	in.Close()
	return sealBuilt(t, b, p)
}

func TestQuarantine(t *testing.T) {
	until := func(day string) envelope.Policy {
		return envelope.Policy{Quarantine: []envelope.Quarantine{{Match: "s/*", Owner: "ana", Expires: day}}}
	}
	atLeast := func(p envelope.Policy, rate float64) envelope.Policy {
		p.Quarantine[0].AtLeast = envelope.Some(rate)
		return p
	}
	with := func(p, more envelope.Policy) envelope.Policy { return policy.Fill(more, p) }
	wald := envelope.Policy{Rule: "wald", Threshold: envelope.Some(0.9), TreatAs: policy.TreatFail}
	for _, c := range []struct {
		reason, start string
		policy        envelope.Policy
		strip         string
		state         string
		excused       bool
		exit          int
	}{
		{"a flaky failure is excused", "2026-03-01T08:00:00Z", until("2026-03-31"), "PFP", "in-force", true, 0},
		{"a broken test is not", "2026-03-01T08:00:00Z", until("2026-03-31"), "FFF", "broken", false, 1},
		{"one failing trial shows no flakiness", "2026-03-01T08:00:00Z", until("2026-03-31"), "F", "broken", false, 1},
		{"nothing counted is no flakiness", "2026-03-01T08:00:00Z", until("2026-03-31"), "xxx", "not-flaky", false, 1},
		{"6 of 20 do not reject a half: p 0.0577", "2026-03-01T08:00:00Z", until("2026-03-31"), repeat("P", 6) + repeat("F", 14), "in-force", true, 0},
		{"5 of 20 do: p 0.0207", "2026-03-01T08:00:00Z", until("2026-03-31"), repeat("P", 5) + repeat("F", 15), "worse", false, 1},
		{"20 of 100 reject a half, the surer the more trials", "2026-03-01T08:00:00Z", until("2026-03-31"), repeat("P", 20) + repeat("F", 80), "worse", false, 1},
		{"but not 0.2", "2026-03-01T08:00:00Z", atLeast(until("2026-03-31"), 0.2), repeat("P", 20) + repeat("F", 80), "in-force", true, 0},
		{"16 of 20 do not reject 0.9: p 0.133", "2026-03-01T08:00:00Z", atLeast(until("2026-03-31"), 0.9), repeat("P", 16) + repeat("F", 4), "in-force", true, 0},
		{"15 of 20 do: p 0.0432", "2026-03-01T08:00:00Z", atLeast(until("2026-03-31"), 0.9), repeat("P", 15) + repeat("F", 5), "worse", false, 1},
		{"a pass needs no excuse", "2026-03-01T08:00:00Z", until("2026-03-31"), "PPP", "in-force", false, 0},
		{"nor does a skip", "2026-03-01T08:00:00Z", until("2026-03-31"), "S", "in-force", false, 0},
		{"the last day is whole", "2026-03-31T23:59:59Z", until("2026-03-31"), "PF", "in-force", true, 0},
		{"and then it is over", "2026-04-01T00:00:00Z", until("2026-03-31"), "PF", "expired", false, 1},
		{"days are those of UTC", "2026-03-31T22:00:00-03:00", until("2026-03-31"), "PF", "expired", false, 1},
		{"a run without a date excuses nothing", "", until("2026-03-31"), "PF", "undated", false, 1},
		{"an inconclusive test that counts as failed", "2026-03-01T08:00:00Z", with(until("2026-03-31"), wald), "PPPPFPPP", "in-force", true, 0},
		{"one that never passed", "2026-03-01T08:00:00Z", with(until("2026-03-31"), wald), "FF", "broken", false, 1},
		{"a cap of nobody", "2026-03-01T08:00:00Z", with(until("2026-03-31"), envelope.Policy{QuarantineCap: envelope.Some(0)}), "PF", "over-cap", false, 1},
	} {
		env := held(t, c.start, c.policy, map[string]string{"s/t": c.strip})
		got := &env.Tests[0]
		if got.Quarantine == nil || got.Quarantine.State != c.state || got.Excused() != c.excused || env.Gate.ExitCode != c.exit {
			t.Errorf("%s: %+v, exit %d, want %s, excused %v, exit %d", c.reason, got.Quarantine, env.Gate.ExitCode, c.state, c.excused, c.exit)
		}
		if got.Quarantined != (c.state == "in-force") || !strings.Contains(got.Verdict.Reason, "owner ana") {
			t.Errorf("%s: quarantined %v, reason %q", c.reason, got.Quarantined, got.Verdict.Reason)
		}
	}
}

// TestQuarantineByTrials: where the header has no start, the first trial has it.
func TestQuarantineByTrials(t *testing.T) {
	day := func(at string) *envelope.Envelope {
		start, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		b := count.NewBuilder(5, 0.5)
		in := b.Input("s", "native")
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: "pass", StartedAt: start})
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: "fail", StartedAt: start.Add(300 * time.Hour)})
		in.Close()
		env := sealBuilt(t, b, envelope.Policy{Quarantine: []envelope.Quarantine{{Match: "t", Expires: "2026-03-31"}}})
		return env
	}
	if got := day("2026-03-31T12:00:00Z").Tests[0].Quarantine.State; got != "in-force" {
		t.Errorf("a run whose first trial is in time: %s", got)
	}
	if got := day("2026-04-01T12:00:00Z").Tests[0].Quarantine.State; got != "expired" {
		t.Errorf("a run whose first trial is too late: %s", got)
	}
}

func TestQuarantineEntries(t *testing.T) {
	p := envelope.Policy{QuarantineCap: envelope.Some(2), Quarantine: []envelope.Quarantine{
		{Match: "s/*", Expires: "2026-01-31"},
		{Match: "s/[bc]", Expires: "2026-12-31"},
		{Match: "s/b", Expires: "2026-12-31", Owner: "second"},
		{Match: "*", Expires: "2026-12-31", Owner: "last"},
		{Match: "gone", Expires: "2026-01-31"},
	}}
	env := held(t, "2026-03-01T08:00:00Z", p, map[string]string{"s/a": "PF", "s/b": "PF", "s/c": "PF"})
	var states []string
	for _, x := range env.Tests {
		states = append(states, x.Test+" "+x.Quarantine.Owner+" "+x.Quarantine.State)
	}
	// The third entry comes before the fourth; a comes before c.
	if got := strings.Join(states, ", "); got != "a last in-force, b second in-force, c last over-cap" {
		t.Errorf("states: %s", got)
	}
	if s := env.Summary; s.Quarantined != 2 || s.Excused != 2 || s.Fail != 3 {
		t.Errorf("summary: %d in quarantine, %d excused, %d failed: want 2, 2 and all 3", s.Quarantined, s.Excused, s.Fail)
	}
	if g := env.Gate; g.ExitCode != 1 || len(g.Reasons) != 1 || g.Reasons[0] != "1 test failed" {
		t.Errorf("gate: %+v, want the one over the cap", g)
	}
	for code, says := range map[string]string{
		envelope.CodeQuarantineExpired: "s/* on 2026-01-31", envelope.CodeQuarantineUnmatched: "2 quarantine entries match no test: s/[bc], gone", envelope.CodeQuarantineCap: "s/c",
	} {
		found := 0
		for _, problem := range env.Problems {
			if problem.Code == code && strings.Contains(problem.Message, says) && problem.Severity == envelope.SeverityWarning {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%d warnings %s that say %q, want one: %v", found, code, says, env.Problems)
		}
	}
}

// TestQuarantineAndGates: a gate on each test forgives a flaky one in quarantine and no other.
func TestQuarantineAndGates(t *testing.T) {
	p := envelope.Policy{Rule: "any", Gates: []envelope.GateExpr{gate.Named("", "reliability.all_passed == 100")}, Quarantine: []envelope.Quarantine{{Match: "s/a", Expires: "2026-12-31"}}}
	env := held(t, "2026-03-01T08:00:00Z", p, map[string]string{"s/a": "PF", "s/b": "PP"})
	if env.Gate.ExitCode != 0 || !strings.Contains(env.Gate.Gates[0].Saw, "1 flaky one in quarantine") {
		t.Errorf("gate: %+v", env.Gate)
	}
	if env = held(t, "2026-03-01T08:00:00Z", p, map[string]string{"s/a": "PP", "s/b": "PF"}); env.Gate.ExitCode != 1 {
		t.Errorf("gate on a test outside: %+v", env.Gate)
	}
	// P(X <= 5 of 20 | 0.5) = 0.0207 and P(X <= 6 of 20 | 0.5) = 0.0577.
	for strip, want := range map[string]int{repeat("P", 5) + repeat("F", 15): 1, repeat("P", 6) + repeat("F", 14): 0} {
		env = held(t, "2026-03-01T08:00:00Z", p, map[string]string{"s/a": strip, "s/b": "PP"})
		in := env.Tests[0].Quarantine
		if env.Gate.ExitCode != want || in.Excused || in.PValue.V <= 0.05 != (want == 1) {
			t.Errorf("gate on a test that passed %d of 20: exit %d, %+v, want %d", env.Tests[0].Trials.Passed, env.Gate.ExitCode, in, want)
		}
	}
	p.Gates = nil
	if in := held(t, "2026-03-01T08:00:00Z", p, map[string]string{"s/a": repeat("P", 5) + repeat("F", 15)}).Tests[0].Quarantine; in.State != "in-force" || in.PValue.OK {
		t.Errorf("a test that passes and is asked nothing: %+v", in)
	}
}

func TestQuarantineMistakes(t *testing.T) {
	for _, c := range []struct {
		reason, says string
		q            envelope.Quarantine
	}{
		{"for ever", "expires is missing", envelope.Quarantine{Match: "x"}},
		{"no date", "quarantine of x: expires \"soon\" is not a date: give a day such as 2026-03-31", envelope.Quarantine{Match: "x", Expires: "soon"}},
		{"the 30th of February", "is not a date", envelope.Quarantine{Match: "x", Expires: "2026-02-30"}},
		{"nothing", "match is missing", envelope.Quarantine{Expires: "2026-02-28"}},
		{"a novel", "longer than", envelope.Quarantine{Match: "x", Expires: "2026-02-28", Reason: strings.Repeat("x", 501)}},
	} {
		if _, err := Resolve(envelope.Policy{Quarantine: []envelope.Quarantine{c.q}}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.says)
		}
	}
}

// 40/(40 + 1.96²) is Wilson's lower end of 40 of 40.
func TestHistoryWithoutFailure(t *testing.T) {
	q := envelope.Quarantine{Since: "2026-03-01"}
	for before, want := range map[envelope.Before]float64{{Passed: 40, Counted: 40}: 0.91238, {Passed: 9, Counted: 10}: 0.9} {
		test := envelope.Test{History: &envelope.Past{Before: &before}}
		if got := expectedRate(&test, q); got < want-1e-5 || got > want+1e-5 {
			t.Errorf("%+v: at least %v, want %v", before, got, want)
		}
	}
}
