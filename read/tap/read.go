// Package tap reads the Test Anything Protocol, versions 13 and 14, and KTAP of Linux.
//
// It exists because TAP is what many runners write when nobody asks for more.
// The protocol has no identity but a description, no attempts and no times, so
// what is known beyond that comes from the dialects: subtests of node, perl and
// Vitest become suites, times and places come from YAML blocks and comments, and
// the same description again is another attempt.
//
// A comment over the points of tape, or of a runner that writes like it, is their suite. They
// are assertions: one that has a description again below it is numbered, and no attempt.
//
// A subtest counts through its children; its own point counts only when it failed
// and none of them did. Bail out! and a plan that was not kept become a trial of
// their own, of the class infrastructure: a stream that breaks off must not look
// like a run that passed. So do numbers that are not those of the plan: one that comes
// twice, or outside of it, and one out of order before version 14, which allows that.
//
// Where a version comes again, another stream begins: a loop over programs leaves several in
// one file, each with numbers and a plan of its own.
//
// A test marked TODO is skipped, ok or not: Vitest and node-tap write ok for one
// that never ran, and node counts one that did run apart from those that passed.
//
// Reports of package render/tap, told by their blocks or their last line, are read
// back with what they carry: identity, status, and for every test that neither
// passed nor was skipped a trial a letter. An inconclusive test is judged again by
// the rule and threshold it names. What a run had planned of a test and how it ended
// is read, so that one whose trials were not all started stays inconclusive, and so is
// what such a test does to the exit code (treat_as). The
// number of trials of a test that passed is lost.
//
// YAML blocks are read for the values that are needed, a line a value, because
// what runners write there is not always YAML.
package tap

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/trialfields"
)

// Codes of the problems that only this reader has.
const (
	codeEmptyRun = "empty-run"
	codeSkipped  = "failed-and-skipped"
)

type reader struct {
	lines
	to        envelope.Sink
	by        writer
	waiting   []func() // what is put off until the writer is known
	levels    []*level // the stream and the subtests that are open
	attempts  trialfields.Attempts
	room      envelope.Trial // of the point that is delivered
	scratch   []byte         // of the block that is read
	rules     rules
	hasError  bool // a report of ours has an error of its own input
	bailed    bool
	versioned bool // a version of TAP itself is known
	streams   int  // versions that came, each of a stream
	programs  programs
	step      int  // of subtests under KTAP, as its first one is indented
	anyOrder  bool // of numbers, as version 14 allows it
	strict    bool // a line that is none of TAP fails the stream
	noise     int  // lines that mean nothing
	noiseAt   int
	late      string // what failed behind the test that it belongs to
	heading   heading
	counted   int // failures that the runner counts behind its last point
	said      map[string]bool
}

// Read reads one stream.
func Read(r io.Reader, to envelope.Sink) error {
	src := bufio.NewReaderSize(r, 1<<16)
	if mark, _ := src.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = src.Discard(len(byteOrderMark)) // it was peeked at
	}
	rd := &reader{lines: lines{src: src}, to: to, levels: []*level{{}}, said: map[string]bool{}}
	const front = 4 << 10 // more than the first lines of a report of ours
	start, _ := src.Peek(front)
	if ownHead().Match(start) {
		rd.by = perhapsWe
	}
	for {
		line, err := rd.next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			rd.end(false)
			return err
		}
		rd.line(rd.text(line))
	}
	rd.end(true)
	return nil
}

var (
	planLine    = regex.Of(`^1\.\.(\d{1,9})(?:\s*#\s*(.*))?\s*$`)
	bailLine    = regex.Of(`(?i)^bail out!\s*(.*)$`)
	versionLine = regex.Of(`^K?TAP [Vv]ersion (\d{1,9})\s*$`)
)

// kernelVersion begins the version line of KTAP, the protocol of the tests in Linux
// (Documentation/dev-tools/ktap.rst). Every subtest has one, indented by two blanks as
// specified, or by four as KUnit prints it.
const kernelVersion = "KTAP version "

// startLimit is how much of a plan and of Bail out! is looked at: what follows is
// a reason, to be read at a glance.
const startLimit = 8 << 10

func (rd *reader) line(line string) {
	blanks := indent(line)
	if rd.step == 0 && blanks > 0 && strings.HasPrefix(line[blanks:], kernelVersion) {
		rd.step = blanks
	}
	step := cmp.Or(rd.step, indentation)
	depth, text := min(blanks/step, depthLimit), strings.TrimRight(line[blanks:], " \t")
	switch {
	case text == "---" && rd.block(blanks):
	case blanks%step != 0:
		rd.stray(line)
	case text == "":
	case strings.HasPrefix(text, "pragma "):
		rd.pragma(text)
	case text == "}" && rd.closes(depth):
		rd.at(depth)
	default:
		if !rd.protocol(depth, text) {
			rd.stray(line)
		}
	}
}

