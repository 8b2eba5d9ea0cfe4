// Package native reads the trial stream of Tribunal, tribunal/trials/v1: one JSON object
// per line.
//
// Records are scanned in place, without a tree and without memory per trial. The JSON scanner accepts exactly what
// encoding/json accepts, and reports line and column of the rest.
//
// Two readers give the same results. The careful one (record.go) reads any line
// and reports all its errors. The quick one (quick.go) reads common records, in
// parallel blocks, straight into columns, and leaves anything unusual to the
// careful one.
//
// Nothing is lost silently. Lines that are not records are counted as noise. A
// record that cannot be read is a problem with its position, and reading goes on.
// An optional field that cannot be read is a problem, but its trial counts.
package native

import (
	"bytes"
	"io"
	"math/bits"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/hashchain"
	"tribunal/internal/jsontext"
	"tribunal/read/internal/chunks"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
)

// Read reads a trial stream. It reports errors in lines to the sink as problems.
// Its own error is that of r, as a *position.Error; earlier trials count.
//
// If the sink takes batches, several workers read, with the same results.
func Read(r io.Reader, to envelope.Sink) error { return ReadIn(r, to, nil) }

// ReadIn reads a trial stream whose trials may name files in a folder, which may
// be nil.
func ReadIn(r io.Reader, to envelope.Sink, folder conversation.Folder) error {
	var check hashchain.Check
	err := read(io.TeeReader(r, &check), to, folder)
	if check.Changed > 0 {
		to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeJournal, Line: check.Changed, Column: 1,
			Message: "the journal was changed here after it was written, or lines before this one are missing: restore the original file, or start a new run"})
	}
	return err
}

func read(r io.Reader, to envelope.Sink, folder conversation.Folder) error {
	if counter, ok := to.(batcher); ok && counter.Batch() != nil {
		return readSideBySide(r, counter, folder, chunks.Workers(), chunks.Size, chunks.MaxLine)
	}
	return readPlainly(r, to, folder, chunks.Size, chunks.MaxLine)
}

func readPlainly(r io.Reader, to envelope.Sink, folder conversation.Folder, size, limit int) error {
	in := chunks.Cut(r, size, limit)
	rd, all := &reader{to: to, folder: folder}, &notes{}
	for b := (chunks.Block{}); !b.Last; {
		b = in.Next(b.Text)
		rd.notes = notes{}
		rd.block(b, limit)
		all.take(&rd.notes, 0)
	}
	err := in.Failure(rd.line)
	all.settle(to, err)
	all.report(to)
	return err
}

// reader is the careful reader, which reports all errors of a line. It reuses its
// memory for every line.
type reader struct {
	to     envelope.Sink
	folder conversation.Folder
	line   int    // number of the last line read
	text   []byte // of that line
	said   jsontext.Said
	keys   jsontext.Keys
	marks  *jsontext.Text // of the block of the line; may be nil
	turns  conversation.Reader
	rec    record
	trial  envelope.Trial
	left   []wrong
	notes  notes // of the block
	whole  bool  // also read a last line without a line end
}

type line struct {
	text    []byte
	ended   bool // has a line end; only the last line may lack it
	tooLong bool // the text was skipped
}

func (rd *reader) block(b chunks.Block, limit int) {
	for at := 0; at < len(b.Text); {
		at += rd.first(b.Text[at:], limit)
	}
	if b.TooLong {
		rd.one(line{tooLong: true})
	}
}

// first reads the first line of a text and returns how many bytes that took.
func (rd *reader) first(text []byte, limit int) int {
	l, size := line{text: text}, len(text)
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		l, size = line{text: text[:end], ended: true}, end+1
	}
	if len(l.text) > limit {
		l.text, l.tooLong = nil, true
	}
	rd.one(l)
	return size
}

func (rd *reader) one(l line) {
	rd.line++
	if l.tooLong {
		rd.problem(envelope.SeverityError, envelope.CodeLineTooLong, 0,
			"the line has more than 64 MiB and is skipped whole: its trial is not counted; shorten its texts, or put its transcript into a file "+
				"and name that as transcript_file")
		return
	}
	if !l.ended && !rd.whole {
		rd.notes.last = tail{line: rd.line, text: bytes.Clone(l.text)}
		return
	}
	start, isRecord := begin(l.text)
	if !isRecord {
		rest := jsonwalk.Behind(&rd.notes.noise, l.text[start:], rd.line, names[fieldTest], names[fieldPlannedTrials])
		if rest == nil {
			return
		}
		start = len(l.text) - len(rest)
	}
	rd.said.Reset()
	rd.text = l.text
	switch text := (jsontext.Part{B: l.text, Keys: &rd.keys}); {
	case rd.rec.parse(&text, start, &rd.said):
		rd.record()
	case !l.ended && text.Wrong >= len(l.text):
		rd.problem(envelope.SeverityError, envelope.CodeTruncated, text.Wrong,
			"the last line is cut off and not counted; get the whole file, or run the tests again")
	default:
		rd.malformed(text.Wrong, text.Reason)
	}
}

// begin returns the start of the text after blanks and a byte order mark, and
// whether it looks like a record.
func begin(text []byte) (start int, isRecord bool) {
	rest := bytes.TrimPrefix(text, []byte("\uFEFF"))
	rest = bytes.TrimLeft(rest, " \t\r")
	return len(text) - len(rest), len(rest) > 0 && rest[0] == '{'
}

// The types of a record. One without a type is a trial.
const typeTrial, typeRun = "trial", "run"

