package count

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/hash"
)

// position orders rows by what their runner says of their place: rows with an
// attempt by (run, attempt), before rows without one.
func position(a, b *envelope.Row) int {
	if !a.Attempt.OK || !b.Attempt.OK {
		return compareBool(b.Attempt.OK, a.Attempt.OK)
	}
	return cmp.Or(envelope.CompareNames(a.Run, b.Run), cmp.Compare(a.Attempt.V, b.Attempt.V))
}

// content orders rows of one position by every kept field, so that rows that arrive in another order still end in the
// same one. It is 0 for equal rows. A retry comes behind what it may be a retry of. Others are ordered by a hash of
// their fields first: by the fields alone all failures would come before all passes, and a rule that looks after
// every trial would fail a test for the order it was put in.
func content(a, b *envelope.Row) int {
	if c := cmp.Or(compareBool(a.Retry, b.Retry), cmp.Compare(hashRow(a), hashRow(b))); c != 0 {
		return c
	}
	return fields(a, b)
}

// fields orders rows by one kept field after the other.
func fields(a, b *envelope.Row) int {
	return cmp.Or(
		cmp.Compare(a.Given, b.Given), strings.Compare(a.Run, b.Run), strings.Compare(a.ErrorClass, b.ErrorClass),
		strings.Compare(a.RawStatus, b.RawStatus), compareBool(a.Retry, b.Retry), cmp.Compare(a.Truth, b.Truth),
		compareOpt(a.Score, b.Score), compareOpt(a.Category, b.Category),
		compareOpt(a.DurationMS, b.DurationMS), compareOpt(a.SetupMS, b.SetupMS),
		compareOpt(a.CostUSD, b.CostUSD), compareOpt(a.SetupCost, b.SetupCost),
		compareOpt(a.Tokens, b.Tokens), compareOpt(a.ToolCalls, b.ToolCalls),
		compareOpt(a.StartedAt, b.StartedAt), compareOpt(a.Digest, b.Digest),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func compareOpt[T envelope.Cell](a, b envelope.Opt[T]) int {
	return cmp.Or(compareBool(a.OK, b.OK), cmp.Compare(a.V, b.V))
}

// hashRow hashes position and content, so that equal rows have equal hashes.
func hashRow(w *envelope.Row) uint64 {
	h := hash.Number(uint64(w.Given), uint64(uint32(w.Attempt.V)))
	for _, word := range [...]string{w.Run, w.ErrorClass, w.RawStatus} {
		h = hash.Text(h, word)
	}
	if w.Retry {
		h = hash.Number(h, 1)
	}
	if w.Truth != 0 {
		h = hash.Number(h, uint64(w.Truth))
	}
	for _, v := range [...]envelope.Opt[float64]{w.Score, w.DurationMS, w.SetupMS, w.CostUSD, w.SetupCost} {
		h = hash.Optional(h, v.OK, math.Float64bits(v.V+0)) // -0 is equal to 0
	}
	for _, v := range [...]envelope.Opt[int64]{w.Tokens, w.StartedAt, w.Digest} {
		h = hash.Optional(h, v.OK, uint64(v.V))
	}
	for _, v := range [...]envelope.Opt[int32]{w.Category, w.ToolCalls} {
		h = hash.Optional(h, v.OK, uint64(uint32(v.V)))
	}
	return h
}

// inOrder reports whether the rows are in canonical order as they came, each in a position of its own.
func inOrder(r *envelope.Rows) bool {
	attempts, runs := r.Attempt(), r.Run()
	var ranks map[string]int
	for i := 1; i < len(attempts); i++ {
		a, aok := attempts.At(i - 1)
		b, bok := attempts.At(i)
		switch {
		case !bok:
		case !aok:
			return false
		case runs.ID(i-1) == runs.ID(i):
			if a >= b {
				return false
			}
		case r.StartedAt() == nil:
			if envelope.CompareNames(runs.At(i-1), runs.At(i)) > 0 {
				return false
			}
		default:
			if ranks == nil {
				ranks = runRanks(r)
			}
			if ranks[runs.At(i-1)] > ranks[runs.At(i)] {
				return false
			}
		}
	}
	return true
}

// canonical is the canonical order of the rows. They are sorted by position
// first, as numbers, and those of one position by when they began or by content.
func canonical(r *envelope.Rows) []int {
	type spot struct {
		run, attempt, row int
	}
	ranks := runRanks(r)
	spots := make([]spot, r.Len())
	for i := range spots {
		spots[i] = spot{run: math.MaxInt, row: i} // rows without an attempt come last
		if attempt, ok := r.Attempt().At(i); ok {
			spots[i].run, spots[i].attempt = ranks[r.Run().At(i)], int(attempt)
		}
	}
	slices.SortFunc(spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.attempt, b.attempt), cmp.Compare(a.row, b.row))
	})
	order := make([]int, len(spots))
	for i, s := range spots {
		order[i] = s.row
	}
	for at := 0; at < len(order); {
		end := at + 1
		for end < len(order) && r.SamePosition(order[at], order[end]) {
			end++
		}
		if end > at+1 {
			sortPosition(r, order[at:end])
		}
		at = end
	}
	return order
}

