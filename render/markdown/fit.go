package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tribunal/internal/words"
)

// The ranks of the parts. What has a higher number is left out first.
const (
	rankTitle = iota
	rankCounts
	rankReasons
	rankGates
	rankAttention
	rankProblems
	rankMethod
	rankMatrix
	rankDetails
	rankFolded
)

// part is a piece of the page: items that may be left out from the end, between
// an opening and a closing that are written when there is any item.
type part struct {
	rank        int
	open, close string
	n           int
	item        func(i int) string
	noun        func(i int) noun // what item i is
	made        []string         // the items so far, so that each is made once
}

// noun is what is counted, as in `1 passed test`, `2 passed tests`.
type noun struct{ one, many string }

func always(one, many string) func(int) noun {
	return func(int) noun { return noun{one, many} }
}

func (p *part) at(i int) string {
	for len(p.made) <= i {
		p.made = append(p.made, p.item(len(p.made)))
	}
	return p.made[i]
}

// measure is how large a text is, in characters or in bytes.
type measure func(string) int

// fit is how many items of each part fit the limit. As soon as one item does
// not, everything of a higher rank is left out with it.
func fit(parts []*part, limit int, size measure) (taken []int, whole bool) {
	taken = make([]int, len(parts))
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(parts[a].rank, parts[b].rank) })
	for _, at := range order {
		p := parts[at]
		cost := size(p.open) + size(p.close)
		for taken[at] < p.n {
			if cost += size(p.at(taken[at])); cost > limit {
				return taken, false
			}
			taken[at]++
		}
		if p.n > 0 {
			limit -= cost
		}
	}
	return taken, true
}

// compose writes as much of the parts as the limit allows, and if that is not
// all, a last line on what is missing. verdict is the word for a limit that has
// no room for more.
func compose(parts []*part, limit int, size measure, verdict string) string {
	taken, whole := fit(parts, limit, size)
	if whole {
		return join(parts, taken)
	}
	room := limit - size(missing(parts, make([]int, len(parts)))) // the longest that line can be
	if taken, _ = fit(parts, room, size); taken[0] > 0 {
		return join(parts, taken) + missing(parts, taken)
	}
	for _, s := range []string{"## " + verdict + "\n\nThere is no room for more.\n", verdict + "\n"} {
		if size(s) <= limit {
			return s
		}
	}
	return ""
}

func join(parts []*part, taken []int) string {
	var b strings.Builder
	for i, p := range parts {
		if taken[i] == 0 {
			continue
		}
		b.WriteString(p.open)
		for at := range taken[i] {
			b.WriteString(p.at(at))
		}
		b.WriteString(p.close)
	}
	return b.String()
}

// missing says how much is left out, and of what.
func missing(parts []*part, taken []int) string {
	var order []noun
	number := map[noun]int{}
	for i, p := range parts {
		for at := taken[i]; at < p.n; at++ {
			what := p.noun(at)
			if number[what] == 0 {
				order = append(order, what)
			}
			number[what]++
		}
	}
	counts := make([]string, len(order))
	for i, what := range order {
		counts[i] = words.Plural(number[what], what.one, what.many)
	}
	return fmt.Sprintf("Left out to save space: %s. The JSON report has everything.\n", strings.Join(counts, ", "))
}
