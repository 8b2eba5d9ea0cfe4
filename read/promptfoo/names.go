package promptfoo

import (
	"math"
	"strings"
)

// naming gives test cases their names. The first in the configuration that has a description
// is called by it, others of it by their vars as well, so that the names of plain suites
// stay plain; and those that ask the same and want something else are told apart by their
// plugin or their assertions. Rows stand in the order in which they ended: which test case
// is the first is known when all before it were seen.
type naming struct {
	cases     map[caseKey]*testCase
	described map[string]*plain
	asked     map[asks]*plain
	seen      map[int64]bool // of testIdx, from next on
	next      int64          // the smallest testIdx that was not seen
}

// plain is the test case that has a name alone, of those that share it.
type plain struct {
	first   *testCase
	settled bool
}

func newNaming() naming {
	return naming{cases: map[caseKey]*testCase{}, described: map[string]*plain{}, asked: map[asks]*plain{}, seen: map[int64]bool{}}
}

// find finds or makes the test case of a row. wants is what stands for its assertions.
func (n *naming) find(k caseKey, index int64, wants func() string) *testCase {
	c := n.cases[k]
	if c == nil {
		k.asks = asks{strings.Clone(k.description), strings.Clone(k.said), strings.Clone(k.strategy)}
		k.plugin = strings.Clone(k.plugin)
		c = &testCase{asks: k.asks, plugin: k.plugin, wants: wants(), index: math.MaxInt64}
		n.cases[k] = c
	}
	if index < c.index {
		c.index = index
		claim(n.described, c.description, c)
		claim(n.asked, c.asks, c)
	}
	for n.seen[index] = true; n.seen[n.next]; n.next++ {
		delete(n.seen, n.next)
	}
	return c
}

// claim gives a name to a test case that is before the one that has it.
func claim[K comparable](names map[K]*plain, name K, c *testCase) {
	switch had := names[name]; {
	case had == nil:
		names[name] = &plain{first: c}
	case !had.settled && c.index < had.first.index:
		had.first = c
	}
}

// knows reports whether it is known what a test case is called.
func (n *naming) knows(c *testCase) bool {
	known := func(p *plain) bool { return p.settled || p.first.index < n.next }
	return known(n.described[c.description]) && known(n.asked[c.asks])
}

// of is the name of a test case, which holds from now on.
func (n *naming) of(c *testCase) string {
	described, asked := n.described[c.description], n.asked[c.asks]
	described.settled, asked.settled = true, true
	name := c.description
	switch {
	case name == "":
		name = shorten(c.said)
	case described.first.said != c.said:
		name += " (" + shorten(c.said) + ")"
	}
	if c.strategy != "" {
		name += " (" + c.strategy + ")"
	}
	if first := asked.first; first.plugin != c.plugin || first.wants != c.wants {
		name += " (" + strings.TrimSpace(c.plugin+" "+c.wants) + ")"
	}
	return name
}
