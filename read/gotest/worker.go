package gotest

import (
	"bytes"

	"tribunal/internal/jsontext"
	"tribunal/internal/regex"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/lineblocks"
)

// worker finds the events of blocks. Everything in it is used again from block to
// block. It does what can be done to a line alone, so that little is left to do
// in order: who the event is about, and whether output is anything but text to
// keep.
type worker struct {
	limit   int // of a line
	text    jsontext.Text
	fields  fields
	careful jsonwalk.LineWalker
	found   *found
	line    int
	said    []byte // what an output says
	// The names of the line before, as they stand there and what they say.
	rawPackage, rawTest []byte
	pkg, test           []byte
	// As good as every line is output of the same test as the one before. Lead is
	// what stood there between the time and the output, nil when it is not known.
	lead []byte
}

func newWorker(limit int) *worker {
	h := &worker{limit: limit}
	h.careful.Keys, h.careful.Other = []string{"Action"}, h.printed
	h.careful.Record = func(l *jsonwalk.Line) {
		e := event{}
		if e.read(l) {
			h.found.add(e)
		}
	}
	return h
}

// read finds the events of a block.
func (h *worker) read(b lineblocks.Block, f *found) {
	h.begin(f)
	whole := bytes.LastIndexByte(b.Text, '\n') + 1
	h.text.Mark(b.Text[:whole])
	for at := 0; at < whole; {
		if !h.text.Torn() {
			if next := h.quick(at); next >= 0 {
				at = next
				continue
			}
		}
		end := at + bytes.IndexByte(b.Text[at:], '\n')
		h.withCare(b.Text[at:end], true)
		at = end + 1
	}
	if len(b.Text) > whole {
		h.withCare(b.Text[whole:], false)
	}
	h.end(b)
}

// begin makes ready for the lines of a block.
func (h *worker) begin(f *found) {
	if cap(h.said) > memoryKept {
		h.said = nil
	}
	h.found, h.line, h.lead, h.careful.To = f, 0, nil, f
	h.rawPackage, h.rawTest, h.pkg, h.test = nil, nil, nil, nil
}

// end tells what is behind the lines of a block, and how many they were.
func (h *worker) end(b lineblocks.Block) {
	if b.TooLong {
		h.line++
		h.careful.Take(jsonwalk.RawLine{Number: h.line, TooLong: true})
	}
	h.found.lines, h.found.noise, h.careful.Noise = h.line, h.careful.Noise, jsonwalk.Noise{}
}

// withCare reads a line with encoding/json.
func (h *worker) withCare(text []byte, ended bool) {
	h.line++
	raw := jsonwalk.RawLine{Text: text, Number: h.line, Ended: ended}
	if len(text) > h.limit {
		raw.Text, raw.TooLong = nil, true
	}
	h.careful.Take(raw)
}

// notBuilt is what Go before 1.24 prints of a package that has no events, for it was not
// built.
var notBuilt = regex.Of(`^FAIL\t(\S+) \[(?:build|setup) failed\]\s*$`)

// printed takes a line that is no event.
func (h *worker) printed(text []byte) {
	if name := notBuilt().FindSubmatch(text); name != nil {
		pkg := bytes.Clone(name[1])
		h.found.add(event{action: output, pkg: pkg, decoded: bytes.Clone(text), line: h.line})
		h.found.add(event{action: fail, pkg: pkg, line: h.line})
	}
}

// quick reads the line at the offset and returns the offset behind it, -1 when
// that wants care.
func (h *worker) quick(at int) (next int) {
	const begin = `{"Time":"`
	text, behindTime := h.text.Bytes, at
	if text[at] != '{' { // it may look like what is behind a time
		return -1
	}
	if bytes.HasPrefix(text[at:], []byte(begin)) {
		if behindTime = h.text.Closing(at + len(begin)); behindTime < 0 {
			return -1
		}
	}
	if h.lead == nil || !bytes.HasPrefix(text[behindTime:], h.lead) {
		return h.any(at, behindTime)
	}
	from := behindTime + len(h.lead)
	to := h.text.Closing(from)
	if to < 0 || text[to+1] != '}' {
		return h.any(at, behindTime)
	}
	if next = h.lineEnd(at, to+2); next >= 0 {
		h.line++
		h.output(span{from, to}, span{})
	}
	return next
}

