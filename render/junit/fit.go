package junit

import (
	"bytes"
	"errors"
	"math"
	"slices"

	upstream "github.com/jstemmer/go-junit-report/v2/junit"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/parallel"
	"tribunal/render/internal/standing"
)

func (d *draft) fit(size, cases int) {
	if len(d.env.Tests) > cases {
		d.choose(size, cases)
	}
	for d.level = complete; d.level <= bare; d.level++ {
		if d.left != nil {
			d.noteCut()
		}
		if d.mayFit(size) && d.writeCases(size) {
			return
		}
	}
	d.level = bare
	d.choose(size, cases)
	d.writeCases(math.MaxInt)
}

const sampleSize = 64

// mayFit is false where a sample says that the testcases are together far over the limit, even
// if none were larger than the median of the sample: most of the work of a long report would
// be at levels that are given up. The sample is spread by the golden ratio, for tests come in periods.
func (d *draft) mayFit(limit int) bool {
	tests := len(d.env.Tests)
	if tests < 2*sampleSize {
		return true
	}
	sizes := make([]int, sampleSize)
	for i := range sizes {
		place := uint64(uint32(i) * 0x9e3779b1)
		sizes[i] = len(d.cases([]int{int(place * uint64(tests) >> 32)}).bytes)
	}
	slices.Sort(sizes)
	sum := each.Sum(sizes, func(size int) int { return min(size, sizes[sampleSize/2]) })
	return sum/sampleSize*tests*3/4 <= limit
}

func (d *draft) writeCases(limit int) bool {
	d.written = map[int][]byte{}
	size := 0
	return parallel.Stream(d.stretches(), d.cases, func(c cases) error {
		d.written[c.first] = c.bytes
		if size += len(c.bytes); size > limit {
			return errFull
		}
		return nil
	}) == nil && d.write(&counter{left: limit}) == nil
}

// cases are testcases of some tests of one suite, by the first of these.
type cases struct {
	first int
	bytes []byte
}

func (d *draft) cases(tests []int) cases {
	e := newElements(d.caseDepth())
	defer e.free()
	for _, i := range tests {
		if !d.leftOut(i) {
			x := d.caseXML(&d.env.Tests[i], e)
			e.testcase(&x)
		}
	}
	return cases{tests[0], bytes.Clone(e.b)}
}

// partCases is how many testcases are written at a stretch, several stretches at a time.
const partCases = 32

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

var errFull = errors.New("over the limit")

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
	d.level, d.written = bare, nil
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

func (d *draft) admit(status envelope.Status, cases *int, room *counter) bool {
	for s := range d.suites {
		open := !d.vanished(s)
		for _, i := range d.suites[s].tests {
			t := &d.env.Tests[i]
			if rank(t.Status) != status {
				continue
			}
			d.left[i] = false
			cost := len(d.cases([]int{i}).bytes)
			if !open {
				cost += d.headOf(s)
			}
			if cost > room.left || *cases <= 0 {
				d.left[i] = true
				return false
			}
			room.left, open = room.left-cost, true
			*cases--
		}
	}
	return true
}

func rank(s envelope.Status) envelope.Status {
	if slices.Contains(envelope.Statuses, s) {
		return s
	}
	return envelope.Error
}

func (d *draft) headOf(i int) int {
	e := newElements(d.caseDepth() - 1)
	defer e.free()
	d.suite(e, i, nil)
	return len(e.b)
}

const leftOutCase = "tests left out"

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
