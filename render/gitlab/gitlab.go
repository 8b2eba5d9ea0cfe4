// Package gitlab writes an envelope as a GitLab Code Quality report: a JSON
// array with an entry for every test that did not simply pass. GitLab compares
// the report of a merge request with that of its target branch and shows new
// entries and resolved ones.
//
//	fail          major      check_name tribunal/fail
//	error         critical   tribunal/error
//	inconclusive  info       tribunal/inconclusive, or nothing
//	flaky pass    minor      tribunal/flaky
//	excused       info       tribunal/quarantined: it did not pass, and is in quarantine
//	pass, skip    nothing
//
// GitLab knows an entry by its fingerprint alone. It is a hash of the test's key
// and its class in the table above, so that a worse verdict is a new entry, and
// a rate or a line that moved is the same one.
//
// A run that is broken gets one critical entry, tribunal/run: a report that is empty,
// or lacks what could not be read, would tell GitLab that all of it is resolved. A gate
// that does not hold is a major one, tribunal/gate.
//
// The package leaves out what GitLab ignores (content, other locations) and
// GitLab's metrics report, which is another format.
package gitlab

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/compare"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/text"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// Options of the format. The zero value lists inconclusive tests.
type Options struct {
	Inconclusive string // info or omit; "" is info
}

// The choices for inconclusive tests.
const (
	Info = "info"
	Omit = "omit"
)

type entry struct {
	Type        string   `json:"type"`
	CheckName   string   `json:"check_name"`
	Description string   `json:"description"`
	Categories  []string `json:"categories"`
	Severity    string   `json:"severity"`
	Fingerprint string   `json:"fingerprint"`
	Location    location `json:"location"`
}

type location struct {
	Path  string `json:"path"`
	Lines lines  `json:"lines"`
}

type lines struct {
	Begin int `json:"begin"`
}

// Write writes the envelope as one JSON array. The error is that of the writer,
// or names an unknown option.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	switch o.Inconclusive {
	case "", Info, Omit:
	default:
		return fmt.Errorf("gitlab inconclusive %q: use one of %s, %s", o.Inconclusive, Info, Omit)
	}
	list := newArray(w)
	file := standing.PolicyFile(e)
	for i := range e.Tests {
		if c, listed := classOf(e, &e.Tests[i], o); listed {
			list.add(testEntry(e, &e.Tests[i], c, file))
		}
	}
	for _, n := range e.Gate.Notices {
		list.add(runEntry(class{"gate", "info"}, n.String(), n.Says))
	}
	if says := standing.Unheld(&e.Gate); says != "" {
		list.add(runEntry(class{"gate", "major"}, says, "does not hold"))
	}
	if says := standing.Broken(e); says != "" {
		list.add(runEntry(class{"run", "critical"}, says))
	}
	return list.close()
}

type array struct {
	*wire.Writer
	n int
}

func newArray(w io.Writer) *array {
	a := &array{Writer: wire.NewWriter(w, true)}
	a.Text("[")
	return a
}

func (a *array) add(e entry) {
	a.Item(a.n, "\n ", e)
	a.n++
}

func (a *array) close() error {
	if a.n > 0 {
		a.Text("\n")
	}
	a.Text("]\n")
	return a.Close()
}

const descriptionLimit = 2000 // bytes

type class struct{ name, severity string }

func classOf(e *envelope.Envelope, t *envelope.Test, o Options) (c class, listed bool) {
	if standing.Spared(e, t) {
		return class{cmp.Or(words.If(t.Excused(), "quarantined"), "fail"), "info"}, true
	}
	if t.NotRun() {
		return class{"not-run", "info"}, true
	}
	switch t.Status {
	case envelope.Pass:
		return class{"flaky", "minor"}, t.Flaky
	case envelope.Skip:
		return class{}, false
	case envelope.Fail:
		return class{"fail", "major"}, true
	case envelope.Inconclusive:
		return class{"inconclusive", "info"}, o.Inconclusive != Omit
	}
	return class{"error", "critical"}, true
}

func testEntry(e *envelope.Envelope, t *envelope.Test, c class, file string) entry {
	said := describe(e, t, c) + words.Around("; ", file)
	entry := newEntry(c, said, t.Suite, t.Test, t.Variant)
	from, line := standing.Origin(t)
	return entry.at(from, line, t.Key)
}

func (e entry) at(file string, line int, of envelope.Key) entry {
	const pathLimit = 1000 // bytes
	e.Location = location{Path: text.CutLine(linkEnds.Replace(text.Path(file)), pathLimit), Lines: lines{Begin: max(1, line)}}
	if e.Location.Path == "" {
		e.Location = location{Path: madeUp(of.Suite, of.Test), Lines: lines{Begin: 1}}
	}
	return e
}

// runEntry says what is to be said beside the tests, or is wrong there.
func runEntry(c class, says string, key ...string) entry {
	e := newEntry(c, says, key...)
	e.Location = location{Path: madeUp("", "run"), Lines: lines{Begin: 1}}
	return e
}

