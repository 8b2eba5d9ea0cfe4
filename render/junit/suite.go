package junit

import (
	"cmp"

	upstream "github.com/jstemmer/go-junit-report/v2/junit"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

// suite is one testsuite of the document.
type suite struct {
	name  string
	tests []int     // indexes into the envelope's tests
	notes []caseXML // cases that stand for no test
}

// group parts the tests by suite, in the order in which suites first appear.
// A run that is broken gets a case that says so, and so does one whose gate does not
// hold: a document without one would look like a run in which nothing went wrong.
func group(e *envelope.Envelope, p profile) []suite {
	var out []suite
	at := map[string]int{}
	for i := range e.Tests {
		name := e.Tests[i].Suite
		if p.single {
			name = ""
		}
		n, ok := at[name]
		if !ok {
			n = len(out)
			at[name] = n
			out = append(out, suite{name: standing.SuiteName(name, safe)})
		}
		out[n].tests = append(out[n].tests, i)
	}
	notes := runNotes(e, p)
	if len(out) == 0 || len(notes) > 0 && !p.single {
		out = append(out, suite{name: standing.OwnSuite})
	}
	out[len(out)-1].notes = notes
	if p.single {
		out[0].name = runName(e)
	}
	return out
}

func runNotes(e *envelope.Envelope, p profile) (notes []caseXML) {
	note := func(name string, what upstream.Testcase) {
		c := caseXML{Name: name, Classname: standing.OwnSuite, Testcase: what}
		if p.time {
			c.Time = seconds(0)
		}
		notes = append(notes, c)
	}
	if says := line(standing.Broken(e)); says != "" {
		note("run", upstream.Testcase{Error: &upstream.Result{Message: says, Type: typeError, Data: node(says + "\n" + notices(e))}})
	}
	if says := line(standing.Unheld(&e.Gate)); says != "" {
		note("gate", upstream.Testcase{Failure: &upstream.Result{Message: says, Type: typeFail, Data: node(says)}})
	}
	return notes
}

// totals are the numbers of a testsuite's attributes. They count the children
// that are written, because readers subtract one from the other.
type totals struct {
	tests, failures, errors, skipped int
	ms                               float64
}

func (a *totals) join(b totals) {
	a.tests += b.tests
	a.failures += b.failures
	a.errors += b.errors
	a.skipped += b.skipped
	a.ms += b.ms
}

func (d *draft) totals(s *suite) totals {
	var sum totals
	for _, i := range s.tests {
		if d.leftOut(i) {
			continue
		}
		t := &d.env.Tests[i]
		sum.count(shownStatus(t))
		if ms, ok := duration(t); ok {
			sum.ms += ms
		}
	}
	for _, c := range s.notes {
		sum.tests++
		switch {
		case c.Error != nil:
			sum.errors++
		case c.Failure != nil:
			sum.failures++
		case c.Skipped != nil:
			sum.skipped++
		}
	}
	return sum
}

// shownStatus is the status whose element the testcase has.
func shownStatus(t *envelope.Test) envelope.Status {
	if t.Excused() {
		return envelope.Skip
	}
	return t.Status
}

func (a *totals) count(s envelope.Status) {
	a.tests++
	switch s {
	case envelope.Pass:
	case envelope.Fail:
		a.failures++
	case envelope.Inconclusive, envelope.Skip:
		a.skipped++
	default:
		a.errors++
	}
}

func runName(e *envelope.Envelope) string {
	return cmp.Or(text.CutLine(safe(e.Run.Name), nameLimit), "tribunal")
}
