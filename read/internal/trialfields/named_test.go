package trialfields

import (
	"math"
	"reflect"
	"strconv"
	"testing"

	"tribunal/envelope"
)

func TestSet(t *testing.T) {
	label := func(name, value string) envelope.Trial {
		return envelope.Trial{Labels: []envelope.Label{{Name: name, Value: value}}}
	}
	cases := []struct {
		name, value string
		want        envelope.Trial
		reason      string
	}{
		{"cost_usd", "0.012", envelope.Trial{CostUSD: envelope.Some(0.012)}, "a cost"},
		{"cost_usd", "0", envelope.Trial{CostUSD: envelope.Some(0.0)}, "a cost of nothing was said"},
		{"cost_usd", "-1", label("cost_usd", "-1"), "a negative cost is none"},
		{"cost_usd", "NaN", label("cost_usd", "NaN"), "no number"},
		{"cost_usd", "", label("cost_usd", ""), "nothing is not 0"},
		{"score", " -0.5 ", envelope.Trial{Score: envelope.Some(-0.5)}, "any finite score"},
		{"score", "1e999", label("score", "1e999"), "out of range"},
		{"tokens", "12", envelope.Trial{Tokens: envelope.Some[int64](12)}, "tokens"},
		{"tokens", "1.5", label("tokens", "1.5"), "half a token"},
		{"tool_calls", "3", envelope.Trial{ToolCalls: envelope.Some[int32](3)}, "tool calls"},
		{"tool_calls", "4294967296", label("tool_calls", "4294967296"), "too many for the column"},
		{"variant", "gpt", envelope.Trial{Key: envelope.Key{Variant: "gpt"}}, "the identity"},
		{"error_class", "infrastructure", envelope.Trial{ErrorClass: "infrastructure"}, "a class"},
		{"hello", "world", label("hello", "world"), "anything else is a label"},
		{"", "x", envelope.Trial{}, "a label needs a name"},
	}
	for _, c := range cases {
		got := envelope.Trial{}
		if Set(&got, c.name, c.value); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.reason, got, c.want)
		}
	}
}

func TestTheLastValueCounts(t *testing.T) {
	got := envelope.Trial{}
	for _, value := range []string{"1", "2"} {
		Set(&got, "tokens", value)
		Set(&got, "a", value)
	}
	if got.Tokens.V != 2 || len(got.Labels) != 1 || got.Labels[0].Value != "2" {
		t.Errorf("%+v", got)
	}
}

func TestMilliseconds(t *testing.T) {
	if got := Milliseconds(1.5, 1000); got != envelope.Some(1500.0) {
		t.Error(got)
	}
	for _, amount := range []float64{-1, math.NaN(), math.Inf(1), 1e308} {
		if got := Milliseconds(amount, 1000); got.OK {
			t.Errorf("%v gives %v", amount, got)
		}
	}
}

func TestLabelsAreBounded(t *testing.T) {
	got := envelope.Trial{}
	for i := range 100000 {
		Set(&got, strconv.Itoa(i), "x")
	}
	if len(got.Labels) != maxReported {
		t.Errorf("%d labels", len(got.Labels))
	}
	member := envelope.Trial{}
	for range 2 * maxMembers {
		AddLabel(&member, "a", "b")
	}
	if len(member.Labels) != maxMembers {
		t.Errorf("%d labels of members", len(member.Labels))
	}
}
