package read

import (
	"bufio"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/crash"
	"tribunal/read/internal/position"
)

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
	out.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Message: errReport.Error()})
}

var errReport = errors.New("this is a report of tribunal, not of a runner")

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
			Message: "this input has the same trials as " + before + ", and all count twice; if both are files of one run, name only one"})
	}
}

// tries is a sink for the trials of a try whose runner writes each try of a run into a
// file of its own: a test that was tried again is one test, and its later trials are
// retries.
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

// triesOf tells a file of a try from the last one, and which run it belongs to.
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
