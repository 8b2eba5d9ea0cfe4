package verdict

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/verdict/gate"
	"tribunal/policy"
)

// TestFewerThanPlanned: trials or tests that somebody said there would be, and that
// are not here, are an error of the input, which lenient forgives.
func TestFewerThanPlanned(t *testing.T) {
	some := envelope.Some[int64]
	for _, c := range []struct {
		reason  string
		planned envelope.Opt[int64]
		policy  envelope.Policy
		says    string
	}{
		{"fewer than planned", some(5), envelope.Policy{}, "5 trials were planned, found 2"},
		{"as many as planned", some(2), envelope.Policy{}, ""},
		{"more than planned", some(1), envelope.Policy{}, ""},
		{"nobody planned", envelope.Opt[int64]{}, envelope.Policy{}, ""},
		{"fewer than expected", envelope.Opt[int64]{}, envelope.Policy{ExpectTrials: some(3)}, "3 trials are expected, found 2 (expect_trials)"},
		{"as many as expected", envelope.Opt[int64]{}, envelope.Policy{ExpectTrials: some(2)}, ""},
		{"fewer tests", envelope.Opt[int64]{}, envelope.Policy{ExpectTests: some(2)}, "2 tests are expected, found 1 (expect_tests)"},
		{"as many tests", envelope.Opt[int64]{}, envelope.Policy{ExpectTests: some(1)}, ""},
	} {
		for _, lenient := range []bool{false, true} {
			c.policy.Lenient = envelope.Some(lenient)
			b := count.NewBuilder(5, 0.5)
			in := b.Input("s", "native")
			in.Header(envelope.Header{PlannedTrials: c.planned}, nil)
			trials := trialsOf("", 0, 1)
			for i := range trials {
				in.Trial(&trials[i])
			}
			env := sealBuilt(t, b, c.policy)
			want := gate.ExitOK
			if c.says != "" && !lenient {
				want = gate.ExitUnusable
			}
			found := len(env.Problems) == 1 && env.Problems[0].Severity == envelope.SeverityError && strings.Contains(env.Problems[0].Message, c.says)
			if env.Gate.ExitCode != want || found != (c.says != "") {
				t.Errorf("%s, lenient %v: exit %d, %v; want %d and %q", c.reason, lenient, env.Gate.ExitCode, env.Problems, want, c.says)
			}
		}
	}
	if _, err := Resolve(envelope.Policy{ExpectTrials: some(0), ExpectTests: some(-1)}); err == nil || !strings.Contains(err.Error(), "expect_trials 0") || !strings.Contains(err.Error(), "expect_tests -1") {
		t.Errorf("no trial and -1 tests to expect: %v", err)
	}
}

// TestNotices: a gate that is not red says so when it is not green for any test.
func TestNotices(t *testing.T) {
	exact := func(treat string, strict bool) envelope.Policy {
		p := under("exact", 0.9)
		p.TreatAs, p.Strict = treat, envelope.Some(strict)
		return p
	}
	strictly := envelope.Policy{Strict: envelope.Some(true)}
	ten, forty := repeat("P", 10), repeat("P", 34)+"F"
	for _, c := range []struct {
		reason string
		strips map[string]string
		policy envelope.Policy
		says   string
		exit   int
	}{
		{"everything was skipped", map[string]string{"a": "SS", "b": "S"}, envelope.Policy{}, "NOTHING JUDGED: every test was skipped", 0},
		{"and strictly", map[string]string{"a": "SS"}, strictly, "NOTHING JUDGED: every test was skipped", 2},
		{"one was not", map[string]string{"a": "SS", "b": "P"}, strictly, "", 0},
		{"nothing passed, some are inconclusive", map[string]string{"a": forty, "b": forty + "P"}, exact("", false), "NOTHING PROVED: no test passed, and 2 are undecided", 0},
		{"36 trials could have passed", map[string]string{"a": forty + "P"}, exact("", false), "NOTHING PROVED: no test passed, and 1 is undecided", 0},
		{"strictly it is no input to doubt", map[string]string{"a": forty + "P"}, exact("", true), "NOTHING PROVED", 0},
		{"as exit3", map[string]string{"a": forty + "P", "b": "SS"}, exact(policy.TreatExit3, false), "NOTHING PROVED", 3},
		{"one passed", map[string]string{"a": repeat("P", 36), "b": ten}, exact("", true), "", 0},
		// 0.9^35 = 0.0250316 is above 0.025, 0.9^36 = 0.0225 below
		{"no test can pass below 36 trials", map[string]string{"a": ten}, exact("", false), "NOTHING PROVED|NOTHING CAN PASS: a pass needs at least 36 trials of a test, and no test has more than 10", 0},
		{"strictly that is unusable", map[string]string{"a": ten}, exact("", true), "NOTHING PROVED|NOTHING CAN PASS", 2},
		{"a failure is not excused by it", map[string]string{"a": repeat("F", 10)}, exact("", true), "NOTHING CAN PASS", 1},
		{"a skipped test beside is none that could pass", map[string]string{"a": ten, "b": "S"}, exact("", false), "NOTHING PROVED|NOTHING CAN PASS", 0},
		{"every trial passed", map[string]string{"a": "PPP"}, strictly, "", 0},
	} {
		env, err := sealAll(c.strips, c.policy)
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		if c.says != "" {
			parts = strings.Split(c.says, "|")
		}
		fine := len(parts) == len(env.Gate.Notices) && env.Gate.ExitCode == c.exit
		for i := range parts {
			fine = fine && strings.HasPrefix(env.Gate.Notices[i].String(), parts[i])
		}
		if !fine {
			t.Errorf("%s: %q, exit %d; want %q, exit %d", c.reason, env.Gate.Notices, env.Gate.ExitCode, c.says, c.exit)
		}
	}
}

// 1 - 0.98^20 = 0.3324, by hand.
func TestAdvice(t *testing.T) {
	for _, c := range []struct{ rule, outcomes, want string }{
		{"all", "PPPPPPPPPPPPPPPPPPPF", "passes 98 % of the time fails 33 % of runs of 20 trials"},
		{"all", "PPPPPPPPPPPPPPPPPPPP", ""},
		{"all", "PPPPPPPPF", ""},
		{"all", "PPPPPFFFFF", ""},
		{"wald", "PPPPPPPPPPPPPPPPPPP", "below 20 trials"},
		{"wald", "PPPPPPPPPPPPPPPPPPPP", ""},
		{"majority", "PPF", ""},
	} {
		e, err := sealAll(map[string]string{"t": c.outcomes}, envelope.Policy{Rule: c.rule})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, p := range e.Problems {
			if p.Code == envelope.CodeAdvice {
				got += p.Message
			}
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("rule %s, %s: %q, want %q", c.rule, c.outcomes, got, c.want)
		}
	}
}
