package suggest

import (
	"slices"
	"strings"
	"testing"
)

func TestNear(t *testing.T) {
	rules := []string{"all", "any", "majority", "mean", "wald", "wilson", "t-interval"}
	for _, c := range []struct {
		reason, word string
		want         []string
	}{
		{"a letter dropped", "wilon", []string{"wilson"}},
		{"two letters swapped", "mena", []string{"mean"}},
		{"the start of a word", "maj", []string{"majority"}},
		{"case does not matter", "WALD", []string{"wald"}},
		{"nothing like it", "frequentist", nil},
		{"an empty word is near nothing", "", nil},
	} {
		if got := Near(c.word, rules); !slices.Equal(got, c.want) {
			t.Errorf("%s: Near(%q) = %v, want %v", c.reason, c.word, got, c.want)
		}
	}
}

func TestUnknownNamesTheNearOnesOrAll(t *testing.T) {
	known := []string{"junit", "tap"}
	if got := Unknown("format", "junti", known).Error(); got != `unknown format "junti": did you mean junit?` {
		t.Error(got)
	}
	if got := Unknown("format", "xyz", known).Error(); !strings.HasSuffix(got, `use one of "junit", "tap"`) {
		t.Error(got)
	}
}
