// Package junit writes an envelope as JUnit XML for GitLab, Jenkins and the GitHub test
// reporters. There is one testcase per test, never one per trial, because readers keep only
// one of two cases with the same name.
//
// JUnit XML has no standard and its readers disagree. This package only uses what they share:
//
//   - testsuites, testsuite, testcase: three levels, no nesting, because some
//     readers lose what is deeper or shallower.
//   - Identity is (suite, classname, name), in one reader joined with "_", in
//     another without the suite. So the classname is the suite, the variant is in
//     the name, and a name that could be taken for another one ends in ~ and a
//     hash of the test's key. The hash depends on that key alone: neither
//     another test nor a rate nor a count renames a test.
//   - An inconclusive test is <skipped message="inconclusive"/>, exactly.
//   - The message of a failure and the first line of its body both have the reason and the
//     first message of a trial, because half of the readers show only one of them.
//   - Failures beside the tests are testcases of the suite (tribunal): the error run for a
//     broken run, and the failure gate for a gate that does not hold.
//   - Type attributes are namespaced: GitLab's reader acts on words like "yaml" and
//     "integer" there, on any element.
//   - One system-out per testcase, and only characters of XML 1.0: anything else loses the
//     whole file.
//   - Under 30 MB and 500,000 testcases: the least important parts are left out, with a note.
//
// Profiles with properties store what is needed to read a test back: tribunal.key (suite, test,
// variant), tribunal.verdict, tribunal.trials (a letter per trial), tribunal.rows (the columns
// of the envelope without digests), and for runs of tribunal run tribunal.planned,
// tribunal.ended and tribunal.endings. Texts of trials are only in the bodies.
//
// Package read/junit reads JUnit. Attachments, host, clock and environment are left out.
package junit

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	upstream "github.com/jstemmer/go-junit-report/v2/junit"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

type draft struct {
	env     *envelope.Envelope
	profile profile
	flaky   bool
	suites  []suite
	level   level
	left    []bool // tests that are left out; nil for none
	// written are encoded testcases, by the first test of a chunk.
	written map[int][]byte
}

type caseXML struct {
	Name       string               `xml:"name,attr"`
	Classname  string               `xml:"classname,attr"`
	Time       string               `xml:"time,attr,omitempty"`
	File       string               `xml:"file,attr,omitempty"`
	Line       int                  `xml:"line,attr,omitempty"`
	Properties *[]upstream.Property `xml:"properties>property,omitempty"`
	Flaky      []flakyXML           `xml:"flakyFailure"`
	upstream.Testcase
}

type flakyXML struct {
	Message    string `xml:"message,attr"`
	Type       string `xml:"type,attr"`
	StackTrace string `xml:"stackTrace"`
}

func (d *draft) caseDepth() int {
	if d.profile.single {
		return 1
	}
	return 2
}

func (d *draft) write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	e := newElements(0)
	defer e.free()
	e.b = append(e.b, `<?xml version="1.0" encoding="UTF-8"?>`...)
	if d.profile.single {
		d.suite(e, 0, out)
	} else {
		d.testsuites(e, out)
	}
	_, _ = out.Write(append(e.b, '\n'))
	return out.Flush() // an error of any Write
}

func (d *draft) testsuites(e *elements, out io.Writer) {
	var sum totals
	for i := range d.suites {
		sum.join(d.totals(&d.suites[i]))
	}
	e.start("testsuites")
	e.attr("name", runName(d.env))
	e.attr("time", seconds(sum.ms))
	if d.profile.counts && sum.skipped > 0 {
		e.count("skipped", sum.skipped)
	}
	e.count("tests", sum.tests)
	e.count("errors", sum.errors)
	e.count("failures", sum.failures)
	e.open()
	for i := range d.suites {
		if !d.vanished(i) {
			d.suite(e, i, out)
		}
	}
	e.close("testsuites")
}

// suite writes what is in the elements and the suite to out, and leaves its end in the
// elements. Without out, its testcases are left out.
func (d *draft) suite(e *elements, i int, out io.Writer) {
	s := &d.suites[i]
	sum := d.totals(s)
	e.start("testsuite")
	e.attr("name", s.name)
	e.count("tests", sum.tests)
	e.count("failures", sum.failures)
	e.count("errors", sum.errors)
	e.attr("time", seconds(sum.ms))
	if at, err := time.Parse(time.RFC3339Nano, d.env.Run.StartedAt); err == nil {
		e.attr("timestamp", at.UTC().Format(time.RFC3339))
	}
	e.count("skipped", sum.skipped)
	e.open()
	e.properties(d.suiteProperties(i == 0))
	if i == 0 && d.profile.suiteTexts {
		if texts := words.Join("\n", notices(d.env), d.cutNote()); texts != "" {
			e.start("system-err")
			e.data("system-err", node(texts))
		}
	}
	if out != nil {
		for at := 0; at < len(s.tests); at += partCases {
			_, _ = out.Write(e.b)
			e.b = append(e.b[:0], d.written[s.tests[at]]...)
		}
		for i := range s.notes {
			e.testcase(&s.notes[i])
		}
	}
	e.close("testsuite")
}

// seconds is a duration as every reader accepts it: no thousands separator, at
// most three decimals, never NaN.
func seconds(ms float64) string {
	if math.IsNaN(ms) || math.IsInf(ms, 0) || ms < 0 {
		ms = 0
	}
	return strconv.FormatFloat(ms/1000, 'f', 3, 64)
}

