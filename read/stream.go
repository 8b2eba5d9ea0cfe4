package read

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/crash"
	"tribunal/internal/words"
	"tribunal/read/internal/position"
)

// headSize is how many bytes usually identify a format.
const headSize = 64 << 10

// longHead is how many bytes to try after that: sorted JSON has the messages of a trial
// before its test, and runners print much before a report.
const longHead = 1 << 20

// Stream reads one input into b. Reports show its name. From is a format, or "" to detect
// it. See StreamAs.
func Stream(b *count.Builder, name string, r io.Reader, from string) (format string) {
	if from == "" {
		return StreamAs(b, name, r, Options{})
	}
	f, err := ByName(from)
	if err != nil {
		refuse(b, name, envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Message: err.Error()})
		return ""
	}
	return StreamAs(b, name, r, Options{As: &f})
}

// StreamAs reads one input and returns the name of its format, or "" if it is unknown. It
// decompresses gzip and zstd and skips a byte order mark.
//
// Errors become problems in b, and the trials before them count. It never waits for more
// than one record, so slow pipes are followed live. To show progress, wrap r and ask b.
func StreamAs(b *count.Builder, name string, r io.Reader, o Options) (format string) {
	done := crash.Reading(name, "")
	format = stream(b, name, r, o)
	done()
	return format
}

func stream(b *count.Builder, name string, r io.Reader, o Options) (format string) {
	text, packing, err := unpack(r)
	if err != nil {
		refuse(b, name, unreadable(1, 1, "cannot unpack "+packing+": "+explain(err), packing))
		return ""
	}
	defer text.Close()
	places := position.NewCounter(text)
	in := bufio.NewReaderSize(places, headSize)
	around := passBanner(in, o)
	in, f, problem := choose(in, places, packing, o)
	if problem != nil {
		refuse(b, name, *problem)
		return ""
	}
	crash.Reading(name, f.Name)
	called := f.Name
	if isBlank(in) {
		called = "" // nothing is of no format
	}
	to, before := b.Input(name, called), b.Trials()
	defer to.Close()
	to.Label(o.Labels)
	if !f.NamesRuns {
		to.AsRun(runOf(name, in, f, o))
	}
	if o.Neighbours != nil && f.Parts != "" && o.Neighbours.CountedIn(f.Parts) {
		to.Describes()
	}
	if f.Repeats != nil { // a whole document: nobody waits for its first bytes
		if head, _ := in.Peek(headSize); f.Repeats(head) {
			to.Repeats()
		}
	}
	sink := f.rooted(to, o)
	if s, run, are := f.triesOf(name, o); are {
		to.AsRun(run)
		s.Sink = sink
		sink = s
	}
	if f.Copies {
		d := &digested{Sink: sink, hash: sha256.New()}
		defer func() { d.warnSame(to, name) }()
		sink = d
	}
	o.Name = name
	if err := f.read(around.without(behind(in, f, text)), sink, o); err != nil {
		line, column := whereStopped(err, places)
		what := fmt.Sprintf("reading as %s stopped here: %s; %s", f.Name, explain(err),
			words.Plural(b.Trials()-before, "trial before this place is counted", "trials before this place are counted"))
		to.Problem(unreadable(line, column, what, packing))
	}
	around.noise.Report(to)
	return f.Name
}

// isBlank reports that there is nothing in an input but blanks. It is asked when the
// format is told, for which of blanks all were read that there are, or a whole head.
func isBlank(in *bufio.Reader) bool {
	head, _ := in.Peek(in.Buffered())
	if len(bytes.TrimSpace(bytes.TrimPrefix(head, []byte(byteOrderMark)))) > 0 {
		return false
	}
	_, err := in.Peek(min(len(head)+1, headSize))
	return err == io.EOF
}

