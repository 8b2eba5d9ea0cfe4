package envelope

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
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

const spoken = `{"trial":3,"turns":[{"role":"system","text":"%[1]s"},{"role":"assistant","text":"%[2]d","reasoning":"%[1]s"}]}`

func conversation(prompt string, n int) []Turn {
	return []Turn{{Role: RoleSystem, Text: prompt}, {Role: RoleAssistant, Text: fmt.Sprint(n), Reasoning: prompt}}
}

// A prompt that came before is kept beside the conversation, which says the same.
func TestRepeatedTextsAreKeptOnce(t *testing.T) {
	var r Repeated
	prompt := strings.Repeat("Ask \n\"first\". ", 100)
	quoted := strings.Repeat(`Ask \n\"first\". `, 100)
	for n := range 3 {
		tr := r.Transcript(3, conversation(strings.Clone(prompt), n))
		if got, want := string(tr.AppendJSON(nil)), fmt.Sprintf(spoken, quoted, n); got != want {
			t.Errorf("conversation %d: %s\nwant %s", n, got, want)
		}
		if turns := tr.Turns(nil); turns[0].Text != prompt || turns[1].Reasoning != prompt || turns[1].Text != fmt.Sprint(n) {
			t.Errorf("conversation %d: %v", n, turns)
		}
		alone := NewTranscript(3, conversation(prompt, n))
		if tr.Compare(&alone) != 0 {
			t.Errorf("conversation %d differs from itself", n)
		}
		if first, last := tr.spans[0], tr.spans[1]; (first.from < first.to) != (n == 0) || last.from < last.to {
			t.Errorf("conversation %d: %+v", n, tr.spans)
		}
	}
}

// What a place was given stands as its number, wherever the text is kept.
func TestRepeatedTextsAreShared(t *testing.T) {
	var r Repeated
	prompt := strings.Repeat("x", LeastShared)
	for n := range 2 {
		tr, texts := r.Transcript(3, conversation(prompt, n)), make([]string, 8)
		shared := tr.Share(nil, func(TextSum) (int, bool) { return 7, true }, func(at int) *string { return &texts[at] })
		want := fmt.Sprintf(strings.ReplaceAll(spoken, `"%[1]s"`, "%[1]s"), `{"text_ref":7}`, n)
		if got := string(shared.AppendJSON(nil)); got != want || texts[7] != prompt || shared.MostRef() != 8 {
			t.Errorf("conversation %d: %s, text %q", n, got, texts[7])
		}
		if got, want := string(tr.AppendJSON(nil)), fmt.Sprintf(spoken, prompt, n); got != want {
			t.Errorf("conversation %d was changed: %s", n, got)
		}
	}
}

// Texts are forgotten when there are many, which nothing that was packed notices; and
// what is packed on one core is read on another.
func TestManyRepeatedTexts(t *testing.T) {
	var r Repeated
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for n := range mostRepeated + 2 {
				prompt := fmt.Sprintf("%0*d", LeastShared, n)
				tr := r.Transcript(3, conversation(prompt, n))
				if n%1000 == 0 {
					if got, want := string(tr.AppendJSON(nil)), fmt.Sprintf(spoken, prompt, n); got != want {
						t.Errorf("conversation %d: %s", n, got)
					}
				}
			}
		})
	}
	all.Wait()
	if len(r.by) > mostRepeated {
		t.Errorf("%d texts are remembered", len(r.by))
	}
}
