package verdict

import (
	"fmt"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// TestAMergedReportBesideItsParts: it is told that its trials count twice, whatever else
// was read; runs of the same tests with times of their own are none of its parts, nor are
// those that are equal by chance.
func TestAMergedReportBesideItsParts(t *testing.T) {
	type input struct {
		name  string
		times map[string]float64
	}
	cart, pay := map[string]float64{"cart/adds": 123.4, "cart/drops": 45.61}, map[string]float64{"pay/card": 789.5, "pay/bill": 81.02}
	both := map[string]float64{"cart/adds": 123.4, "cart/drops": 45.61, "pay/card": 789.5, "pay/bill": 81.02}
	later := map[string]float64{"cart/adds": 124.9, "cart/drops": 45.6, "pay/card": 790.5, "pay/bill": 80.95}
	quick, slow := map[string]float64{"cart/adds": 1, "cart/drops": 2}, map[string]float64{"pay/card": 3, "pay/bill": 2}
	bothQuick := map[string]float64{"cart/adds": 1, "cart/drops": 2, "pay/card": 3, "pay/bill": 2}
	other := map[string]float64{"ship/quick": 11.25}
	for reason, c := range map[string]struct {
		inputs []input
		want   string
	}{
		"merged":           {[]input{{"1.xml", cart}, {"2.xml", pay}, {"all.xml", both}}, "all.xml 4"},
		"beside others":    {[]input{{"1.xml", cart}, {"2.xml", pay}, {"3.xml", other}, {"all.xml", both}}, "all.xml 4"},
		"two nights":       {[]input{{"1.xml", cart}, {"2.xml", pay}, {"all.xml", later}}, ""},
		"equal by chance":  {[]input{{"1.xml", quick}, {"2.xml", slow}, {"all.xml", bothQuick}}, ""},
		"a part is absent": {[]input{{"1.xml", cart}, {"3.xml", other}, {"all.xml", both}}, ""},
	} {
		b := count.NewBuilder(0, 0.5)
		for _, i := range c.inputs {
			in := b.Input(i.name, "junit")
			in.AsRun(i.name)
			for name, ms := range i.times {
				in.Trial(&envelope.Trial{Key: envelope.Key{Test: name}, Attempt: envelope.Some[int32](0), Status: envelope.Pass, DurationMS: envelope.Some(ms)})
			}
			in.Close()
		}
		got := ""
		for _, p := range sealBuilt(t, b, envelope.Policy{}).Problems {
			if p.Code == envelope.CodeSameInput {
				got += fmt.Sprintf("%s %d", p.Input, p.Count)
			}
		}
		if got != c.want {
			t.Errorf("%s: told %q, want %q", reason, got, c.want)
		}
	}
}
