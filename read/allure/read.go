// Package allure reads the results folders of Allure 2 and 3, and the reports that they
// generate from them: one JSON document a test and try, which nearly every runner has a
// plugin for. The suites of Allure 1, which are XML, it reads as such results.
//
// It exists because such a folder often is the only thing a job keeps. A folder is one input: package
// internal/command/input hands it over as a JSON text sequence (RFC 7464), each file behind a record separator, so
// that a broken file spoils no other. One file alone, or one result a line as render/allure writes, is read as well.
//
// Results with one historyId are the tries of one test, in the order in which they began, also where a title that was
// set while it ran calls each otherwise. They are retries where each began after a failed one had ended and another
// test has fewer results. Otherwise they are repeats: where both readings fit, retries could hide a failure. The
// suite is made of the labels parentSuite, suite and subSuite; parameters that a runner does not exclude belong to
// the name, unless they are in it. Tests that still share a name are distinguished by their full name, and those
// without one are called (unnamed), such as hooks that WebdriverIO takes for steps of Cucumber. Of our own results
// the trials count, not the verdicts.
//
// A fixture that failed though its tests passed is an error of its own. The package leaves out all others, steps,
// links and what attachments hold; their names stand in the output of a test that did not pass.
package allure

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// separator stands before each text of a sequence.
const separator = '\x1e'

// Sniff reports whether head starts with a result, or with a try in a generated report.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(bytes.TrimLeft(head, "\x1e \r\n\t"))
	return !inArray && (keys.Has("uuid") && keys.Count("historyId", "testCaseId", "fullName", "statusDetails", "stage", "labels",
		"titlePath") >= 2 ||
		keys.Has("uuid", "status", "start", "stop") && keys.Count("labels", "parameters", "steps", "attachments", "links") >= 3 ||
		keys.Has("uid") && keys.Count("historyId", "fullName", "time", "statusTrace", "flaky", "newFailed", "beforeStages", "testStage") >= 3 ||
		keys.Has("id", "status") && keys.Count("historyId", "fullName", "muted", "known", "groupedLabels", "titlePath", "retriesCount") >= 4)
}

// Read reads a result, results behind each other, or a sequence of files.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{around: around{shown: map[string]*fixture{}}}
	in := bufio.NewReader(r)
	var err error
	if first, _ := in.Peek(1); len(first) == 1 && first[0] == separator {
		err = rd.sequence(in, to)
	} else {
		err = jsonwalk.Documents(in, to, rd.result)
	}
	rd.results = append(rd.results, rd.around.unexplained(rd.results)...)
	rd.emitResults(to)
	return err
}

type reader struct {
	results []*result
	around  around
}

// result is one try that waits for the others of its test.
type result struct {
	id                string
	history, fullName string
	jest              bool   // of allure-jest
	varied            string // what a runner varies the test by
	retried, again    bool   // the runner says that it was tried again, or is another try
	own, verdict      bool   // of ours; not a trial of ours
	place             int    // of ours: which trial of its test it is, from 1 on
	trial             envelope.Trial
}

// sequence reads files, each behind a separator.
func (rd *reader) sequence(in *bufio.Reader, to envelope.Sink) error {
	files, walk := &texts{in: in}, jsonwalk.Sequence{}
	for n := 1; files.next(); n++ {
		part := runfailure.Part{Sink: to, Name: fmt.Sprintf("result file %d of the folder, sorted by name", n)}
		if err := walk.Documents(files, part, rd.result); err != nil {
			return err
		}
	}
	return files.err
}

// texts cuts a sequence into its texts: each is read up to its end.
type texts struct {
	in  *bufio.Reader
	err error // of in, unless it is the end
}

// next skips the separator before a text, and reports whether there is one.
func (t *texts) next() bool {
	c, err := t.in.ReadByte()
	for err == nil && c != separator { // the rest of a text that was not read to its end
		c, err = t.in.ReadByte()
	}
	if err != nil && err != io.EOF {
		t.err = err
	}
	return err == nil
}

// Read implements io.Reader for one text.
func (t *texts) Read(p []byte) (int, error) {
	if _, err := t.in.Peek(1); err != nil {
		return 0, err
	}
	there, _ := t.in.Peek(min(t.in.Buffered(), len(p)))
	if n := bytes.IndexByte(there, separator); n >= 0 {
		there = there[:n]
	}
	if len(there) == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	n := copy(p, there)
	_, _ = t.in.Discard(n) // it was peeked at
	return n, nil
}

