package decimal

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// numbers are texts that are numbers or nearly so; encoding/json and strconv say
// which.
func numbers() []string {
	texts := []string{"", "-", "0", "-0", "00", "01", "-01", "1", "-1", ".5", "5.", "-.5", "0.", "0.5", "-0.25", "1e5", "1E+5", "1e-5", "1e", "1e+", "1.5e3", "1.e3",
		"12345678", "123456789", "123456789012345678", "1234567890123456789", "12345678901234567890", "-123456789012345678", "9007199254740993", "9007199254740992",
		"0.1234567890123456789", "0.000001", "0.30000000000000004", "123456.789012", "1e308", "1e309", "-1e400", "4.9e-324", "2.2250738585072011e-308", "+1", "0x10", "1_0", "Inf", "NaN", "--1", "1-", "1.2.3"}
	random := rand.New(rand.NewPCG(7, 8))
	for range 200_000 {
		texts = append(texts, someOf(random, "012345678901234567890123456789.-e", 1+random.IntN(22)))
	}
	return texts
}

// someOf is a text of so many of some characters.
func someOf(random *rand.Rand, characters string, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = characters[random.IntN(len(characters))]
	}
	return string(text)
}

// behind is what may stand behind a number in JSON text.
var behind = []string{"", ",", "]", "\n", " ,1234567", "}12345678"}

func isNumber(text string) bool {
	return text != "" && json.Valid([]byte(text)) && strings.Trim(text, "0123456789.-+eE") == ""
}

// TestReal holds it against encoding/json, which says what is a number, and
// strconv, which says which one.
func TestReal(t *testing.T) {
	for _, text := range numbers() {
		for _, rest := range behind {
			got, end := Real([]byte("x"+text+rest), 1)
			want, err := strconv.ParseFloat(text, 64)
			switch number := isNumber(text) && err == nil; {
			case number && (end != 1+len(text) || math.Float64bits(got) != math.Float64bits(want)):
				t.Fatalf("%q before %q is %v up to %d, want %v", text, rest, got, end, want)
			case !number && end == 1+len(text):
				t.Fatalf("%q before %q is taken for %v", text, rest, got)
			}
		}
	}
}

// TestWhole holds it against encoding/json and strconv, for up to 18 digits.
func TestWhole(t *testing.T) {
	taken := 0
	for _, text := range numbers() {
		for _, rest := range behind {
			got, end := Whole([]byte("x"+text+rest), 1)
			want, err := strconv.ParseInt(text, 10, 64)
			whole := isNumber(text) && err == nil && text != "-0" && len(strings.TrimPrefix(text, "-")) <= 18
			switch {
			case whole && (end != 1+len(text) || got != want):
				t.Fatalf("%q before %q is %d up to %d, want %d", text, rest, got, end, want)
			case !whole && end == 1+len(text):
				t.Fatalf("%q before %q is taken for %d", text, rest, got)
			case whole:
				taken++
			}
		}
	}
	if taken < 1000 {
		t.Fatalf("only %d texts were whole numbers", taken)
	}
}