// protocol reads a line by the letter it begins with, and reports whether it is one
// of the protocol: expressions are for lines of which there are few.
func (rd *reader) protocol(depth int, text string) bool {
	switch text[0] {
	case 'o', 'n':
		p, ok := parsePoint(text)
		if ok {
			rd.point(depth, p)
		}
		return ok
	case '1':
		m := planLine().FindStringSubmatch(head(text, startLimit))
		if m != nil {
			rd.plan(rd.at(depth), m)
		}
		return m != nil
	case 'B', 'b':
		m := bailLine().FindStringSubmatch(head(text, startLimit))
		if m != nil {
			rd.bail(m[1])
		}
		return m != nil
	case '#':
		name, named := strings.CutPrefix(text, "# Subtest: ")
		switch {
		case named:
			rd.at(depth).subtest = unescape(name)
		case text == "# Subtest":
			rd.at(depth).subtest = ""
		default:
			return false
		}
		return true
	}
	m := versionLine().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	if depth == 0 {
		rd.following()
	}
	version, _ := strconv.Atoi(m[1]) // of nine digits at most
	rd.versioned, rd.anyOrder = text[0] == 'T', version >= 14
	return true
}

// closes reports whether a closing brace at a depth ends a subtest that one opened: any
// other is output.
func (rd *reader) closes(depth int) bool {
	if depth+1 < len(rd.levels) {
		return rd.levels[depth+1].opener != nil
	}
	return depth < len(rd.levels) && rd.levels[depth].open != nil && rd.levels[depth].open.opens
}

// pragma takes what a line asks of the parser, of which prove knows strict alone.
func (rd *reader) pragma(text string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		if word == "+strict" || word == "-strict" {
			rd.strict = word[0] == '+'
		}
	}
}

// stray is a line that is no line of the protocol: a comment, or output of a
// test, which TAP allows anywhere.
func (rd *reader) stray(line string) {
	text := strings.TrimSpace(line)
	p := rd.levels[len(rd.levels)-1].open
	if !strings.HasPrefix(text, "#") {
		if rd.strict {
			rd.levels[0].numbers.say("line %d is not TAP, which the pragma strict forbids", rd.number)
		}
		if said, indented := strings.CutPrefix(line, belowPoint); indented && p != nil && !p.ok && p.values == nil {
			p.comment(said)
		} else if rd.noise++; rd.noiseAt == 0 {
			rd.noiseAt = rd.number
		}
		return
	}
	rd.title(line)
	if said, ok := strings.CutPrefix(text, "# problem: "); ok {
		said, number := strings.Clone(head(said, startLimit)), rd.number // twice what render/tap writes
		rd.whenKnown(func() { rd.recorded(said, number) })
	}
	if as, ok := strings.CutPrefix(text, "# treat_as: "); ok {
		as := strings.Clone(head(as, startLimit))
		rd.whenKnown(func() { // what an inconclusive test of ours did to the exit code
			if rd.by == we {
				rd.rules.asked().TreatAs = as
			}
		})
	}
	if strings.HasPrefix(text, exitOfPerl) || lateNode().MatchString(text) {
		rd.late = firstLines(strings.TrimPrefix(text, "# "))
	}
	if said, ok := strings.CutPrefix(line, failuresCounted); ok {
		if n, err := strconv.Atoi(strings.TrimSpace(said)); err == nil && n > 0 {
			rd.counted = n
		}
	}
	if strings.HasSuffix(text, " tests") && ownEnd().MatchString(text) {
		rd.known(we)
	}
	if rest, ok := strings.CutPrefix(text, "#   "); ok && p != nil {
		p.comment(firstLines(rest))
	}
}

// belowPoint indents what Mocha says of a test that failed, in a stream of version 12, which
// has no blocks.
const belowPoint = "  "

// comment adds a line of what a point says of itself.
func (p *point) comment(line string) {
	const most = 100
	if len(p.comments) < most {
		p.comments = append(p.comments, strings.Clone(head(line, startLimit)))
	}
}

// exitOfPerl begins what Test::More prints when its script ended with another code than
// that of its tests, for which prove fails it. It is in streams that have standard error.
const exitOfPerl = "# Looks like your test exited with "

// failuresCounted begins the comment with which tape, QUnit, AVA, Qt Test and others end:
// what they count as a failure need not be a point that is not ok. AVA counts what is still
// to be done as well, though it ends with 0.
const failuresCounted = "# fail "