// runOf is the run of an input: its name, or that of the input it is a part of.
func runOf(name string, in *bufio.Reader, f Format, o Options) string {
	if f.PartOf == nil || o.Neighbours == nil {
		return name
	}
	head, _ := in.Peek(headSize) // of a whole document, as for Repeats
	if whole := f.PartOf(head); whole != "" {
		return o.Neighbours.Name(whole)
	}
	return name
}

// behind is the input behind what was looked at. A reader that tells places
// itself gets the bytes as they come, with nobody between who counts lines.
func behind(in *bufio.Reader, f Format, text io.Reader) io.Reader {
	if !f.HasPositions {
		return in
	}
	head, _ := in.Peek(in.Buffered())
	return io.MultiReader(bytes.NewReader(head), text)
}

func whereStopped(err error, places *position.Counter) (line, column int) {
	if at := (*position.Error)(nil); errors.As(err, &at) {
		return at.Line, at.Column
	}
	return places.End()
}

// Kind is what an input is, before it is read.
type Kind struct {
	Format string   // "" when none is known, or there is nothing in it
	Table  bool     // none is known, and it has trials by the names of their fields
	Spare  bool     // it has no trials but those of others, see [Format.Spare]
	Beside []string // formats beside which it does not count, see [Format.Beside]
	Writer string   // the program that wrote it, see [Format.Writer]
	// Again is the writer that tells its trials as well, by reports in that folder, see
	// [Format.Again].
	Again, Folder string
}

// Recognise finds what an input of this name is.
func Recognise(name string, r io.Reader) (k Kind) {
	k.Format, k.Spare = recognise(r, func(f Format, head []byte, _ io.Reader) bool {
		k.Writer, k.Beside = f.Name, f.Beside
		if f.Name == "" {
			_, k.Table = byName(bytes.TrimPrefix(head, []byte(byteOrderMark)), len(head) < longHead)
		}
		if f.Writer != nil {
			k.Writer = f.Writer(name, head)
		}
		if f.Again != nil {
			k.Again, k.Folder = f.Again(k.Writer)
		}
		return f.Spare != nil && f.Spare(head)
	})
	return k
}

// Stamp is how many digits say when a report was made whose trials do not, see
// [Format.Stamp].
func Stamp(r io.Reader) (digits int) {
	recognise(r, func(f Format, head []byte, _ io.Reader) bool {
		if f.Stamp != nil {
			digits = f.Stamp(head)
		}
		return false
	})
	return digits
}

// recognise finds the format of an input that has something in it, Format{} where none is known,
// and asks something of it by its first bytes and by itself, from its beginning on.
func recognise(r io.Reader, is func(f Format, head []byte, whole io.Reader) bool) (format string, yes bool) {
	text, _, err := unpack(r)
	if err != nil {
		return "", false
	}
	defer text.Close()
	first := buffered(text)
	defer release(first)
	passBanner(first, Options{})
	in, f, head, _ := sniffLong(first, text)
	if len(bytes.TrimSpace(head)) == 0 {
		return "", false
	}
	return f.Name, is(f, head, in)
}

// refuse lists an input of which nothing could be read.
func refuse(b *count.Builder, name string, p envelope.Problem) {
	in := b.Input(name, "")
	in.Problem(p)
	in.Close()
}

// unreadable says what happened and what to do about it.
func unreadable(line, column int, what, packing string) envelope.Problem {
	todo := "; check what writes it, and repeat this command"
	if packing != "" {
		todo = "; get a whole copy of the file, or unpack it with its own program, and repeat this command"
	}
	return envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Line: line, Column: column, Message: what + todo}
}

// explain is the error in words where the library's own say too little.
func explain(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "the data is cut off"
	}
	return err.Error()
}

