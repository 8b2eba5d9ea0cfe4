package policy

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
)

// ScoreRange reads the range of scores, LO..HI; "" is 0 to 1.
func ScoreRange(word string) (lo, hi float64, err error) {
	if word == "" {
		return 0, 1, nil
	}
	from, to, _ := strings.Cut(word, "..")
	lo, errLo := strconv.ParseFloat(strings.TrimSpace(from), 64)
	hi, errHi := strconv.ParseFloat(strings.TrimSpace(to), 64)
	if width := hi - lo; errLo != nil || errHi != nil || !(width > 0) || math.IsInf(width, 0) {
		return 0, 0, fmt.Errorf("score_range %q: give the lowest and the highest score, such as 0..1 or 1..5", word)
	}
	return lo, hi, nil
}

func checkScoreRange(p envelope.Policy) error {
	_, _, err := ScoreRange(p.ScoreRange)
	return err
}
