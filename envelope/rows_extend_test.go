package envelope

import (
	"reflect"
	"testing"
)

// TestExtendBesideAppend: rows that come in chunks are those that come one by one, also
// where a column begins in a later chunk, ends before the last one, or is cut in the
// middle: a label on the wrong row would correct the judge by another trial.
func TestExtendBesideAppend(t *testing.T) {
	plain := Row{Given: Given(Passed)}
	full := Row{
		Given: Given(Failed), Attempt: Some[int32](3), Run: "r", Source: 2, Retry: true, Truth: Given(Passed), RawStatus: "broken",
		ErrorClass: "timeout", Score: Some(0.5), Category: Some[int32](1), DurationMS: Some(1.5), SetupMS: Some(2.5), CostUSD: Some(0.25),
		SetupCost: Some(0.125), Tokens: Some[int64](9), ToolCalls: Some[int32](4), StartedAt: Some[int64](7), Digest: Some[int64](8), Reason: Some[int32](6),
	}
	for field := range reflect.TypeFor[Row]().NumField() {
		if reflect.ValueOf(full).Field(field).IsZero() {
			t.Fatalf("%s has no value in this test", reflect.TypeFor[Row]().Field(field).Name)
		}
	}
	for reason, chunks := range map[string][][]Row{
		"a column that begins in the second chunk":   {{plain, plain, plain}, {plain, full}},
		"one that ends before the last":              {{full}, {plain, plain}, {plain}},
		"one with a chunk without it between":        {{plain, full}, {plain, plain}, {full, plain}},
		"one that begins with its first row":         {{full, full}},
		"one that is in the part that is left alone": {{plain, plain}, {full, plain, plain, full}},
	} {
		var want, got Columns
		words := NewDictionary()
		var of []Row
		for i, chunk := range chunks {
			var rows Columns
			for _, r := range chunk {
				rows.Append(&r, words)
			}
			lo, hi := 0, len(chunk)
			if len(chunk) == 4 {
				lo, hi = 1, 3
			}
			got.Extend(&rows, lo, hi, i)
			of = append(of, chunk[lo:hi]...)
		}
		for _, r := range of {
			want.Append(&r, words)
		}
		for i := range of {
			if w, g := want.Row(i), got.Row(i); w != of[i] || g != w {
				t.Errorf("%s: row %d is %+v, want %+v", reason, i, g, of[i])
			}
			if label := got.Truth.At(i); label != of[i].Truth.Status() && of[i].Truth != 0 || of[i].Truth == 0 && label != "" {
				t.Errorf("%s: row %d is labelled %q", reason, i, label)
			}
		}
	}
}
