package parting

import (
	"encoding/binary"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/stats"
)

// Pair is the place of a step in each of two trials; -1 where only the other made it.
type Pair struct{ First, Second int }

// CommonPrefix is how many steps two trials begin with that are equal by name and arguments.
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
	const mostCells = 1 << 22 // bounds the table of an alignment; the middle of longer trials is paired place by place
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

// Nearest is the place of the trial that is nearest to one: that of the longest common prefix of
// steps, then of the most equal steps; the first of equals. It is -1 among none.
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

func equalSteps(first, second []envelope.Step) int {
	return each.Count(Align(first, second), func(p Pair) bool {
		return p.First >= 0 && p.Second >= 0 && first[p.First] == second[p.Second]
	})
}

// way is how a trial goes on at a node: by a step, or by none.
type way uint64

const (
	byEnd     way = 1 << 32 // no further step
	byUnknown way = 1 << 33 // further steps that are not known
)

// node is a place of the trie where the trials that came the same way go on in two ways or more.
type node struct {
	arguments bool // the trie of names and arguments
	depth     int
	branches  []branch // in the order of their first trials
	p         float64
	exact     bool
}

// branch is the trials that go on in one way.
type branch struct {
	way    way
	trials []Trial
	passed int
}

// nodes finds the places where trials diverge, in both tries, the shallow ones first
// and of one depth those by name, those that the first trials come to first. Places of both tries
// that divide the same trials in the same way are one hypothesis, and only the first counts.
func (t *Table) nodes(trials []Trial) (all []node) {
	names, arguments := []branch{{trials: trials}}, []branch{{trials: trials}}
	seen := map[string]bool{}
	add := func(next []branch, found []node) []branch {
		for i := range found {
			if partition := found[i].partition(); !seen[partition] {
				seen[partition], all = true, append(all, found[i])
			}
		}
		return next
	}
	for depth := 0; len(names)+len(arguments) > 0; depth++ {
		names = add(t.level(names, depth, false))
		arguments = add(t.level(arguments, depth, true))
	}
	return all
}

// partition is which trials go which way, as a text.
func (n *node) partition() string {
	var rows []byte
	for _, b := range n.branches {
		for _, trial := range b.trials {
			rows = binary.AppendUvarint(rows, uint64(trial.Row)+1)
		}
		rows = append(rows, 0)
	}
	return string(rows)
}

// level deals the trials of each place at a depth to the ways they go on. It
// returns the places behind them where several trials came, and the nodes.
func (t *Table) level(places []branch, depth int, arguments bool) (next []branch, found []node) {
	for _, place := range places {
		ways := t.split(place.trials, depth, arguments)
		if len(ways) > 1 {
			found = append(found, node{arguments: arguments, depth: depth, branches: ways})
		}
		next = append(next, each.Where(ways, func(w branch) bool { return len(w.trials) > 1 && w.way < byEnd })...)
	}
	return next, found
}

func (t *Table) split(trials []Trial, depth int, arguments bool) (ways []branch) {
	at := map[way]int{}
	for _, trial := range trials {
		w := t.wayOf(trial, depth, arguments)
		i, seen := at[w]
		if !seen {
			i = len(ways)
			at[w], ways = i, append(ways, branch{way: w})
		}
		ways[i].trials = append(ways[i].trials, trial)
		if trial.Passed {
			ways[i].passed++
		}
	}
	return ways
}

func (t *Table) wayOf(trial Trial, depth int, arguments bool) way {
	switch {
	case depth < len(trial.Steps) && arguments:
		return way(trial.Steps[depth])
	case depth < len(trial.Steps):
		return way(t.names[trial.Steps[depth]])
	case trial.Cut:
		return byUnknown
	}
	return byEnd
}

func (n *node) test() {
	samples := each.Of(n.branches, func(b branch) stats.Sample { return stats.Sample{Passed: b.passed, N: len(b.trials)} })
	n.p, n.exact = stats.FreemanHalton(samples)
}
