package parting

import "tribunal/envelope"

// Pair is the place of a step in each of two trials; -1 where only the other made
// it.
type Pair struct{ First, Second int }

// mostCells bounds the table of an alignment; the middle of longer trials is paired
// place by place.
const mostCells = 1 << 22

// CommonPrefix is how many steps two trials begin with that are equal by name and
// arguments.
func CommonPrefix(first, second []envelope.Step) int {
	for i := range min(len(first), len(second)) {
		if first[i] != second[i] {
			return i
		}
	}
	return min(len(first), len(second))
}

// Align pairs the steps of two trials: those that both begin with, then in order as many
// equal ones as can be, and of ways to do that the one with the most steps beside each
// other, those of one name before others: a step was rather done in place of another than
// left out here and added there.
func Align(first, second []envelope.Step) []Pair {
	n := CommonPrefix(first, second)
	pairs := make([]Pair, n, max(len(first), len(second)))
	for i := range pairs {
		pairs[i] = Pair{i, i}
	}
	for _, p := range alignRest(first[n:], second[n:]) {
		if p.First >= 0 {
			p.First += n
		}
		if p.Second >= 0 {
			p.Second += n
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// alignRest aligns by the table of the best that the ends from each place can have.
func alignRest(first, second []envelope.Step) (pairs []Pair) {
	best := func(i, j int) int32 { return 0 }
	if width := len(second) + 1; (len(first)+1)*width <= mostCells {
		cells := bestEnds(first, second)
		best = func(i, j int) int32 { return cells[i*width+j] }
	}
	i, j := 0, 0
	for i < len(first) && j < len(second) {
		switch {
		case best(i, j) <= alike(first[i], second[j])+best(i+1, j+1):
			pairs = append(pairs, Pair{i, j})
			i, j = i+1, j+1
		case best(i+1, j) >= best(i, j+1):
			pairs = append(pairs, Pair{i, -1})
			i++
		default:
			pairs = append(pairs, Pair{-1, j})
			j++
		}
	}
	for ; i < len(first); i++ {
		pairs = append(pairs, Pair{i, -1})
	}
	for ; j < len(second); j++ {
		pairs = append(pairs, Pair{-1, j})
	}
	return pairs
}

// bestEnds is, at i*(len(second)+1)+j, the most that the steps from i and j on gain.
func bestEnds(first, second []envelope.Step) []int32 {
	width := len(second) + 1
	cells := make([]int32, (len(first)+1)*width)
	for i := len(first) - 1; i >= 0; i-- {
		for j := len(second) - 1; j >= 0; j-- {
			cells[i*width+j] = max(cells[(i+1)*width+j], cells[i*width+j+1], alike(first[i], second[j])+cells[(i+1)*width+j+1])
		}
	}
	return cells
}

// alike is what two steps beside each other gain: one equal pair is worth more than any
// number of pairs by name, of which one is worth more than some of others.
func alike(a, b envelope.Step) int32 {
	switch {
	case a == b:
		return 1 << 17
	case a.Name == b.Name:
		return 1 << 5
	}
	return 1
}

// Nearest is the place of the trial that is nearest to one: that of the longest
// common prefix of steps, then of the most equal steps; the first of equals. It is
// -1 among none.
func Nearest(to []envelope.Step, among [][]envelope.Step) int {
	best, prefix, equal := -1, -1, -1
	for i, steps := range among {
		n := CommonPrefix(to, steps)
		if n < prefix {
			continue
		}
		if e := equalSteps(to, steps); n > prefix || e > equal {
			best, prefix, equal = i, n, e
		}
	}
	return best
}

func equalSteps(first, second []envelope.Step) (n int) {
	for _, p := range Align(first, second) {
		if p.First >= 0 && p.Second >= 0 && first[p.First] == second[p.Second] {
			n++
		}
	}
	return n
}
