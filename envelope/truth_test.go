package envelope

import "testing"

// TestLabelsAsCategories: 0 and 1 are fail and pass, 2 to 9 stay what they are, also on the wire.
func TestLabelsAsCategories(t *testing.T) {
	var column Truths
	for i, word := range []string{"0", "1", "2", "9", "pass", "fail"} {
		label, ok := ParseTruth(word)
		if !ok {
			t.Fatalf("%q is a label", word)
		}
		column.Set(i, label)
	}
	for i, want := range []int{0, 1, 2, 9, 1, 0} {
		if got, labelled := column.Category(i); got != want || !labelled {
			t.Errorf("label %d is of category %d, want %d", i, got, want)
		}
	}
	var again Truths
	if err := again.restore("FP29PF"); err != nil || again.At(2) != "2" || !again.Categories() {
		t.Errorf("%q, %v", again, err)
	}
	for _, word := range []string{"10", "-1", "2.5", "partial", "skip", ""} {
		if label, ok := ParseTruth(word); ok {
			t.Errorf("%q is the label %q", word, label)
		}
	}
}
