// Package parting finds where the trials of one test part: up to which step all
// do the same, what each does next, and which of these ways end in a pass.
//
// It exists because an agent's trials are conversations, which nobody can read side by side by the
// dozen; where they first go different ways, and how the ways end, is what a reviewer looks for. It
// compares tool calls, never wording: users and models do not say a thing twice alike.
//
// Everything here is exploratory and says so: the place was found by looking, and
// only its adjusted p-value pays for that. Numbers over several tests are always
// taken within tests, because tests differ more than behaviours do. It leaves out
// what a conversation is, and how any of this is shown.
package parting

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/stats"
)

// Arguments is the arguments of a step of a trial, counted as in its Steps, in
// their JSON text; not ok where they were not kept.
type Arguments func(trial Trial, step int) (text string, ok bool)

// Of finds where the trials of a test part, given those that count. Every place where they go on in
// two ways or more is a hypothesis, in the trie of their steps by name and in that by name and
// arguments: that the ways pass alike, tested by Freeman and Halton's exact test and adjusted by
// Holm over all of them. The place is that of the smallest p-value, the shallower and then the one
// by name of two that are equal. It is nil where all passed or none, and where all do the same.
func (t *Table) Of(trials []Trial, confidence float64, arguments Arguments) *envelope.Parting {
	if passed := each.Count(trials, func(t Trial) bool { return t.Passed }); passed == 0 || passed == len(trials) {
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
	const fewest = 7 // the number of trials under which no p-value can be small, and none is given
	if len(trials) >= fewest {
		out.P, out.Adjusted = envelope.Some(p[best]), envelope.Some(stats.Holm(p)[best])
		out.Method = envelope.PExact
		if slices.ContainsFunc(nodes, func(n node) bool { return !n.exact }) {
			out.Method = envelope.PPermutations
		}
	}
	return out
}

func (t *Table) describe(n *node, confidence float64, arguments Arguments) *envelope.Parting {
	first := n.branches[0].trials[0]
	out := &envelope.Parting{Level: envelope.PartNames, Depth: n.depth}
	out.Shared = each.Of(first.Steps[:n.depth], func(place uint32) int { return int(place) })
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
	out.Trials = each.Of(b.trials, func(trial Trial) int { return trial.Row })
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

const (
	mostValues   = 3  // how many arguments of a branch are shown
	longestValue = 24 // characters of each
)

// values are the arguments of a call by key, as they are shown.
type values map[string]string

// apart is of each branch, in short, the arguments that distinguish it from the other
// branches of its tool. It is empty where no other branch is of that tool, and
// where the arguments were not kept.
func (t *Table) apart(n *node, arguments Arguments) []string {
	texts := make([]string, len(n.branches))
	if !n.arguments || arguments == nil {
		return texts
	}
	byName := map[uint32][]int{}
	for i, b := range n.branches {
		if b.way < byEnd {
			name := t.names[b.way]
			byName[name] = append(byName[name], i)
		}
	}
	for _, twins := range byName {
		if len(twins) < 2 {
			continue
		}
		calls := each.Of(twins, func(at int) values { return n.branches[at].arguments(n.depth, arguments) })
		for i, at := range twins {
			texts[at] = calls[i].show(differing(calls))
		}
	}
	return texts
}

// arguments are those of the step that all trials of the branch make, from the
// first of which they were kept; nil where there is none.
func (b branch) arguments(step int, of Arguments) values {
	for _, trial := range b.trials {
		if text, ok := of(trial, step); ok {
			return valuesOf(text)
		}
	}
	return nil
}

// valuesOf are the members of a JSON object, or the text itself under no key.
func valuesOf(text string) values {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) != nil {
		return values{"": text}
	}
	v := values{}
	for key, raw := range object {
		var word string
		if json.Unmarshal(raw, &word) != nil {
			var compact bytes.Buffer
			_ = json.Compact(&compact, raw) // it was read above
			word = compact.String()
		}
		v[key] = word
	}
	return v
}

// differing are the keys, sorted, under which not all calls have the same; all of
// them where only one is known.
func differing(calls []values) (keys []string) {
	calls = slices.DeleteFunc(slices.Clone(calls), func(v values) bool { return v == nil })
	for _, v := range calls {
		for key := range v {
			other := func(o values) bool { value, has := o[key]; return !has || value != v[key] }
			if len(calls) == 1 || slices.ContainsFunc(calls, other) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func (v values) show(keys []string) string {
	var shown []string
	for _, key := range keys {
		value, has := v[key]
		if !has {
			continue
		}
		if len(shown) == mostValues {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, short(value))
	}
	return strings.Join(shown, ", ")
}

func short(value string) string {
	value = strings.Join(strings.Fields(value), " ")
	if utf8.RuneCountInString(value) <= longestValue {
		return value
	}
	return string([]rune(value)[:longestValue-1]) + "…"
}
