// Package tap reads the Test Anything Protocol, versions 13 and 14, and KTAP of Linux.
//
// The protocol only has descriptions: no other identity, no attempts, no times. More
// comes from its dialects. Subtests of node, perl and Vitest become suites. Times and
// places come from YAML blocks and comments. A repeated description is another attempt.
//
// A comment above points of tape, or of a similar runner, is their suite. These points
// are assertions, so repeated descriptions are numbered and are not attempts.
//
// A subtest counts through its children. Its own point counts only if it failed and no child did. Bail out! and a wrong
// plan become a trial of class infrastructure, because an incomplete stream must not pass. So do numbers that are
// repeated or outside of the plan, and before version 14 also those out of order.
//
// Another version line begins another stream. A loop over programs writes several into one
// file, each with its own numbers and plan.
//
// A TODO test is skipped, ok or not. Vitest and node-tap write ok for tests that never ran,
// and node does not count a TODO test as passed.
//
// Reports of package render/tap are recognised by their blocks or last line. Identity and status are restored, and the
// trials of tests that neither passed nor were skipped. An inconclusive test is judged again by its rule and threshold.
// Planned trials and how a test ended are read, so that it stays inconclusive if trials were not started, and so is
// treat_as. The number of trials of a passed test is lost.
//
// YAML blocks are read line by line for the values needed, because runners do not always write valid YAML.
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
	"tribunal/read/internal/failure"
	"tribunal/read/internal/noise"
	"tribunal/read/internal/trialfields"
)

// Codes of the problems that only this reader has.
const codeEmptyRun, codeSkipped = "empty-run", "failed-and-skipped"

type reader struct {
	lines
	to        envelope.Sink
	by        writer
	waiting   []func() // calls to make when the writer is known
	levels    []*level // the stream and the subtests that are open
	attempts  trialfields.Attempts
	room      envelope.Trial // of the current point
	scratch   []byte         // of the current block
	rules     rules
	hasError  bool // a report of ours has an error of its own input
	bailed    bool
	versioned bool // the stream has a version of TAP, not KTAP
	streams   int  // version lines, each of another stream
	programs  programs
	step      int  // indentation of subtests of KTAP, by the first one
	anyOrder  bool // numbers may come in any order, from version 14 on
	strict    bool // lines that are not TAP fail the stream
	noise     noise.Noise
	late      string // a failure after the end of its test
	heading   heading
	counted   int // failures that the runner counts after its last point
	sent      int // trials so far
	had       int // counted trials of our report
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
		rd.line(rd.lastLine(line))
	}
	rd.end(true)
	return nil
}

var (
	planLine    = regex.Of(`^1\.\.(\d{1,9})(?:\s*#\s*(.*))?\s*$`)
	bailLine    = regex.Of(`(?i)^bail out!\s*(.*)$`)
	versionLine = regex.Of(`^K?TAP [Vv]ersion (\d{1,9})\s*$`)
)

// kernelVersion begins the version line of KTAP, the protocol of the tests in Linux (Documentation/dev-tools/ktap.rst).
// Every subtest has one, indented by two blanks as specified, or by four as KUnit prints it.
const kernelVersion = "KTAP version "

// startLimit is the most bytes of a plan and of Bail out! that are read, with the start of the reason.
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

// protocol reads a line of the protocol, or returns false. It looks at the first
// letter, and uses expressions only for rare lines, because they are slow.
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

// closes reports whether a closing brace at a depth ends a subtest. Other braces are output.
func (rd *reader) closes(depth int) bool {
	if depth+1 < len(rd.levels) {
		return rd.levels[depth+1].opener != nil
	}
	return depth < len(rd.levels) && rd.levels[depth].open != nil && rd.levels[depth].open.opens
}

// pragma reads a pragma line. Like prove, it only knows strict.
func (rd *reader) pragma(text string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		if word == "+strict" || word == "-strict" {
			rd.strict = word[0] == '+'
		}
	}
}

