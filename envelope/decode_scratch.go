package envelope

import (
	"tribunal/envelope/internal/codec"
)

// Together is what rows share that are read at a stretch by ConsumeJSON: a
// Dictionary. Verdicts are those of their tests.
type Together struct {
	Verdicts Verdicts

	words *Dictionary
}

// Begin starts a stretch, with words of its own.
func (t *Together) Begin() { t.words = NewDictionary() }

// roomOf is room for the cells of the array that comes next.
func roomOf[T Cell | uint32](p *codec.Parser) []T {
	return make([]T, p.Cells())
}