// choose finds the format, or says why there is none. What it returns to read on is
// behind a byte order mark.
func choose(in *bufio.Reader, places *position.Counter, packing string, o Options) (*bufio.Reader, Format, *envelope.Problem) {
	if o.As != nil {
		skipMark(in)
		return in, *o.As, nil
	}
	in, f, head, ok := sniffLong(in, places)
	if o.Others != nil && places.Err() == nil && !isTar(head) && (!ok || f.Name != Envelope) {
		f, ok = *o.Others, true
	}
	whole := len(head) < in.Size()
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	if !ok && places.Err() == nil {
		f, ok = byName(head, whole)
	}
	if !ok && places.Err() != nil {
		line, column := places.End()
		p := unreadable(line, column, "the input ends before its format is clear: "+explain(places.Err()), packing)
		return in, f, &p
	}
	if !ok {
		return in, f, &envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Line: 1, Column: 1,
			Message: unknown(head, whole)}
	}
	skipMark(in)
	return in, f, nil
}

func skipMark(in *bufio.Reader) {
	if head, _ := in.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		_, _ = in.Discard(len(byteOrderMark)) // it is there: it was just seen
	}
}

// sniffLimit bounds how many bytes are looked at in all: behind it, an input
// that comes in crumbs is looked at again only when the head is complete.
const sniffLimit = 16 << 20

// sniffLong finds the format of in, a reader of from. It looks further if the first bytes say nothing,
// and returns the reader to go on with.
func sniffLong(in *bufio.Reader, from io.Reader) (more *bufio.Reader, f Format, head []byte, ok bool) {
	f, head, spent, ok := sniff(in, 0)
	if ok || len(head) < headSize {
		return in, f, head, ok
	}
	in = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(bytes.Clone(head)), from), longHead)
	f, head, _, ok = sniff(in, spent)
	return in, f, head, ok
}

// sniff finds the format of in without taking anything from it.
func sniff(in *bufio.Reader, spent int) (f Format, head []byte, nowSpent int, ok bool) {
	head, nowSpent = look(in, spent, func(head []byte) bool {
		f, ok = Detect(head)
		return ok && len(bytes.TrimSpace(head)) > 0
	})
	return f, head, nowSpent, ok
}

// look calls enough with the first bytes of in after each line until it is true, and consumes nothing.
// A slow pipe may not send another line. Spent is how many bytes were looked at before.
func look(in *bufio.Reader, spent int, enough func(head []byte) bool) (head []byte, nowSpent int) {
	seen := 0
	for {
		_, err := in.Peek(max(seen+1, in.Buffered())) // waits for one more byte, takes all there is
		head, _ = in.Peek(in.Buffered())
		full := err != nil || len(head) == in.Size()
		if full || bytes.IndexByte(head[seen:], '\n') >= 0 && spent < sniffLimit {
			if enough(head) || full {
				return head, spent
			}
			spent += len(head)
		}
		seen = len(head)
	}
}

// The mark of a tar archive. Behind its first header such a file looks like what
// it holds.
const tarAt, tarMark = 257, "ustar"

func isTar(head []byte) bool { return standsAt(head, tarAt, tarMark) }

func standsAt(head []byte, at int, mark string) bool {
	return len(head) > at && bytes.HasPrefix(head[at:], []byte(mark))
}

// Output is what a command said of the tests it ran.
type Output struct {
	Format string // "" when none is known
	// Trials are in the order of the output. Their texts are their own.
	Trials   []envelope.Trial
	Problems []envelope.Problem
}

// Trials reads the output of one command, under options as [StreamAs]. Nothing is
// counted or merged: who started the command knows which trials they are. What
// cannot be read is a problem, and what was read before it is there.
func Trials(r io.Reader, o Options) Output {
	var out Output
	text, packing, err := unpack(r)
	if err != nil {
		out.Problem(unreadable(1, 1, "cannot unpack "+packing+": "+explain(err), packing))
		return out
	}
	defer text.Close()
	places := position.NewCounter(text)
	in := bufio.NewReaderSize(places, headSize)
	in, f, problem := choose(in, places, packing, o)
	if problem != nil {
		out.Problem(*problem)
		return out
	}
	out.Format = f.Name
	done := crash.Reading(o.Name, f.Name)
	if err := f.read(behind(in, f, text), f.rooted(&out, o), o); err != nil {
		line, column := whereStopped(err, places)
		out.Problem(unreadable(line, column, fmt.Sprintf("reading as %s stopped here: %s", f.Name, explain(err)), packing))
	}
	done()
	return out
}