// unknown is Allure's word for a test whose end nobody told, as it calls in a report what
// has no status in a result, and ours for an inconclusive one.
const unknown = "unknown"

var statuses = map[string]envelope.Status{
	"passed": envelope.Pass, "failed": envelope.Fail, "broken": envelope.Error, "skipped": envelope.Skip,
	"canceled": envelope.Skip, "pending": envelope.Skip, // of Allure 1 and its kin
}

// result takes one document. A container, which holds fixtures, has children.
func (rd *reader) result(of jsonwalk.Value) {
	v := documentOf(of)
	if v.Get("children").IsArray() {
		rd.around.take(of)
		return
	}
	if errors := v.Get("errors"); errors.IsArray() {
		rd.around.takeGlobals(errors)
		return
	}
	r := &result{id: v.id, history: v.Get("historyId").String(), fullName: v.Get("fullName").String()}
	t := &r.trial
	switch t.Test = cmp.Or(v.Get("name").String(), r.fullName); {
	case t.Test == "" && r.history == "":
		v.Reject("it has no name")
		return
	case t.Test == "":
		t.Test = "(unnamed)"
	}
	r.ended(v.Get("status").String())
	r.parameters(v.Value)
	labels := labels{of: map[string]string{}}
	for l := range v.Get("labels").Items() {
		name, value := named(l)
		r.label(&labels, name, value)
	}
	r.labelled(&labels)
	clock := v.Get(v.clock...)
	r.times(clock.Get("start").Amount(), clock.Get("stop").Amount())
	const ownGate = "[gate]" // the full name of results of ours that are no test: what the gate said
	if r.own && r.fullName == ownGate {
		if v.Get("status").String() == "failed" {
			v.Reject("it says that the gate of this report failed" + words.Around(": ", v.message()))
		}
		return
	}
	if r.own {
		if t.RawStatus == unknown {
			t.Status, t.ErrorClass = envelope.Skip, ""
		}
		t.RawStatus, t.Message, t.Output = "", v.message(), v.trace()
		if r.verdict { // behind the evidence, where its verdict is all there is of a test
			_, t.Message, _ = strings.Cut(t.Message, "\n")
		}
	} else {
		t.File, t.Line = place(r.fullName)
		if t.Status != envelope.Pass {
			r.explain(v.message(), v.trace(), v.files())
		}
	}
	if v.ofReport2() {
		rd.around.takeShown(r.id, v.Value)
	}
	rd.results = append(rd.results, r)
}

// ended sets how a test ended, by Allure's word for it.
func (r *result) ended(word string) {
	t := &r.trial
	status, known := statuses[word]
	switch {
	case known:
		t.Status = status
	case word == "", word == unknown: // it began, and nobody wrote how it ended
		t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassInfrastructure, "the test began and has no status"
	default:
		t.Status = envelope.Error
	}
	if word != "passed" && word != "failed" && word != "skipped" {
		t.RawStatus = word
	}
}

// parameters takes what a runner varies a test by.
func (r *result) parameters(v jsonwalk.Value) {
	var by parameters
	r.verdict = true
	for p := range v.Get("parameters").Items() {
		name, value := named(p)
		switch {
		case name == "trial":
			r.verdict = false
			r.place, _ = strconv.Atoi(value) // 0 when it is none
		case name == "Retry" && p.Get("excluded").Bool().V: // of allure-js
			r.again = true
		case name == "variant":
			r.trial.Variant = strings.Clone(value)
		case p.Get("excluded").Bool().V, p.Get("hidden").Bool().V, p.Get("masked").Bool().V, p.Get("mode").String() == "hidden",
			p.Get("mode").String() == "masked":
		case name != "":
			by.add(r.trial.Test, name, value)
		}
	}
	r.vary(by)
}

// parameters are all that vary a test, and those that its name does not say.
type parameters struct{ all, said []string }

func (p *parameters) add(test, name, value string) {
	text := name + "=" + value
	p.all = append(p.all, text)
	if !strings.Contains(test, strings.Trim(value, `'"`)) {
		p.said = append(p.said, text)
	}
}

