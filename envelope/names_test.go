package envelope

import (
	"slices"
	"testing"
)

// People count: 2 comes before 10 wherever a number stands in a name.
func TestCompareNames(t *testing.T) {
	for _, c := range []struct {
		inOrder []string
		reason  string
	}{
		{[]string{"", "1", "2", "10", "30", "100"}, "numbers alone"},
		{[]string{"pipeline-9", "pipeline-10", "pipeline-10-a", "pipeline-10-b"}, "numbers behind words"},
		{[]string{"case 2/step 10", "case 10/step 2"}, "the first number decides"},
		{[]string{"a1b2", "a1b10", "a2b1"}, "several numbers"},
		{[]string{"007", "07", "7", "008", "8"}, "zeros before a number change nothing until all else is equal"},
		{[]string{"a01b", "a1", "a1b", "a1c"}[1:], "what follows a number"},
		{[]string{"v1.9.0", "v1.10.0"}, "versions, as numbers with dots between"},
		{[]string{"1", "a", "ä"}, "digits before letters, letters by their bytes"},
		{[]string{"x18446744073709551615", "x18446744073709551616", "x118446744073709551615"}, "numbers beyond 64 bits"},
	} {
		for i, a := range c.inOrder {
			for j, b := range c.inOrder {
				want := sign(i - j)
				if got := sign(CompareNames(a, b)); got != want {
					t.Errorf("%s: %q against %q is %d, want %d", c.reason, a, b, got, want)
				}
			}
		}
	}
}

func sign(n int) int { return min(max(n, -1), 1) }

// Tests are sorted in parts and merged, so the order must be one: never equal for
// different names, and the same whichever two are looked at first.
func TestCompareNamesIsATotalOrder(t *testing.T) {
	var names []string
	letters := []string{"", "0", "1", "9", "a", "-"}
	for _, a := range letters {
		for _, b := range letters {
			for _, c := range letters {
				names = append(names, a+b+c)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, a := range names {
		for _, b := range names {
			ab := sign(CompareNames(a, b))
			if ab != -sign(CompareNames(b, a)) || (ab == 0) != (a == b) {
				t.Fatalf("%q against %q is %d, the other way round %d", a, b, ab, CompareNames(b, a))
			}
			for _, c := range names {
				if ab < 0 && CompareNames(b, c) < 0 && CompareNames(a, c) >= 0 {
					t.Fatalf("%q < %q < %q, but not the first before the last", a, b, c)
				}
			}
		}
	}
}
