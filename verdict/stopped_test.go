package verdict

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tribunal/envelope"
)

// TestUnevenByChance: numbers that outcomes did not choose, whatever the rates of the tests,
// are called uneven at 0.05 about that often: 45 of 500 and more has probability 0.0001.
func TestUnevenByChance(t *testing.T) {
	draw, found := rand.New(rand.NewPCG(43, 4)), 0
	for range 500 {
		strips := map[string]string{}
		for i := range 20 {
			rate, strip := []float64{0.2, 0.9, 1}[draw.IntN(3)], ""
			for range 2 + draw.IntN(20) {
				strip += map[bool]string{true: "P", false: "F"}[draw.Float64() < rate]
			}
			strips[fmt.Sprint(i)] = strip
		}
		env, err := sealAll(strips, envelope.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		if uneven(env.Tests, 0.05) <= 0.05 {
			found++
		}
	}
	if found >= 45 {
		t.Error(found)
	}
}
