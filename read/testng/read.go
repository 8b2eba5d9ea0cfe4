// Package testng reads testng-results.xml of TestNG.
//
// It exists because what TestNG writes as JUnit leaves out parameters and tries. A class is a suite, a method with its
// parameters a test. A try that was retried is in the file as skipped, with a mark: it failed, and what comes behind it
// is a retry. A failed method of the configuration is an error.
package testng

import (
	"cmp"
	"io"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlreport"
	"tribunal/read/internal/xmlwalk"
)

const root = "testng-results"

// Sniff reports whether head starts with a report.
func Sniff(head []byte) bool { return xmlwalk.Starts(head, root) }

// Again is the writer whose reports have the trials of testng-results.xml as well: Surefire
// writes whatever it ran beside it, also where it starts TestNG several times.
func Again(string) (by, folder string) { return "surefire", "." }

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{again: map[envelope.Key]bool{}}
	return rd.Read(r, to, func(e *xmlwalk.Element) {
		rd.inside("")
		rd.To.Counted(e.Number("failed"), "methods")
		if listed := e.Number("total") - e.Number("ignored"); !rd.Doc.Cut() && rd.methods > 0 { // suites may have files of their own
			rd.To.Fewer(envelope.Problem{Line: e.Line, Column: e.Column, Message: "the report"}, listed, rd.methods, "methods")
		}
	}, root)
}

type reader struct {
	xmlreport.Reader
	methods int                   // that are no set-ups
	again   map[envelope.Key]bool // tests of which the try before was retried
}

// inside reads what stands in suites, tests and classes.
func (rd *reader) inside(class string) {
	same := func(*xmlwalk.Element) { rd.inside(class) }
	rd.Inside(xmlwalk.Elements{"suite": same, "test": same, "class": func(e *xmlwalk.Element) { rd.inside(e.Attr("name")) },
		"test-method": func(e *xmlwalk.Element) { rd.method(e, class) }})
}

func (rd *reader) method(e *xmlwalk.Element, class string) {
	word, config, retried := e.Attr("status"), e.Attr("is-config") == "true", e.Attr("retried") == "true"
	if !config {
		rd.methods++
	}
	t := envelope.Trial{Key: envelope.Key{Suite: class}, Status: outcome(word, config, retried),
		DurationMS: trialfields.Lasted(e.Attr("duration-ms"), 1), StartedAt: trialfields.Time(time.RFC3339, e.Attr("started-at"))}
	var params []string
	var message, stack string
	inside := xmlwalk.Elements{"message": &message, "full-stacktrace": &stack, "value": func(*xmlwalk.Element) {
		params = append(params, strings.TrimSpace(rd.Doc.Text(xmlreport.TextLimit)))
	}}
	inside["params"], inside["param"], inside["exception"] = inside, inside, inside
	if rd.Inside(inside); rd.Doc.Cut() {
		return
	}
	if !rd.Named(&t, named(e, class), "method", e) {
		return
	}
	t.Test += words.If(len(params) > 0, "("+strings.Join(params, ", ")+")")
	if config && t.Status != envelope.Error {
		return // of set-ups only those that failed say something
	}
	if word != "PASS" && word != "FAIL" && word != "SKIP" {
		t.RawStatus = word
	}
	if t.Status != envelope.Pass {
		t.Message = cmp.Or(failure.Reason(message, 3), failure.Reason(stack, 1))
		t.Output = failure.Ends(stack)
	}
	t.Retry, rd.again[t.Key] = rd.again[t.Key], retried
	rd.Deliver(&t)
}

// named is the name of a method, with that of its instance, where a factory makes several
// of a class and they say their names (ITest). Old versions have the latter in place of both.
func named(e *xmlwalk.Element, class string) string {
	name, instance := e.Attr("name"), e.Attr("test-instance-name")
	if method, _, signed := strings.Cut(e.Attr("signature"), "("); signed && name == instance {
		name = method
	}
	if instance == "" || instance == class {
		return name
	}
	return name + " [" + instance + "]"
}

func outcome(word string, config, retried bool) envelope.Status {
	switch {
	case word == "PASS", word == "SUCCESS_PERCENTAGE_FAILURE":
		return envelope.Pass
	case word == "SKIP" && retried:
		return envelope.Fail
	case word == "SKIP":
		return envelope.Skip
	case word == "FAIL" && !config:
		return envelope.Fail
	}
	return envelope.Error
}
