// Package xcresult reads the tests of an xcresult bundle as Xcode 16 prints them:
// xcrun xcresulttool get test-results tests --path RUN.xcresult.
//
// It exists because bundles are folders of a format of Apple's own, and this is how
// they say what is in them. Suites are the bundle and its classes; a row of arguments is
// a test of its own, a device of several the variant. Repetitions are attempts, and
// retries where they are called so. An expected failure is a pass.
package xcresult

import (
	"io"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with tests of a bundle.
func Sniff(head []byte) bool {
	keys := jsonwalk.DocumentKeys(head)
	return keys.Has("testNodes") || keys.Has("devices", "testPlanConfigurations")
}

// Read reads one file.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}}
	err := jsonwalk.Read(r, to, jsonwalk.Members{"testNodes": jsonwalk.Objects(func(v jsonwalk.Value) {
		rd.failed = rd.failed || v.Get("result").Text() == "Failed"
		rd.node(v, "")
	})})
	if rd.failed && rd.said != nil {
		rd.to.Fail("", rd.said...)
	} else if rd.failed {
		rd.to.Explain("the test plan failed, and none of its tests did")
	}
	return err
}

type reader struct {
	to     *runfailure.Watch
	failed bool     // a test plan did
	said   []string // by failures outside of tests
}

// node reads a plan, a bundle or a suite, and what is in it.
func (rd *reader) node(v jsonwalk.Value, suite string) {
	kind, name := v.Get("nodeType").Text(), v.Get("name").Text()
	switch {
	case kind == "Test Case":
		rd.test(v, envelope.Trial{Key: envelope.Key{Suite: suite, Test: name}})
		return
	case kind == "Failure Message":
		rd.said = append(rd.said, name)
	case kind == "Test Plan", kind == "Test Plan Configuration":
	case suite != "":
		suite += "." + name
	default:
		suite = name
	}
	for child := range v.Get("children").Items() {
		rd.node(child, suite)
	}
}

// test reads a test, or the parts that it was run in.
func (rd *reader) test(v jsonwalk.Value, t envelope.Trial) {
	var said []string
	parts := false
	for child := range v.Get("children").Items() {
		name, part := child.Get("name").Text(), t
		switch child.Get("nodeType").Text() {
		case "Failure Message":
			said = append(said, name)
			continue
		case "Device":
			part.Variant = name
		case "Arguments":
			part.Test += " [" + name + "]"
		case "Repetition":
			part.Retry = strings.HasPrefix(name, "Retry")
		case "Test Case Run":
		default:
			continue
		}
		parts = true
		rd.test(child, part)
	}
	if parts {
		return
	}
	if t.Test == "" {
		line, column := v.Place()
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: line, Column: column,
			Message: "a test without a name is not counted"})
		return
	}
	rd.end(&t, v, said)
}

func (rd *reader) end(t *envelope.Trial, v jsonwalk.Value, said []string) {
	word := v.Get("result").Text()
	switch t.Status, _ = envelope.ParseStatus(word); word {
	case "Passed", "Failed", "Skipped":
	case "Expected Failure":
		t.Status, t.RawStatus = envelope.Pass, word
	default:
		t.Status, t.ErrorClass, t.RawStatus, t.Message = envelope.Error, envelope.ClassInfrastructure, word, "the test has no result"
	}
	if s := v.Get("durationInSeconds"); s.Present() {
		t.DurationMS = s.Millis(1000)
	} else if d, err := time.ParseDuration(strings.ReplaceAll(v.Get("duration").Text(), " ", "")); err == nil {
		t.DurationMS = trialfields.Duration(d)
	}
	if len(said) > 0 && t.Status != envelope.Pass {
		t.File, t.Line, t.Message = place(said[0])
		t.Output = failure.Ends(strings.Join(said, "\n"))
	}
	rd.to.Send(t)
}

// place parts a message such as CartTests.swift:12: failed.
func place(said string) (file string, line int, message string) {
	head, rest, _ := strings.Cut(said, ": ")
	name, number, ok := strings.Cut(head, ":")
	n, err := strconv.ParseInt(number, 10, 32)
	if !ok || err != nil || n < 1 || strings.Contains(name, " ") {
		return "", 0, failure.Reason(said, 3)
	}
	return name, int(n), failure.Reason(rest, 3)
}
