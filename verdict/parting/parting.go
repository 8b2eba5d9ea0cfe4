package parting

import (
	"cmp"
	"slices"

	"tribunal/envelope"
	"tribunal/stats"
)

// fewest is the number of trials under which no p-value can be small, and none is
// given.
const fewest = 7

// Arguments is the arguments of a step of a trial, counted as in its Steps, in
// their JSON text; not ok where they were not kept.
type Arguments func(trial Trial, step int) (text string, ok bool)

// Of finds where the trials of a test part, given those that count. Every place
// where they go on in two ways or more is a hypothesis, in the trie of their steps
// by name and in that by name and arguments: that the ways pass alike, tested by
// Freeman and Halton's exact test and adjusted by Holm over all of them. The place
// is that of the smallest p-value, the shallower and then the one by name of two
// that are equal. It is nil where all passed or none, and where all do the same.
func (t *Table) Of(trials []Trial, confidence float64, arguments Arguments) *envelope.Parting {
	if passed := passes(trials); passed == 0 || passed == len(trials) {
		return nil
	}
	nodes := t.nodes(trials)
	if len(nodes) == 0 {
		return nil
	}
	best, p := 0, make([]float64, len(nodes))
	for i := range nodes {
		nodes[i].test()
		p[i] = nodes[i].p
		const same = 1 - 1e-9 // but for rounding
		if p[i] < p[best]*same {
			best = i
		}
	}
	out := t.describe(&nodes[best], confidence, arguments)
	out.Nodes = len(nodes)
	if len(trials) >= fewest {
		out.P, out.Adjusted = envelope.Some(p[best]), envelope.Some(stats.Holm(p)[best])
		out.Method = envelope.PExact
		if slices.ContainsFunc(nodes, func(n node) bool { return !n.exact }) {
			out.Method = envelope.PPermutations
		}
	}
	return out
}

// describe says what a node is.
func (t *Table) describe(n *node, confidence float64, arguments Arguments) *envelope.Parting {
	first := n.branches[0].trials[0]
	out := &envelope.Parting{Level: envelope.PartNames, Depth: n.depth}
	for _, place := range first.Steps[:n.depth] {
		out.Shared = append(out.Shared, int(place))
	}
	if n.arguments {
		out.Level = envelope.PartArguments
	}
	for _, b := range n.branches {
		out.N += len(b.trials)
	}
	texts := t.apart(n, arguments)
	for i, b := range n.branches {
		described := b.describe(confidence)
		switch {
		case b.way == byEnd:
			described.Ended = true
		case b.way == byUnknown:
			described.Unknown = true
		case n.arguments:
			described.Name, described.Digest, described.Arguments = t.steps[b.way].Name, t.steps[b.way].Digest, texts[i]
		default:
			described.Name = t.words[b.way]
		}
		out.Branches = append(out.Branches, described)
	}
	out.Branches = few(out.Branches, confidence)
	slices.SortStableFunc(out.Branches, byRate)
	return out
}

func (b branch) describe(confidence float64) envelope.Branch {
	out := envelope.Branch{Passed: b.passed, N: len(b.trials)}
	out.Lo, out.Hi = stats.Wilson(out.Passed, out.N, stats.ConventionalZ(confidence))
	for _, trial := range b.trials {
		out.Trials = append(out.Trials, trial.Row)
	}
	return out
}

// few are at most MostBranches: those of the fewest trials become one.
func few(all []envelope.Branch, confidence float64) []envelope.Branch {
	if len(all) <= envelope.MostBranches {
		return all
	}
	slices.SortStableFunc(all, func(a, b envelope.Branch) int { return cmp.Compare(b.N, a.N) })
	var others envelope.Branch
	for _, b := range all[envelope.MostBranches-1:] {
		others.Others++
		others.Passed += b.Passed
		others.N += b.N
		others.Trials = append(others.Trials, b.Trials...)
	}
	others.Lo, others.Hi = stats.Wilson(others.Passed, others.N, stats.ConventionalZ(confidence))
	slices.Sort(others.Trials)
	return append(all[:envelope.MostBranches-1:envelope.MostBranches-1], others)
}

// byRate orders branches by the share that passes, then by their trials; several
// ways together come last.
func byRate(a, b envelope.Branch) int {
	return cmp.Or(cmp.Compare(min(1, a.Others), min(1, b.Others)), cmp.Compare(b.Passed*a.N, a.Passed*b.N), cmp.Compare(b.N, a.N))
}
