package redact

// automaton finds all literals of all detectors in one pass, whatever the case
// of their letters (Aho and Corasick, Communications of the ACM 18, 1975). The
// time of a pass does not depend on how many literals there are.
type automaton struct {
	class [256]uint8 // column of a byte; 0 for bytes in no literal
	next  []uint16   // state and column to state; the top bit marks a state with an end
	ends  [][]end    // by state
}

// end is a literal that ends at a state.
type end struct {
	row  int // its detector
	size int // of the literal
}

const (
	columns = 64
	ending  = 1 << 15 // marks states with an end
)

// literal is a word to be found, in lower case, and the detector it belongs to.
type literal struct {
	word string
	row  int
}

func newAutomaton(words []literal) *automaton {
	a := &automaton{next: make([]uint16, columns), ends: make([][]end, 1)}
	used := uint8(0)
	for _, w := range words {
		state := uint16(0)
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
		a.ends[state] = append(a.ends[state], end{w.row, len(w.word)})
	}
	a.link()
	return a
}

// branch is the state after one more byte of a literal, made when it is new.
func (a *automaton) branch(state uint16, class uint8) uint16 {
	at := int(state)*columns + int(class)
	if a.next[at] == 0 {
		a.next[at] = uint16(len(a.ends))
		a.ends = append(a.ends, nil)
		a.next = append(a.next, make([]uint16, columns)...)
	}
	return a.next[at]
}

// link completes the tree: where it has no branch, the automaton goes on with
// the longest end of what it has read that starts a literal.
func (a *automaton) link() {
	back := make([]uint16, len(a.ends))
	queue := []uint16{}
	for c := range columns {
		if s := a.next[c]; s != 0 {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		a.ends[state] = append(a.ends[state], a.ends[back[state]]...)
		for c := range columns {
			at, fallback := int(state)*columns+c, a.next[int(back[state])*columns+c]
			if s := a.next[at]; s != 0 {
				back[s] = fallback
				queue = append(queue, s)
			} else {
				a.next[at] = fallback
			}
		}
	}
	for i, s := range a.next {
		if len(a.ends[s]) > 0 {
			a.next[i] = s | ending
		}
	}
}

// scan calls found for every literal in s, in the order of their ends, which are in front
// of a place.
func (a *automaton) scan(s string, found func(e end, behind int)) {
	state, next, class := uint16(0), a.next, &a.class
	for i := range len(s) {
		state = next[int(state&^ending)*columns+int(class[s[i]])]
		if state&ending == 0 {
			continue
		}
		for _, e := range a.ends[state&^ending] {
			found(e, i+1)
		}
	}
}