func newEntry(c class, description string, key ...string) entry {
	return entry{
		Type: "issue", CheckName: "tribunal/" + c.name, Severity: c.severity, Categories: []string{"Bug Risk"},
		Description: text.CutLine(text.Line(description), descriptionLimit),
		Fingerprint: fingerprint(append([]string{"tribunal", c.name}, key...)...),
	}
}

// describe says how many trials passed, and what went wrong how often.
func describe(e *envelope.Envelope, t *envelope.Test, c class) string {
	const most = 3 // reasons
	name, says := text.CutLine(text.Line(t.Key.RunnerName()), descriptionLimit/2), ""
	if whys := why.Spoken(e, t); t.Status != envelope.Inconclusive && !t.Excused() {
		says = words.Join("; ", each.Of(whys[:min(len(whys), most)], func(w why.Reason) string {
			return words.If(t.Trials.Total > 1, strconv.Itoa(w.Trials)+"× ") + text.Line(w.Text())
		})...)
	}
	passed := words.Of(t.Trials.Passed, t.Trials.Counted, "trial", "trials") + " passed" +
		words.If(standing.CountsForRun(t), envelope.OnlyRunJudged)
	if says = cmp.Or(says, text.Line(t.Verdict.Reason)); strings.HasPrefix(says, passed) {
		passed = ""
	}
	if t.NotRun() {
		return name + ": " + says
	}
	return name + ": " + c.name + ", " + words.Join(": ", passed, says)
}

func fingerprint(words ...string) string {
	sum := standing.Digest(words...)
	return hex.EncodeToString(sum[:])
}

// WriteComparison writes a comparison as one JSON array: what got worse, and
// nothing else.
//
//	regressed test or run   major   tribunal/regressed
//	newly broken            major   tribunal/newly-broken, unless it regressed
//	new and failing         major   tribunal/new-fails
//	not tried               major   tribunal/not-tried
//	newly flaky             minor   tribunal/newly-flaky, unless it regressed
//	gone                    info    tribunal/gone
//	fails, none regressed   major   tribunal/gate
func WriteComparison(w io.Writer, c *compare.Comparison) error {
	list := newArray(w)
	for i := range c.Contrasts {
		x := &c.Contrasts[i]
		list.contrast(c, x, []string{c.By, words.If(c.By != "", x.Candidate.Name)})
	}
	if says := c.FailsUnseen(); says != "" {
		list.add(runEntry(class{"gate", "major"}, "the comparison fails: "+says, "comparison"))
	}
	if c.Gate.Status == envelope.Error { // an empty report would tell GitLab that everything is resolved
		list.add(runEntry(class{"run", "critical"}, "the comparison is broken: "+standing.WhyBroken(c.Gate.Reasons, c.Problems)))
	}
	return list.close()
}

// contrast adds what got worse in one candidate. about keeps the fingerprints of
// several apart.
func (a *array) contrast(c *compare.Comparison, x *compare.Contrast, about []string) {
	if x.Run.State == compare.Regressed {
		a.add(runEntry(class{"regressed", "major"}, c.Title(x.Candidate.Name)+": the run regressed: "+x.Run.Reason, append(about, "run")...))
	}
	for _, t := range x.Ranked() {
		if w := t.Worse(); w != "" {
			severity := map[bool]string{true: "minor", false: "major"}[w == compare.NewlyFlaky]
			a.add(comparedEntry(c, x, class{string(w), severity}, t.Key, t.File, t.Line, strings.ReplaceAll(t.Explained(), "\n", "; "), about))
		}
	}
	for i := range x.Gone {
		t := &x.Gone[i]
		a.add(comparedEntry(c, x, class{"gone", "info"}, t.Key, "", 0, "only base has it", about))
	}
}

func comparedEntry(c *compare.Comparison, x *compare.Contrast, worse class, key envelope.Key, file string, line int, reason string,
	about []string) entry {
	name := text.CutLine(text.Line(key.RunnerName()), descriptionLimit/2)
	description := name + ": " + worse.name + ": " + text.Line(reason) + words.If(c.By != "", " ("+text.Line(c.Title(x.Candidate.Name))+")")
	e := newEntry(worse, description, append(about, key.Suite, key.Test, key.Variant)...)
	return e.at(file, line, key)
}

// linkEnds are the characters that would end a path in a link.
var linkEnds = strings.NewReplacer("#", "_", "?", "_", "%", "_", "\ufffd", "_")

// madeUp is the path of a test without a file: tribunal/<suite>/<test>, in
// letters, digits, dots, dashes and underscores. It depends on the names alone
// and leads nowhere, but GitLab fails on an entry without a path.
func madeUp(suite, test string) string {
	return strings.Join(append([]string{"tribunal"}, each.Of(words.Present(suite, test), slug)...), "/")
}

var notSlug = regex.Of(`[^A-Za-z0-9._-]+`)

func slug(name string) string {
	s := cmp.Or(strings.Trim(notSlug().ReplaceAllString(name, "_"), "._"), "_")
	return s[:min(len(s), 100)]
}
