package verdict

import (
	"math/rand/v2"
	"testing"

	"tribunal/envelope"
)

// TestScoresWithoutWords: a rule that says quickly what it finds in scores says
// what it finds in words.
func TestScoresWithoutWords(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	seen := map[envelope.Status]int{}
	for range 5000 {
		s := &Sample{}
		for range random.IntN(12) {
			s.add(random.IntN(2) == 0)
			s.Scores[len(s.Scores)-1] = float64(random.IntN(11)) / 10
		}
		p := envelope.Policy{Threshold: envelope.Some(float64(random.IntN(11)) / 10), Confidence: envelope.Some(0.9)}
		for _, rule := range Rules {
			if rule.scores == nil {
				continue
			}
			got, want := statusOf(rule.scores(s, p)), rule.judge(s, p).status
			if got != want {
				t.Fatalf("%s of %v at %v: %s, in words %s", rule.Name, s.Scores, p.Threshold.V, got, want)
			}
			seen[got]++
		}
	}
	if seen[envelope.Pass] < 100 || seen[envelope.Fail] < 100 || seen[envelope.Inconclusive] < 100 {
		t.Errorf("one-sided: %v", seen)
	}
}
