package envelope

import (
	"tribunal/envelope/internal/codec"
	"tribunal/internal/heap"
)

// Together is what rows share that are read at a stretch by ConsumeJSON: a
// Dictionary, and memory for their cells. Verdicts are those of their tests.
type Together struct {
	Verdicts Verdicts

	words *Dictionary
	room  heap.Room
}

// Begin starts a stretch, with words of its own and in what is left of the memory.
func (t *Together) Begin() { t.words = NewDictionary() }

// roomOf is room for the cells of the array that comes next.
func roomOf[T Cell | uint32](p *codec.Parser) []T {
	return heap.Take[T](&p.Shared.(*Together).room, p.Cells())
}