func (f Format) read(r io.Reader, to envelope.Sink, o Options) error {
	if f.ReadWith != nil {
		return f.ReadWith(r, to, o)
	}
	return f.Read(r, to)
}

// rooted is a sink that gets the files of trials as they are called in their
// repository.
func (f Format) rooted(to envelope.Sink, o Options) envelope.Sink {
	if len(o.Roots) == 0 || f.NamesRuns {
		return to
	}
	return rooted{to, o.Roots}
}

func (out *Output) Trial(t *envelope.Trial) {
	kept := *t
	for _, text := range []*string{&kept.Suite, &kept.Test, &kept.Variant, &kept.Run, &kept.RawStatus, &kept.ErrorClass, &kept.Message,
		&kept.Output, &kept.File, &kept.TranscriptFile} {
		*text = strings.Clone(*text)
	}
	kept.Status = envelope.Status(strings.Clone(string(t.Status)))
	kept.Labels = slices.Clone(t.Labels)
	for i := range kept.Labels {
		kept.Labels[i] = envelope.Label{Name: strings.Clone(t.Labels[i].Name), Value: strings.Clone(t.Labels[i].Value)}
	}
	kept.Checks, kept.Transcript, kept.Attachments = slices.Clone(t.Checks), envelope.CloneTurns(t.Transcript), slices.Clone(t.Attachments)
	out.Trials = append(out.Trials, kept)
}

// Header implements envelope.Sink: what an output says of its run is of no use.
func (out *Output) Header(envelope.Header, *envelope.Carried) {}

// Recorded implements envelope.Sink. A report has verdicts, and is no output of
// tests.
func (out *Output) Recorded(*envelope.Recorded) {
	out.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Message: "this is a report of Tribunal, not of a runner"})
}

func (out *Output) Problem(p envelope.Problem) { out.Problems = append(out.Problems, p) }

// digested makes a digest of the trials of an input, for formats whose runner
// writes one run into several files that say of no run which it is.
type digested struct {
	envelope.Sink
	hash   hash.Hash
	trials int
}

func (d *digested) Trial(t *envelope.Trial) {
	d.trials++
	fmt.Fprintf(d.hash, "%#v\n", *t)
	d.Sink.Trial(t)
}

// warnSame warns of an input with the very trials of one before it. Nothing says
// that they are not of two runs, so they count as given.
func (d *digested) warnSame(to *count.Input, name string) {
	if d.trials == 0 {
		return
	}
	if before := to.Holds(string(d.hash.Sum(nil))); before != "" && before != name {
		to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Line: 1, Column: 1, Count: d.trials,
			Message: "this input has the same trials as " + before + ", and they count again; if they are files of one run, name only one"})
	}
}

// tries is a sink for the trials of a try whose runner writes each try of a run into a
// file of its own: later trials of a test are retries.
type tries struct {
	envelope.Sink
	number envelope.Opt[int32] // of the try, 0-based; absent for the last one, which comes behind all others
	retry  bool
}

func (s tries) Trial(t *envelope.Trial) {
	again := *t
	again.Attempt, again.Retry = s.number, t.Retry || s.retry
	s.Sink.Trial(&again)
}

// triesOf finds which try a file has, and of which run.
func (f Format) triesOf(name string, o Options) (s tries, run string, are bool) {
	if f.TryOf == nil || o.Neighbours == nil {
		return s, "", false
	}
	if n, last, is := f.TryOf(name); is {
		return tries{number: envelope.Some(n), retry: n > 0}, o.Neighbours.Name(last), true
	}
	if o.Neighbours.CountedIn(f.Parts) {
		return tries{retry: true}, name, true
	}
	return s, "", false
}
