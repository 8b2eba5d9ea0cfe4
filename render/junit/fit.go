package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"math"
	"slices"
	"sync/atomic"

	upstream "github.com/jstemmer/go-junit-report/v2/junit"

	"tribunal/envelope"
	"tribunal/internal/parallel"
	"tribunal/render/internal/standing"
)

// stages are levels that show what they show of a test in the same form, so that
// one writing tells the sizes of all of them. They hold every level, in order. To
// try one level after the other would be half of this file, and takes a tenth more
// time for 25,000 tests of four trials.
var stages = [][]level{{complete, quietPasses, barePasses}, {withoutOutputs, bodiesOnly}, {bare}}

// fit chooses how much is shown so that the document keeps the limits. It
// writes the testcases into memory, at most once a stage, and none of what goes
// over the limit.
func (d *draft) fit(size, cases int) {
	if len(d.env.Tests) > cases {
		d.choose(size, cases)
	}
	for _, stage := range stages {
		for i, whole := range d.sizes(stage, size) {
			if whole <= size {
				d.settle(stage, i)
				return
			}
		}
	}
	d.level = bare
	d.choose(size, cases)
}

// sizes are the sizes of the document at the levels of a stage, or something
// over the limit for those that are. The testcases of the first level are kept as
// long as it is not over the limit.
func (d *draft) sizes(stage []level, limit int) []int {
	whole, beyond := make([]int, len(stage)), d.beyond(stage, limit)
	for i := range stage {
		if i < beyond {
			whole[i] = limit + 1
			continue
		}
		d.settle(stage, i)
		whole[i] = d.frame()
	}
	if beyond == len(stage) {
		return whole
	}
	if d.made = nil; beyond == 0 {
		d.made = map[int][]byte{}
	}
	var first atomic.Int32 // of the levels that are not over the limit yet
	first.Store(int32(beyond))
	var keeping atomic.Bool
	keeping.Store(d.made != nil)
	at := d.atEach(stage)
	work := func(tests []int) sized {
		return at[min(int(first.Load()), len(at)-1)].stretch(tests, stage, keeping.Load())
	}
	_ = parallel.Stream(d.stretches(), work, func(s sized) error {
		for i := range whole {
			whole[i] += s.sizes[i]
		}
		for whole[first.Load()] > limit {
			d.made = nil
			keeping.Store(false)
			if int(first.Add(1)) == len(stage) {
				return errFull
			}
		}
		if d.made != nil {
			d.made[s.first] = s.bytes
		}
		return nil
	})
	return whole
}

// beyond is how many levels of a stage, the most telling ones, are over the limit
// by the properties of their tests alone. These are most of a large document, and
// their least size is found far quicker than they are written.
func (d *draft) beyond(stage []level, limit int) int {
	if !d.profile.properties {
		return 0
	}
	sizes, beyond := make([]int, len(stage)), 0
	_ = parallel.Stream(d.stretches(), func(tests []int) []int { return d.leastProperties(tests, stage) }, func(least []int) error {
		for i := range sizes {
			sizes[i] += least[i]
		}
		for sizes[beyond] > limit {
			if beyond++; beyond == len(stage) {
				return errFull
			}
		}
		return nil
	})
	return beyond
}

// leastProperties is the least size of the properties of some tests at the levels
// of a stage.
func (d *draft) leastProperties(tests []int, stage []level) []int {
	least := make([]int, len(stage))
	for _, i := range tests {
		t, size := &d.env.Tests[i], -1
		for n, l := range stage {
			if d.leftOut(i) || !l.shows(t, properties) {
				break // and so it is at the levels below
			}
			if size < 0 {
				size = propertiesAtLeast(t)
			}
			least[n] += size
		}
	}
	return least
}

// sized are some testcases of a suite and their sizes at the levels of a stage.
type sized struct {
	first int // the first of the tests, written or left out
	bytes []byte
	sizes []int
}

// atEach are copies of the draft at the levels of a stage.
func (d *draft) atEach(stage []level) []*draft {
	at := make([]*draft, len(stage))
	for i, l := range stage {
		one := *d
		one.level = l
		at[i] = &one
	}
	return at
}

// stretch makes testcases at the level of the draft, keeps them if asked to, and
// finds their sizes at all levels of its stage from there.
func (d *draft) stretch(tests []int, stage []level, keep bool) sized {
	e := newElements(d.caseDepth())
	defer e.free()
	s := sized{first: tests[0], sizes: make([]int, len(stage))}
	for _, i := range tests {
		if d.leftOut(i) {
			continue
		}
		t := &d.env.Tests[i]
		x := d.caseXML(t, e)
		size := e.testcase(&x)
		for n, l := range stage {
			s.sizes[n] += size.at(l, t).whole(e.depth)
		}
	}
	if keep {
		s.bytes = bytes.Clone(e.b)
	}
	return s
}