// sortPosition sorts the rows of one position: by when they began where all of them say it, for some may say it
// because of how they ended, and then by content. Equal rows come to lie side by side.
func sortPosition(r *envelope.Rows, rows []int) {
	type place struct {
		began int64
		retry bool
		hash  uint64
		row   int
	}
	places := make([]place, len(rows))
	timed := true
	for i, n := range rows {
		w := r.Row(n)
		places[i] = place{w.StartedAt.V, w.Retry, hashRow(&w), n}
		timed = timed && w.StartedAt.OK
	}
	slices.SortStableFunc(places, func(a, b place) int {
		if a.began != b.began && timed {
			return cmp.Compare(a.began, b.began)
		}
		if by := cmp.Or(compareBool(a.retry, b.retry), cmp.Compare(a.hash, b.hash)); by != 0 {
			return by
		}
		x, y := r.Row(a.row), r.Row(b.row)
		return fields(&x, &y)
	})
	for i, p := range places {
		rows[i] = p.row
	}
}

// runStart is when the first trial of a run began, as far as its trials say it.
type runStart struct {
	run   string
	began int64
	timed bool
}

// runRanks numbers the runs of the numbered trials of a test in their order: by when they began where all of them say
// it, else by name. Runs that come later then stand behind those that were looked at before.
func runRanks(r *envelope.Rows) map[string]int {
	runs := runStarts(r)
	timed := !slices.ContainsFunc(runs, func(s runStart) bool { return !s.timed })
	slices.SortFunc(runs, func(a, b runStart) int {
		if a.began != b.began && timed {
			return cmp.Compare(a.began, b.began)
		}
		return envelope.CompareNames(a.run, b.run)
	})
	ranks := make(map[string]int, len(runs))
	for rank, s := range runs {
		ranks[s.run] = rank
	}
	return ranks
}

func runStarts(r *envelope.Rows) []runStart {
	var runs []runStart
	places, at := map[string]int{}, -1
	for i := range r.Attempt() {
		if _, numbered := r.Attempt().At(i); !numbered {
			continue
		}
		if run := r.Run().At(i); at < 0 || runs[at].run != run {
			place, known := places[run]
			if !known {
				place = len(runs)
				places[run], runs = place, append(runs, runStart{run: run})
			}
			at = place
		}
		if began, ok := r.StartedAt().At(i); ok && (!runs[at].timed || began < runs[at].began) {
			runs[at].began, runs[at].timed = began, true
		}
	}
	return runs
}

// sameContent reports whether two rows of one position are equal in every kept field.
func sameContent(r *envelope.Rows, i, j int) bool {
	x, y := r.Row(i), r.Row(j)
	return fields(&x, &y) == 0
}

// chunkRows is how many rows a chunk of arrivals has.
const chunkRows = 1 << 16

// arrivals are the trials of all tests in the order they came, kept as columns in chunks.
//
// They exist because trials of many tests come interleaved: adding each to the columns of its own
// test would touch a dozen distant places, adding it here writes on where the one before ended.
// When all have come, distribute moves them to their tests, a column at a time.
type arrivals struct {
	chunks []*chunk
	count  int
}

// chunk is some trials in the order they came.
type chunk struct {
	tests  []uint32 // the number of the test, by row
	rows   envelope.Columns
	inside []*inside // by row; shorter, where nothing is inside of the last
}

func (c *chunk) within(n int, in *inside) {
	if in == nil {
		return
	}
	for len(c.inside) < n {
		c.inside = append(c.inside, nil)
	}
	c.inside = append(c.inside, in)
}

// within is what is inside an arrival, nil for nothing.
func (a *arrivals) within(arrival int) *inside {
	if c := a.chunks[arrival/chunkRows].inside; arrival%chunkRows < len(c) {
		return c[arrival%chunkRows]
	}
	return nil
}

func (a *arrivals) insides() bool {
	return slices.ContainsFunc(a.chunks, func(c *chunk) bool { return c.inside != nil })
}

// open is the chunk that takes the next row, and how many it takes. Only the
// first one grows: a small run needs little, and a large one no copying.
func (a *arrivals) open() (c *chunk, room int) {
	if n := len(a.chunks); n > 0 {
		c = a.chunks[n-1]
	}
	if c == nil || len(c.tests) == chunkRows {
		c = &chunk{}
		if len(a.chunks) > 0 {
			c.tests, c.rows.Given = make([]uint32, chunkRows)[:0], make([]envelope.Given, chunkRows)[:0]
		}
		a.chunks = append(a.chunks, c)
	}
	return c, chunkRows - len(c.tests)
}

func (a *arrivals) add(test uint32, w *envelope.Row, in *inside, d *envelope.Dictionary) int {
	c, _ := a.open()
	c.within(len(c.tests), in)
	c.tests = append(c.tests, test)
	c.rows.Append(w, d)
	a.count++
	return a.count - 1
}

func (a *arrivals) take(tests []uint32, rows *envelope.Columns, insides []*inside, source int32) (first int) {
	first = a.count
	for from := 0; from < len(tests); {
		c, room := a.open()
		to := min(len(tests), from+room)
		n := len(c.tests)
		c.tests = append(c.tests, tests[from:to]...)
		c.rows.Extend(rows, from, to, cap(c.tests))
		for i := from; i < min(to, len(insides)); i++ {
			c.within(n+i-from, insides[i])
		}
		if source != 0 {
			for i := n; i < len(c.tests); i++ {
				c.rows.Source.Set(i, source)
			}
		}
		a.count += to - from
		from = to
	}
	return first
}

// row is the row of an arrival. Once they are distributed it is empty.
func (a *arrivals) row(arrival int) envelope.Row {
	return a.chunks[arrival/chunkRows].rows.Row(arrival % chunkRows)
}
