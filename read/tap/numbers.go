package tap

import "fmt"

// numbers are those of the points of a level. What is wrong with them first is told at
// the end of the level, as prove and tap-parser fail a stream for it.
type numbers struct {
	upTo   int          // all numbers came up to this one
	beyond map[int]bool // those that came and are higher
	wrong  string
}

// take notes a number. Version 14 allows any order of them, and prove none but theirs in
// older ones.
func (n *numbers) take(number int, anyOrder bool) {
	switch {
	case number == n.upTo+1:
		n.upTo++
		n.close()
	case number <= n.upTo && number > 0 || n.beyond[number]:
		n.say("there are two tests of number %d", number)
	case number < 1 || !anyOrder:
		n.say("test %d came where number %d was expected", number, n.upTo+1)
	default:
		if n.beyond == nil {
			n.beyond = map[int]bool{}
		}
		n.beyond[number] = true
	}
}

// close goes on with higher numbers that came before.
func (n *numbers) close() {
	for len(n.beyond) > 0 && n.beyond[n.upTo+1] {
		n.upTo++
		delete(n.beyond, n.upTo)
	}
}

func (n *numbers) say(format string, args ...any) {
	if n.wrong == "" {
		n.wrong = fmt.Sprintf(format, args...)
	}
}