// at is what of the parts of a testcase is written at a level of its stage.
func (s caseSize) at(l level, t *envelope.Test) caseSize {
	if !l.shows(t, output) {
		s.output, s.flaky = 0, 0
	}
	if !l.shows(t, properties) {
		s.properties = 0
	}
	return s
}

// stretches gives the tests in the order they are written, a few of one suite at
// a time.
func (d *draft) stretches() func() ([]int, bool) {
	suite := 0
	var rest []int
	return func() (tests []int, more bool) {
		for len(rest) == 0 {
			if suite == len(d.suites) {
				return nil, false
			}
			rest = d.suites[suite].tests
			suite++
		}
		tests = rest[:min(len(rest), partCases)]
		rest = rest[len(tests):]
		return tests, true
	}
}

// settle sets the level to one of the stage whose testcases were made.
func (d *draft) settle(stage []level, i int) {
	d.level = stage[i]
	if i > 0 {
		d.made = nil // they are those of the first level
	}
	if d.left != nil {
		d.noteCut()
	}
}

// frame is the size of the document without its testcases.
func (d *draft) frame() int {
	c := &counter{left: math.MaxInt}
	d.framed = true
	_ = d.write(c) // a counter with so much room takes everything
	d.framed = false
	return math.MaxInt - c.left
}

var errFull = errors.New("over the limit")

// counter is a writer with room for so many bytes.
type counter struct{ left int }

// Write counts p.
func (c *counter) Write(p []byte) (int, error) {
	if c.left -= len(p); c.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// lastResort is the order in which tests get the room there is, when not even
// their bare testcases have enough.
var lastResort = []envelope.Status{envelope.Error, envelope.Fail, envelope.Inconclusive, envelope.Skip, envelope.Pass}

// choose leaves out tests until the rest keeps both limits, and adds a
// testcase that says so: GitLab shows nothing but testcases.
func (d *draft) choose(size, cases int) {
	d.level = bare
	d.left = make([]bool, len(d.env.Tests))
	for i := range d.left {
		d.left[i] = true
	}
	d.noteCut()
	const reserve = 1 << 10 // for what the numbers in the note and in the attributes may grow
	room := &counter{left: size - reserve}
	if d.write(room) != nil {
		return
	}
	left := cases
	for i := range d.suites {
		left -= len(d.suites[i].notes)
	}
	for _, status := range lastResort {
		if !d.admit(status, &left, room) {
			break
		}
	}
	d.noteCut()
}

// admit takes in the tests of the status, in their order, and reports whether
// there was room for all of them.
func (d *draft) admit(status envelope.Status, cases *int, room *counter) bool {
	for s := range d.suites {
		open := !d.vanished(s)
		for _, i := range d.suites[s].tests {
			t := &d.env.Tests[i]
			if rank(t.Status) != status {
				continue
			}
			cost := counter{left: room.left}
			if !open && measure(&cost, d.headOf(s)) != nil || d.measureCase(&cost, t) != nil || *cases <= 0 {
				return false
			}
			room.left, open, d.left[i] = cost.left, true, false
			*cases--
		}
	}
	return true
}

// rank is the status a test is written as.
func rank(s envelope.Status) envelope.Status {
	switch s {
	case envelope.Pass, envelope.Fail, envelope.Inconclusive, envelope.Skip:
		return s
	}
	return envelope.Error
}

// headOf is a testsuite without its testcases.
func (d *draft) headOf(i int) suiteXML {
	x := d.suiteXML(i)
	x.Testcases.s = &suite{}
	return x
}

func (d *draft) measureCase(c *counter, t *envelope.Test) error {
	e := newElements(d.caseDepth())
	defer e.free()
	x := d.caseXML(t, e)
	e.testcase(&x)
	_, err := c.Write(e.b)
	return err
}

// measure writes one element, indented as deep as a testcase, into the counter.
func measure(c *counter, element any) error {
	enc := xml.NewEncoder(c) // empty elements are counted long, which errs on the safe side
	enc.Indent("\n  ", "  ")
	return enc.Encode(element)
}

const leftOutCase = "tests left out"

// noteCut puts the testcase about tests left out where it belongs.
func (d *draft) noteCut() {
	at := len(d.suites) - 1
	if !d.profile.single && d.suites[at].name != standing.OwnSuite {
		d.suites = append(d.suites, suite{name: standing.OwnSuite})
		at++
	}
	notes := slices.DeleteFunc(d.suites[at].notes, func(c caseXML) bool { return c.Name == leftOutCase }) // of an earlier try
	c := caseXML{Name: leftOutCase, Classname: standing.OwnSuite, Time: seconds(0)}
	c.Skipped = &upstream.Result{Message: "skipped", Data: d.cutNote()}
	d.suites[at].notes = append(notes, c)
}
