package envelope

import (
	"math"
	"reflect"
	"testing"
)

// TestVerdictsAreSharedWhole: a verdict is that of another test only if nothing in it
// differs, whichever field it is, and is not changed by what comes later.
func TestVerdictsAreSharedWhole(t *testing.T) {
	first := Verdict{Rule: "wilson", Threshold: Some(0.9), N: 2, Passed: 1, Statistic: Some(0.0), Interval: &Interval{Lo: 0, Hi: 1, Method: "wilson"}, Reason: "1/2 passed"}
	var shared Verdicts
	own := shared.Own(&first)
	if own == &first || !reflect.DeepEqual(*own, first) {
		t.Fatalf("the first is %+v at its own place, want a copy of it", own)
	}
	same := first
	same.Interval = &Interval{Lo: 0, Hi: 1, Method: "wilson"}
	if shared.Own(&same) != own {
		t.Error("the same verdict is kept twice")
	}
	all := reflect.TypeFor[Verdict]()
	for i := range all.NumField() {
		other := first
		differ(t, reflect.ValueOf(&other).Elem().Field(i))
		if got := shared.Own(&other); got == own || !reflect.DeepEqual(*got, other) {
			t.Errorf("a verdict with another %s is %+v", all.Field(i).Name, got)
		}
		if own = shared.Own(&first); !reflect.DeepEqual(*own, first) {
			t.Errorf("the first verdict became %+v", own)
		}
	}
	negative, hi := first, first
	negative.Statistic.V = math.Copysign(0, -1)
	hi.Interval = &Interval{Lo: math.Copysign(0, -1), Hi: 1, Method: "wilson"}
	for _, other := range []*Verdict{&negative, &hi} {
		if shared.Own(&first) == shared.Own(other) {
			t.Errorf("%+v is taken for another", other)
		}
	}
}

// differ gives a field another value.
func differ(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.String:
		v.SetString(v.String() + "?")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Struct: // an Opt
		if ok := v.FieldByName("OK"); ok.Bool() {
			differ(t, v.FieldByName("V"))
		} else {
			ok.SetBool(true)
		}
	default:
		t.Fatalf("no other %s is known", v.Kind())
	}
}

// TestVerdictsOfManyNumbers: however many there are, each is as it was.
func TestVerdictsOfManyNumbers(t *testing.T) {
	var shared Verdicts
	for n := range 3 * mostVerdicts {
		if got := shared.Own(&Verdict{N: n, Passed: n / 2}); got.N != n || got.Passed != n/2 {
			t.Fatalf("%d trials: %+v", n, got)
		}
	}
	if got := len(shared.last); got > mostVerdicts {
		t.Errorf("%d are remembered, at most %d are", got, mostVerdicts)
	}
}