func (r *record) kind() string {
	if r.present.has(fieldType) {
		return r.values[fieldType].text
	}
	return typeTrial
}

func (rd *reader) record() {
	rec := &rd.rec
	if w := rec.foreign(); w != nil {
		rd.malformed(w.at, w.text())
		return
	}
	switch kind := rec.kind(); {
	case kind != typeTrial && strings.EqualFold(kind, typeTrial):
		rd.malformed(rec.values[fieldType].at, `write the type "trial" in lowercase, or leave it out`)
	case kind != typeTrial && kind != typeRun && !journalTypes[kind]:
		rd.notes.types.add(kind, rd.line)
	case kind == typeRun:
		rd.header()
	case journalTypes[kind]:
		rd.journal(kind)
	case rec.met == 1<<fieldSchema && len(rec.unknown) == 0: // a line that only names the format
	default:
		rd.count()
	}
}

// foreign returns why the record is not of this format, or nil.
func (r *record) foreign() *wrong {
	for _, f := range []field{fieldType, fieldSchema} {
		if v := r.values[f]; r.present.has(f) && v.kind != '"' {
			return &wrong{field: f, at: v.at, reason: mismatch(v, "a string")}
		}
	}
	v := r.values[fieldSchema]
	if r.present.has(fieldSchema) && v.text != envelope.TrialSchema && strings.HasPrefix(v.text, "tribunal/") {
		return &wrong{field: fieldSchema, at: v.at, reason: quoted(v.text) + " where " + envelope.TrialSchema + " is expected"}
	}
	return nil
}

func (rd *reader) count() {
	left, malformed := rd.rec.fill(&rd.trial, rd.left[:0])
	rd.left = left
	if malformed != nil {
		rd.malformed(malformed.at, malformed.text())
		return
	}
	rd.note(trialFields)
	if rd.rec.present.has(fieldLabels) {
		rd.trial.Labels = rd.labels(rd.trial.Labels)
	}
	for _, w := range left {
		rd.leave(w)
	}
	if rd.rec.present&insideFields != 0 {
		rd.inside()
	}
	rd.to.Trial(&rd.trial)
}

// nextFields are the fields of a line of tribunal next that say nothing of a result.
var nextFields = []string{"seed", "index", "near", "argv"}

// note counts unknown fields and fields without a meaning in this record.
func (rd *reader) note(meaning fields) {
	rec := &rd.rec
	for _, name := range rec.unknown {
		switch {
		case name == hashchain.Field:
			rd.notes.hashes.add(name, rd.line)
		case rec.met.has(fieldAdaptive) && slices.Contains(nextFields, name): // an engine copied the line of the plan
		default:
			rd.notes.unknown.add(name, rd.line)
		}
	}
	for without := rec.met &^ meaning; without != 0; without &= without - 1 {
		rd.notes.unknown.add(names[bits.TrailingZeros64(uint64(without))], rd.line)
	}
}

func (rd *reader) leave(w wrong) {
	rd.problem(envelope.SeverityError, envelope.CodeField, w.at, "field ignored, the rest of the record counts: "+w.text())
}

func (rd *reader) malformed(at int, reason string) {
	rd.problem(envelope.SeverityError, envelope.CodeMalformed, at, "the record is not counted: "+reason)
}

func (rd *reader) problem(severity envelope.Severity, code string, at int, message string) {
	rd.to.Problem(envelope.Problem{Severity: severity, Code: code, Message: message, Line: rd.line, Column: at + 1})
}

// batcher is a sink that takes batches of trials (see count.Batch), unless Batch
// returns nil.
type batcher interface {
	envelope.Journal
	Batch() *count.Batch
	Count(*count.Batch)
}

// readSideBySide reads blocks of the input in parallel, with at most this many workers.
func readSideBySide(r io.Reader, to batcher, folder conversation.Folder, workers, size, limit int) error {
	all := &notes{}
	err := chunks.SideBySide(chunks.Cut(r, size, limit), workers, chunks.Work[*found]{
		Empty:  func() *found { return &found{batch: to.Batch()} },
		Worker: func() func(chunks.Block, *found) { return newWorker(limit, folder).read },
		Deliver: func(f *found, before int) int {
			f.replay(to, before, all)
			lines := f.lines
			f.reset()
			return lines
		},
	})
	all.settle(to, err)
	all.report(to)
	return err
}

// worker reads blocks. It reuses its memory for every block.
type worker struct {
	limit   int // of a line
	careful reader
	quick   *quick
	marked  jsontext.Text
}

func newWorker(limit int, folder conversation.Folder) *worker {
	w := &worker{limit: limit, careful: reader{folder: folder},
		quick: &quick{row: row{tests: tests{last: &knownTest{}}, words: map[string]envelope.Word{}}}}
	w.careful.marks = &w.marked
	return w
}

// read reads a block, with the quick reader where it can.
func (w *worker) read(b chunks.Block, found *found) {
	w.careful.to, w.careful.notes, w.careful.line = found, notes{}, 0
	whole := bytes.LastIndexByte(b.Text, '\n') + 1
	w.marked.Begin(b.Text[:whole])
	part := jsontext.Part{B: b.Text[:whole], Keys: &w.careful.keys}
	at := 0
	for at < whole {
		if b.Text[at] == '{' {
			if next, ok := w.quick.trial(&part, at, w.limit, found.batch); ok {
				w.careful.line++
				at = next
				continue
			}
		}
		at += w.careful.first(b.Text[at:], w.limit)
	}
	b.Text = b.Text[at:]
	w.careful.block(b, w.limit)
	found.lines, found.notes = w.careful.line, w.careful.notes
}