// Options of the format. The zero value is the default profile.
type Options struct {
	Profile string // default, gitlab, jenkins, strict or surefire; "" is default
	// Flaky adds flakyFailure elements to flaky passes. Readers of them assume that the
	// failures are earlier tries of one run, which trials are not.
	Flaky bool
}

// Write writes the envelope as a JUnit XML document. Its error is that of w, or names an
// unknown profile.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	p, err := profileOf(o.Profile)
	if err != nil {
		return err
	}
	d := &draft{env: e, profile: p, flaky: o.Flaky, suites: group(e, p)}
	d.fit(fileLimit, caseLimit)
	return d.write(w)
}

// notices are what a reader of the report should know of the run as a whole, a
// line each: problems, a broken run, gates that did not hold.
func notices(e *envelope.Envelope) string {
	shown, more := standing.Grave(e.Problems)
	lines := each.Of(shown, func(p envelope.Problem) string { return line(p.String()) })
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more errors and warnings", more))
	}
	lines = append(lines, each.Of(standing.GateRemarks(&e.Gate, "gate "), line)...)
	return strings.Join(lines, "\n")
}

// The profiles, each made for a reader.
const (
	ProfileDefault  = "default"  // file, line and properties; every reader named in the package documentation
	ProfileGitLab   = "gitlab"   // the reason of an inconclusive test as a body, which GitLab shows; no properties, which it ignores
	ProfileJenkins  = "jenkins"  // properties, for keepProperties; no file and line, which Jenkins ignores. Its xUnit plugin refuses it
	ProfileStrict   = "strict"   // valid under junit-10.xsd of the Jenkins xUnit plugin
	ProfileSurefire = "surefire" // valid under surefire-test-report.xsd: one testsuite as the root
)

type profile struct {
	name       string
	single     bool // the root is the only testsuite
	place      bool // file and line of a testcase
	properties bool // properties of a testcase
	reasonBody bool // an inconclusive test has its reason in the body of skipped
	suiteTexts bool // a testsuite may have a system-err
	counts     bool // testsuites may count the skipped
	time       bool // every testcase must have a time
}

var profiles = []profile{
	{name: ProfileDefault, place: true, properties: true, suiteTexts: true, counts: true},
	{name: ProfileGitLab, place: true, reasonBody: true, suiteTexts: true, counts: true},
	{name: ProfileJenkins, properties: true, suiteTexts: true, counts: true},
	{name: ProfileStrict, suiteTexts: true},
	{name: ProfileSurefire, single: true, time: true},
}

func profileOf(name string) (profile, error) {
	var known []string
	for _, p := range profiles {
		if p.name == name || name == "" && p.name == ProfileDefault {
			return p, nil
		}
		known = append(known, p.name)
	}
	return profile{}, fmt.Errorf("junit profile %q: use one of %s", name, strings.Join(known, ", "))
}

// The limits of GitLab, which refuses a file that goes over them and shows no
// test of it at all.
const (
	fileLimit = 30_000_000 // bytes; GitLab counts 30 MiB in characters
	caseLimit = 500_000
)

// part is something a testcase has beside its name and its verdict.
type part int

const (
	output     part = iota // system-out and flaky trials
	properties             // of the testcase
	outputs                // what trials printed
	bodies                 // evidence and trials below a message
)

// level is how much of each test is shown. Higher levels show less, the least telling first.
type level int

const (
	complete       level = iota
	quietPasses          // passes without system-out
	barePasses           // passes without properties as well
	withoutOutputs       // no properties, no printed output of trials
	bodiesOnly           // no system-out either
	bare                 // nothing but names and messages
)

var levelNotes = map[level]string{
	quietPasses:    "system-out of passing tests",
	barePasses:     "system-out and properties of passing tests",
	withoutOutputs: "system-out of passing tests, properties of all tests, and the output of trials",
	bodiesOnly:     "system-out and properties of all tests, and the output of trials",
	bare:           "everything about a test but its name and message",
}

func (d *draft) shows(t *envelope.Test, p part) bool { return d.level.shows(t, p) }

func (l level) shows(t *envelope.Test, p part) bool {
	passed := t.Status == envelope.Pass
	switch p {
	case output:
		return l == complete || !passed && l < bodiesOnly
	case properties:
		return l < barePasses || !passed && l < withoutOutputs
	case outputs:
		return l < withoutOutputs
	}
	return l < bare
}

func (d *draft) leftOut(i int) bool { return d.left != nil && d.left[i] }

// vanished reports a suite of which no test is left. The first one stays: it
// has the facts of the run.
func (d *draft) vanished(i int) bool {
	s := &d.suites[i]
	return i > 0 && len(s.tests) > 0 && len(s.notes) == 0 && !slices.ContainsFunc(s.tests, func(t int) bool { return !d.leftOut(t) })
}

func (d *draft) cutNote() string {
	note := ""
	if d.level > complete {
		note = fmt.Sprintf("left out to keep this file under %d MB: %s", fileLimit/1_000_000, levelNotes[d.level])
	}
	left := each.Count(d.left, func(l bool) bool { return l })
	if left == 0 {
		return note
	}
	return words.Around("", note, "; ") + fmt.Sprintf("%d of %d tests left out to keep this file under %d MB and %d testcases, passing tests "+
		"first", left, len(d.left), fileLimit/1_000_000, caseLimit)
}
