package decimal

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestFew holds the reading of a number at once against encoding/json and
// strconv: every text of up to four of some characters, and longer ones at random.
func TestFew(t *testing.T) {
	const characters = "0159.-e \"\x80\xff/:"
	texts := []string{""}
	for n := 0; n < len(texts) && len(texts[n]) < 4; n++ {
		for i := range len(characters) {
			texts = append(texts, texts[n]+characters[i:i+1])
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 100_000 {
		texts = append(texts, someOf(random, "01234567890123456789.", 5+random.IntN(5)))
	}
	taken := 0
	for _, text := range texts {
		plain := json.Valid([]byte(text)) && !strings.ContainsAny(text, "-e \"") && len(text) <= 8
		whole := []byte("before: " + text + "9")
		n, places := Few(whole, 8, 8+len(text))
		if plain != (places >= 0) {
			t.Fatalf("%q is taken: %v, want %v", text, places >= 0, plain)
		}
		if !plain {
			continue
		}
		taken++
		if want, _ := strconv.ParseFloat(text, 64); Over(n, places) != want || (places > 0) != strings.Contains(text, ".") {
			t.Fatalf("%q is %d with %d places, want %v", text, n, places, want)
		}
	}
	if taken < 10_000 {
		t.Fatalf("only %d texts were numbers", taken)
	}
}
