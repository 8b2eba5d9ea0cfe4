package agent

import (
	"cmp"
	"slices"
	"strings"

	"tribunal/internal/words"
)

// item is one or more lines that are written together or not at all. Items stand
// in the order in which they are written; their rank says in which they are
// chosen.
type item struct {
	rank  int
	below int    // the item it belongs to, -1 for none
	noun  string // what it is when it is left out
	make  func() string
	made  string
}

// text makes the lines once, when they are asked for.
func (it *item) text() string {
	if it.made == "" {
		it.made = it.make()
	}
	return it.made
}

// choose takes items by rank as long as they fit, and no more of a rank after
// the first that does not: what is left out is the end of a list, never its
// middle.
func choose(all []*item, room int) (taken []bool, whole bool) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[a].rank, all[b].rank) })
	taken, whole = make([]bool, len(all)), true
	full := -1 // the rank that has no room for more
	for _, i := range order {
		it := all[i]
		if it.rank == full || it.below >= 0 && !taken[it.below] {
			whole = false
			continue
		}
		if n := len(it.text()); n <= room {
			taken[i], room = true, room-n
			continue
		}
		full, whole = it.rank, false
		if it.rank == rankVerdict {
			break
		}
	}
	return taken, whole
}

func join(all []*item, taken []bool) string {
	var b strings.Builder
	for i, it := range all {
		if taken[i] {
			b.WriteString(it.text())
		}
	}
	return b.String()
}

// missing says how much is left out, and of what.
func missing(all []*item, taken []bool) string {
	var order []string
	number := map[string]int{}
	for i, it := range all {
		if taken[i] {
			continue
		}
		if number[it.noun] == 0 {
			order = append(order, it.noun)
		}
		number[it.noun]++
	}
	for i, noun := range order {
		order[i] = words.Plural(number[noun], noun, noun+"s")
	}
	return "left out: " + strings.Join(order, ", ") + "\n"
}
