package junit

import (
	"encoding/xml"
	"errors"

	upstream "github.com/jstemmer/go-junit-report/v2/junit"

	"tribunal/envelope"
)

// fit chooses how much is shown so that the document keeps the limits. It
// writes the document into a counter, at most once a level, which costs time
// only for large reports and no memory.
func (d *draft) fit(size, cases int) {
	if len(d.env.Tests) > cases {
		d.choose(size, cases)
	}
	for d.level = complete; d.level <= bare; d.level++ {
		if d.fits(size) {
			return
		}
	}
	d.level = bare
	d.choose(size, cases)
}

func (d *draft) fits(size int) bool {
	if d.left != nil {
		d.noteCut()
	}
	return d.write(&counter{left: size}) == nil
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
	left := cases - 1 // one is the note
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
			if !open && measure(&cost, d.headOf(s)) != nil || measure(&cost, d.caseXML(&d.suites[s], t)) != nil || *cases <= 0 {
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

// measure writes one element, indented as deep as a testcase, into the counter.
func measure(c *counter, element any) error {
	enc := xml.NewEncoder(c) // empty elements are counted long, which errs on the safe side
	enc.Indent("\n  ", "  ")
	return enc.Encode(element)
}

// noteCut puts the testcase about tests left out where it belongs.
func (d *draft) noteCut() {
	at := len(d.suites) - 1
	if !d.profile.single && d.suites[at].name != ownSuite {
		d.suites = append(d.suites, suite{name: ownSuite})
		at++
	}
	c := caseXML{Name: "tests left out", Classname: ownSuite, Time: seconds(0)}
	c.Skipped = &upstream.Result{Message: "skipped", Data: d.cutNote()}
	d.suites[at].notes = []caseXML{c}
}
