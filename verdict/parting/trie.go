package parting

import (
	"encoding/binary"

	"tribunal/stats"
)

// way is how a trial goes on at a node: by a step, or by none.
type way uint64

const (
	byEnd     way = 1 << 32 // no further step
	byUnknown way = 1 << 33 // further steps that are not known
)

// node is a place of the trie where the trials that came the same way go on in
// two ways or more.
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
		for _, w := range ways {
			if len(w.trials) > 1 && w.way < byEnd {
				next = append(next, w)
			}
		}
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

// test computes the p-value of the node.
func (n *node) test() {
	samples := make([]stats.Sample, len(n.branches))
	for i, b := range n.branches {
		samples[i] = stats.Sample{Passed: b.passed, N: len(b.trials)}
	}
	n.p, n.exact = stats.FreemanHalton(samples)
}
