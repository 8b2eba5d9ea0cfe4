package jmeter

import (
	"io"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlwalk"
)

// textLimit is how many bytes are taken of what an assertion says.
const textLimit = 16 << 10

// maxNesting is how deep samples may stand in each other.
const maxNesting = 50

// xml reads a file of elements.
func (rd *reader) xml(in io.Reader) error {
	return xmlwalk.Read(in, rd.to, func(doc *xmlwalk.Doc, e *xmlwalk.Element) error {
		if e.Name != root {
			doc.Refuse(e, root)
			return nil
		}
		return doc.Children(func(e *xmlwalk.Element) error {
			if !isSample(e) {
				return nil
			}
			_, err := rd.element(doc, e, 0)
			return err
		})
	})
}

func isSample(e *xmlwalk.Element) bool { return e.Name == "sample" || e.Name == "httpSample" }

// element reads a sample with those in it, and reports whether it or one of them failed. Of a
// transaction these are trials, and it counts only where it is more than their sum; of any
// other they are its checks.
func (rd *reader) element(doc *xmlwalk.Doc, e *xmlwalk.Element, depth int) (failed bool, err error) {
	s := &sample{line: e.Line, column: e.Column, label: e.Attr("lb"), code: e.Attr("rc"), message: e.Attr("rm"), thread: e.Attr("tn"),
		stamp: e.Attr("ts"), elapsed: e.Attr("t"), success: e.Attr("s")}
	_, isSum := size(s.message)
	inside := 0
	err = doc.Children(func(e *xmlwalk.Element) error {
		switch {
		case e.Name == "assertionResult":
			return s.assertion(doc)
		case !isSample(e) || depth == maxNesting:
			return nil
		case !isSum:
			s.fetched(e)
			return nil
		}
		inside++
		its, err := rd.element(doc, e, depth+1)
		failed = failed || its
		return err
	})
	if err != nil {
		return failed, err // it is not known whole
	}
	if inside > 0 && (s.passed() || failed) {
		rd.sums.pass(s)
	} else {
		rd.take(s)
	}
	return failed || !s.passed(), nil
}

// fetched takes a sample in another for a check.
func (s *sample) fetched(e *xmlwalk.Element) {
	c := envelope.Check{Name: e.Attr("lb"), Status: envelope.Pass}
	if e.Attr("s") == "false" {
		c.Status, c.Reason = envelope.Fail, e.Attr("rc")+" "+e.Attr("rm")
	}
	trialfields.AddCheck(&s.checks, c, "sample")
}

// assertion reads an assertion, which failed or could not be made.
func (s *sample) assertion(doc *xmlwalk.Doc) error {
	name, failed, broke, said := "", "", "", ""
	into := map[string]*string{"name": &name, "failure": &failed, "error": &broke, "failureMessage": &said}
	err := doc.Children(func(e *xmlwalk.Element) (err error) {
		if text := into[e.Name]; text != nil {
			*text, err = doc.Text(textLimit)
		}
		return err
	})
	c := envelope.Check{Name: name, Status: envelope.Pass, Reason: said}
	switch {
	case broke == "true":
		c.Status = envelope.Error
	case failed == "true":
		c.Status = envelope.Fail
	}
	if c.Status != envelope.Pass && s.failures == "" {
		s.failures = failure.Reason(said, 3)
	}
	trialfields.AddCheck(&s.checks, c, "assertion")
	return err
}