// lineEnd returns the offset behind the line that begins at the offset and whose
// object ends at p, -1 when there is more in it, or too much.
func (h *worker) lineEnd(at, p int) (next int) {
	for h.text.Bytes[p] == '\r' {
		p++
	}
	if h.text.Bytes[p] != '\n' || p-at > h.limit {
		return -1
	}
	return p + 1
}

// any reads a line of which nothing is expected.
func (h *worker) any(at, behindTime int) (next int) {
	f := &h.fields
	h.lead = nil
	end := f.read(&h.text, at)
	if end < 0 {
		return -1
	}
	name := f.texts[actionMember]
	act := actionOf(name.of(&h.text))
	if next = h.lineEnd(at, end); next < 0 || act == none || bytes.IndexByte(name.of(&h.text), '\\') >= 0 {
		return -1
	}
	h.line++
	h.names()
	said, time := f.texts[outputMember], f.texts[timeMember]
	switch {
	case act != output:
		h.add(act)
	case said.begin == 0:
		h.found.add(event{action: act, pkg: h.pkg, test: h.test, time: h.say(timeMember), line: h.line})
	default:
		h.output(said, time)
	}
	if act == output && f.last == outputMember && (h.found.dated || behindTime == at) {
		h.lead = h.text.Bytes[behindTime:said.begin]
	}
	return next
}

// say is what a member of the line says.
func (h *worker) say(member int) []byte { return h.found.say(&h.text, h.fields.texts[member]) }

// names finds what the names of the line say.
func (h *worker) names() {
	f := &h.fields
	if raw := f.texts[packageMember].of(&h.text); !bytes.Equal(raw, h.rawPackage) {
		h.rawPackage, h.pkg = raw, h.say(packageMember)
	}
	if raw := f.texts[testMember].of(&h.text); !bytes.Equal(raw, h.rawTest) {
		h.rawTest, h.test = raw, h.say(testMember)
	}
}

// add adds the event of the line, which is no output of a test or a package.
func (h *worker) add(act action) {
	e := event{action: act, pkg: h.pkg, test: h.test, elapsed: h.fields.elapsed, timed: h.fields.timed, line: h.line}
	e.time, e.importPath, e.failedBuild = h.say(timeMember), h.say(importPathMember), h.say(failedBuildMember)
	e.key, e.val = h.say(keyMember), h.say(valueMember)
	if act == buildOutput {
		e.decoded = h.say(outputMember)
	}
	h.found.add(e)
}

// output adds output of the test of the line. The time is told as long as the
// block has none.
func (h *worker) output(s, time span) {
	to, raw, frame := h.found, s.of(&h.text), false
	if mayMatter(raw) {
		h.said = jsontext.Repair(jsontext.Append(h.said[:0], raw), 0)
		if frame = isFrame(h.said); !frame && isCrash(h.said) {
			to.add(event{action: output, pkg: h.pkg, test: h.test, time: to.say(&h.text, time), decoded: to.say(&h.text, s), line: h.line})
			return
		}
	}
	e := h.open(time)
	e.line = h.line
	if !frame {
		to.text = append(append(to.text, raw...), '\n')
		e.to = len(to.text)
	}
}

// open is the event that takes more output of the test of the line: the last
// one, or else a new one.
func (h *worker) open(time span) *event {
	to := h.found
	if last := len(to.events) - 1; last >= 0 && (to.dated || time.begin == time.end) {
		e := &to.events[last]
		if e.action == output && e.decoded == nil && e.to == len(to.text) && bytes.Equal(e.test, h.test) && bytes.Equal(e.pkg, h.pkg) {
			return e
		}
	}
	e := event{action: output, pkg: h.pkg, test: h.test}
	if !to.dated {
		e.time = to.say(&h.text, time)
	}
	e.from, e.to = len(to.text), len(to.text)
	to.add(e)
	return &to.events[len(to.events)-1]
}