func (r *result) vary(by parameters) {
	r.varied = strings.Join(by.all, "\n")
	r.trial.Test += words.If(len(by.said) > 0, " ["+strings.Join(by.said, ", ")+"]")
}

func named(v jsonwalk.Value) (name, value string) {
	for key, m := range v.Members() {
		switch key {
		case "name":
			name = m.String()
		case "value":
			value = m.String()
		}
	}
	return name, value
}

// passing are labels that say where a test ran, or what is said elsewhere.
var passing = map[string]bool{"language": true, "framework": true, "host": true, "thread": true, "package": true, "testClass": true,
	"testMethod": true, "parentSuite": true, "suite": true, "subSuite": true}

// labels are those of a result that say something together.
type labels struct {
	of   map[string]string
	tags []string
}

func (r *result) label(all *labels, name, value string) {
	all.of[name] = value
	switch {
	case name == "framework":
		r.own, r.jest = r.own || value == "tribunal", value == "jest"
	case r.own && name == "package":
		r.trial.File = strings.Clone(value)
	case r.own && name == "tribunal.line":
		r.trial.Line, _ = strconv.Atoi(value) // 0 when it is none
	case r.own && name == "tribunal.retry":
		r.trial.Retry = true
	case r.own && name == "tribunal.adaptive":
		r.trial.Adaptive = envelope.Some(true)
	case r.own && name == "tribunal.error_class":
		r.trial.ErrorClass = strings.Clone(value)
	case name == "tag":
		all.tags = append(all.tags, value)
	case name != "" && !passing[name] && !strings.HasPrefix(name, "_"):
		trialfields.Set(&r.trial, name, value)
	}
}

func (r *result) labelled(all *labels) {
	if !r.own {
		trialfields.Tags(&r.trial, all.tags)
	}
	r.trial.Suite = cmp.Or(words.Join("/", all.of["parentSuite"], all.of["suite"], all.of["subSuite"]), all.of["testClass"])
}

// place is where a test is defined, of a full name that begins with it: a.spec.ts:3:5, or test/a.js#cart.
func place(fullName string) (file string, line int) {
	file = fullName
	if before, after, ok := strings.Cut(fullName, ":"); ok && before != "" && strings.Trim(before, wordSigns) == "" {
		file = after // behind the name of a project
	}
	end := strings.IndexAny(file, ":# \t\n\f\r")
	if end < 0 || file[end] != ':' && file[end] != '#' || !namesFile(file[:end]) {
		return "", 0
	}
	line = 0
	if first, second, two := strings.Cut(file[end+1:], ":"); file[end] == ':' && isNumber(first) && (!two || isNumber(second)) {
		line, _ = strconv.Atoi(first) // 0 when it is none
	}
	return file[:end], min(line, 1<<30)
}

const (
	letters   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits    = "0123456789"
	wordSigns = letters + digits + "_"
)

func namesFile(text string) bool {
	dot := strings.LastIndexByte(text, '.')
	ending := text[dot+1:]
	return dot > 0 && strings.ContainsRune(wordSigns+"-", rune(text[dot-1])) && 1 <= len(ending) && len(ending) <= 4 &&
		strings.Trim(ending, letters) == ""
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, digits) == "" }

func (r *result) times(start, stop envelope.Opt[float64]) {
	if start.OK && start.V < 1e14 && !(r.own && start.V < 1e9) { // ours without a time stand in their order
		r.trial.StartedAt = time.UnixMilli(int64(start.V)).UTC()
	}
	if start.OK && stop.OK && stop.V >= start.V && !(r.own && stop.V == start.V) { // ours without a duration end as they begin
		r.trial.DurationMS = trialfields.Milliseconds(stop.V-start.V, 1)
	}
}

// explain sets why a test did not pass, and which files it left.
func (r *result) explain(message, trace string, files []string) {
	t := &r.trial
	t.Message = cmp.Or(failure.Reason(message, 3), t.Message)
	t.Output = strings.Clone(failure.Ends(failure.Together(failure.Longer(message, t.Message), trace, strings.Join(files, "\n"))))
	if failure.TimedOut(t.Message) {
		t.ErrorClass = envelope.ClassTimeout
	}
}
