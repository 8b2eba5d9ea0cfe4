package tap

import (
	"strconv"
	"strings"

	"tribunal/envelope"
)

// heading is the comment over the points of a test of tape, and of runners that write like
// it: their points are assertions, of which several in a test, and many in a stream, have
// the same description and are no attempts at one test.
type heading struct {
	name string
	here bool           // the stream has headings
	seen map[string]int // descriptions below this one
}

// headed decides at the first point whether a stream has headings: tape writes the version,
// a heading and a point without a dash, and its plan at the end.
func (rd *reader) headed(root *level, first *point) {
	if root == rd.levels[0] && root.points == 0 {
		rd.heading.here = rd.heading.name != "" && rd.versioned && !root.plan.OK && first.bare
	}
}

// title takes a comment for the heading of the points behind it.
func (rd *reader) title(line string) {
	name, is := strings.CutPrefix(line, "# ")
	if !is || rd.levels[0].points > 0 && !rd.heading.here {
		return
	}
	if rd.heading.here {
		rd.at(0)
		rd.finish(0)
	}
	rd.heading.name, rd.heading.seen = firstLines(strings.TrimPrefix(name, "TODO ")), nil
}

// place puts a point below its heading. What has a description again there is numbered.
func (h *heading) place(k *envelope.Key) {
	if !h.here {
		return
	}
	if h.seen == nil {
		h.seen = map[string]int{}
	}
	h.seen[k.Test]++
	if n := h.seen[k.Test]; n > 1 {
		k.Test += " (" + strconv.Itoa(n) + ")"
	}
	k.Suite = h.name
}