// lateNode is the comment of node's test runner on what failed when its test was over
// already, with which it ends with exit code 1.
var lateNode = regex.Of(`^# (?:Error|Warning): (?:Test "|A resource ).*generated asynchronous activity after the test ended`)

// block reads the block below the last point. It reports whether the line is
// the start of one.
func (rd *reader) block(margin int) bool {
	p := rd.levels[len(rd.levels)-1].open
	if p == nil || p.values != nil {
		return false
	}
	rd.scratch = rd.scratch[:0]
	size := 0
	for {
		line, err := rd.next()
		text := bytes.TrimSpace(line)
		blanks := len(line) - len(bytes.TrimLeft(line, " "))
		end := string(text) == "..."
		if err != nil || end && blanks <= margin || blanks < margin && numbered().Match(line) {
			if err == nil && !end {
				rd.back(line)
			}
			if err != nil || !end {
				rd.warn(envelope.CodeMalformed, "a YAML block has no end")
			}
			break
		}
		if string(text) != "---" && size < blockLimit {
			rd.scratch = append(append(rd.scratch, head(line, blockLimit-size)...), '\n')
		}
		size += len(line) + 1
	}
	p.block, p.margin = string(rd.scratch), margin
	p.values = parseBlock(p.block, margin)
	return true
}

// head is the start of a line, of whole characters.
func head[T string | []byte](line T, most int) T {
	if len(line) <= most {
		return line
	}
	for most > 0 && !utf8.RuneStart(line[most]) {
		most--
	}
	return line[:most]
}

// numbered are lines that end a block that has no end of its own. A text in the
// block may start with ok, but hardly with ok and a number.
var numbered = regex.Of(`^\s*((not )?ok \d+\b|1\.\.\d+\s*$|Bail out!)`)

func dedented(block string, margin int) string {
	var b strings.Builder
	b.Grow(len(block))
	for line := range strings.Lines(block) {
		b.WriteString(line[min(margin, indent(line)):])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// warn makes a warning once a stream.
func (rd *reader) warn(code, message string) {
	if !rd.said[message] {
		rd.said[message] = true
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: code, Line: max(rd.number, 1), Column: 1, Message: message})
	}
}

// following begins the next of several streams that are one behind the other, as a loop
// over programs or packages writes them: each has its own version, numbers and plan.
func (rd *reader) following() {
	rd.at(0)
	rd.streams++
	if root := rd.levels[0]; rd.streams == 1 && !root.plan.OK && root.points == 0 {
		return
	}
	rd.finish(0)
	rd.known(another)
	rd.checkStream()
	rd.checkPrograms()
	rd.programs.next()
	rd.levels[0], rd.heading, rd.late, rd.counted, rd.bailed, rd.strict = &level{}, heading{}, "", 0, false, false
}

// end closes what is open at the end of the stream, whole or broken off by an
// error of its reader.
func (rd *reader) end(whole bool) {
	rd.at(0)
	rd.finish(0)
	rd.known(another)
	if whole {
		rd.checkStream()
		rd.checkPrograms()
	}
	if rd.rules.policy != nil {
		rd.to.Header(envelope.Header{}, &envelope.Carried{Asked: rd.rules.policy})
	}
	if rd.noise > 0 {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeNoise, Line: rd.noiseAt, Column: 1, Count: rd.noise,
			Message: fmt.Sprintf("%d lines are not TAP", rd.noise)})
	}
	if rd.dropped > 0 {
		rd.warn(envelope.CodeLineTooLong, fmt.Sprintf("%d bytes of lines over %d MiB were left out", rd.dropped, lineLimit>>20))
	}
}

// bail ends the stream: whatever was to come did not. A report of ours ends so where
// its input had errors, which are known by then.
func (rd *reader) bail(reason string) {
	rd.bailed = true
	rd.at(0)
	rd.finish(0)
	rd.known(another)
	if rd.by == we && rd.hasError {
		return
	}
	rd.emit(&envelope.Trial{Key: envelope.Key{Test: "(bail out)"}, Status: envelope.Error, ErrorClass: envelope.ClassInfrastructure,
		Message: firstLines("Bail out! " + unescape(reason))})
}

func (rd *reader) plan(l *level, m []string) {
	n, _ := strconv.Atoi(m[1]) // of nine digits at most
	if l.plan.OK {
		l.numbers.say("there are two plans: if these are several streams, write a file for each")
	}
	l.planAt = l.points
	if l.plan = envelope.Some(n); n == 0 && l == rd.levels[0] {
		rd.warn(codeEmptyRun, firstLines("the plan is 1..0, nothing was run: "+unescape(m[2])))
	}
}
