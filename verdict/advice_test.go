package verdict

import (
	"strings"
	"testing"

	"tribunal/envelope"
)

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