// stray reads a line outside of the protocol: a comment, or output of a test, which TAP allows anywhere.
func (rd *reader) stray(line string) {
	text := strings.TrimSpace(line)
	p := rd.levels[len(rd.levels)-1].open
	if !strings.HasPrefix(text, "#") {
		if rd.strict {
			rd.levels[0].numbers.say("line %d is not TAP, which the pragma strict forbids", rd.number)
		}
		const belowPoint = "  " // indents the error of a failed test of Mocha in version 12, which has no blocks
		if said, indented := strings.CutPrefix(line, belowPoint); indented && p != nil && !p.ok && p.values == nil {
			p.comment(said)
		} else {
			rd.noise.Add([]byte(text), rd.number)
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
		rd.whenKnown(func() { // how an inconclusive test affects the exit code
			if rd.by == we {
				rd.rules.asked().TreatAs = as
			}
		})
	}
	if strings.HasPrefix(text, exitOfPerl) || failure.LateOfNode().MatchString(text) {
		rd.late = firstLines(strings.TrimPrefix(text, "# "))
	}
	if said, ok := strings.CutPrefix(line, failuresCounted); ok {
		if n, err := strconv.Atoi(strings.TrimSpace(said)); err == nil && n > 0 {
			rd.counted = n
		}
	}
	if suitesOfNode().MatchString(line) {
		rd.levels[0].numbers = numbers{}
	}
	if strings.HasSuffix(text, " tests") && ownEnd().MatchString(text) {
		rd.known(we)
		rd.had, _ = strconv.Atoi(ownEnd().FindStringSubmatch(text)[1]) // digits, unless there are too many
	}
	if rest, ok := strings.CutPrefix(text, "#   "); ok && p != nil {
		p.comment(firstLines(rest))
	}
}

func (p *point) comment(line string) {
	const most = 100
	if len(p.comments) < most {
		p.comments = append(p.comments, strings.Clone(head(line, startLimit)))
	}
}

// exitOfPerl starts the line of Test::More for a script whose exit code does not match its
// tests, which prove fails. It is only in streams with standard error.
const exitOfPerl = "# Looks like your test exited with "

// failuresCounted starts the last comment of tape, QUnit, AVA, Qt Test and others. They may
// count failures that no point shows. AVA also counts todo tests, but exits with 0.
const failuresCounted = "# fail "

// suitesOfNode matches a comment that only node writes, after its last point. Files without
// tests repeat a number or add a plan, and node passes them.
var suitesOfNode = regex.Of(`^# suites \d+$`)

// block reads the YAML block below the last point. It returns false if no block is expected here.
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
				rd.warn(envelope.CodeMalformed, `a YAML block has no closing "..."; its test is counted`)
			}
			if err != nil { // all points may have come, but the program died then
				rd.levels[0].numbers.say("the stream ends in a YAML block: did the runner crash?")
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

// head returns the start of a line, in whole characters.
func head[T string | []byte](line T, most int) T {
	if len(line) <= most {
		return line
	}
	for most > 0 && !utf8.RuneStart(line[most]) {
		most--
	}
	return line[:most]
}

// numbered matches lines that end an unterminated block. Text in a block may start
// with ok, but hardly with ok and a number.
var numbered = regex.Of(`^\s*((not )?ok \d+\b|1\.\.\d+\s*$|Bail out!)`)

func dedented(block string, margin int) string {
	var b strings.Builder
	b.Grow(len(block))
	for line := range strings.Lines(block) {
		b.WriteString(line[min(margin, indent(line)):])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (rd *reader) warn(code, message string) {
	if !rd.said[message] {
		rd.said[message] = true
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: code, Line: max(rd.number, 1), Column: 1, Message: message})
	}
}

// following begins the next of several streams in one input, as a loop over programs
// writes them. Each has its own version, numbers and plan.
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

// end closes all levels at the end of the stream. whole is false after a read error.
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
	rd.noise.Report(rd.to)
	if rd.dropped > 0 {
		rd.warn(envelope.CodeLineTooLong, fmt.Sprintf("lines are cut off after %d MiB; bytes left out: %d", lineLimit>>20, rd.dropped))
	}
}

// bail adds a trial for Bail out!. Our reports also end with it if their input had errors, which were reported before.
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
	l.planAt, l.replanned = l.points, l.plan.OK
	if l.plan = envelope.Some(n); n == 0 && l == rd.levels[0] {
		rd.warn(codeEmptyRun, strings.TrimSuffix(firstLines("the plan is 1..0, nothing was run: "+unescape(m[2])), ":"))
	}
}
