package redact

// automaton finds all literals of all detectors in one pass, whatever the case
// of their letters (Aho and Corasick, Communications of the ACM 18, 1975). The
// time of a pass does not depend on how many literals there are.
type automaton struct {
	class [256]uint8 // column of a byte; 0 for bytes in no literal
	next  []uint32   // state and column to state; the top bit marks a state with an end
	ends  [][]end    // by state, which are counted in columns everywhere else
}

type end struct {
	row  int // its detector
	size int // of the literal
}

const (
	columns = 64
	ending  = 1 << 31 // marks states with an end
)

// literal is a word to be found, in lower case, and the detector it belongs to.
type literal struct {
	word string
	row  int
}

func newAutomaton(words []literal) *automaton {
	states := 1
	for _, w := range words {
		states += len(w.word)
	}
	a := &automaton{next: make([]uint32, columns, columns*states), ends: make([][]end, 1, states)}
	used := uint8(0)
	for _, w := range words {
		state := uint32(0)
		for i := range len(w.word) {
			c := w.word[i]
			if a.class[c] == 0 {
				used = min(used+1, columns-1) // more bytes than columns share the last: a false alarm, no miss
				a.class[c] = used
				if 'a' <= c && c <= 'z' {
					a.class[c-'a'+'A'] = used
				}
			}
			state = a.branch(state, a.class[c])
		}
		a.ends[state/columns] = append(a.ends[state/columns], end{w.row, len(w.word)})
	}
	a.link()
	return a
}

// branch is the state after one more byte of a literal, made when it is new.
func (a *automaton) branch(state uint32, class uint8) uint32 {
	at := state + uint32(class)
	if a.next[at] == 0 {
		a.next[at] = uint32(len(a.next))
		a.ends = append(a.ends, nil)
		a.next = append(a.next, make([]uint32, columns)...)
	}
	return a.next[at]
}

// link adds the transitions for bytes without a branch: to the longest suffix of the text read so
// far that is a prefix of a literal.
func (a *automaton) link() {
	back := make([]uint32, len(a.ends))
	queue := []uint32{}
	for c := range columns {
		if s := a.next[c]; s != 0 {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		from := back[state/columns]
		a.ends[state/columns] = append(a.ends[state/columns], a.ends[from/columns]...)
		for c := range uint32(columns) {
			at, fallback := state+c, a.next[from+c]
			if s := a.next[at]; s != 0 {
				back[s/columns] = fallback
				queue = append(queue, s)
			} else {
				a.next[at] = fallback
			}
		}
	}
	for i, s := range a.next {
		if len(a.ends[s/columns]) > 0 {
			a.next[i] = s | ending
		}
	}
}

// scan calls found for every literal in s, in the order of the offsets behind them.
func (a *automaton) scan(s string, found func(e end, behind int)) {
	state, next, class := uint32(0), a.next, &a.class
	for i := range len(s) {
		state = next[state+uint32(class[s[i]])]
		if state&ending == 0 {
			continue
		}
		state &^= ending
		for _, e := range a.ends[state/columns] {
			found(e, i+1)
		}
	}
}
