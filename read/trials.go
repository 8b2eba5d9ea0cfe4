package read

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
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
	if err := f.reader(o)(behind(in, f, text), f.rooted(&out, o)); err != nil {
		line, column := whereStopped(err, places)
		out.Problem(unreadable(line, column, fmt.Sprintf("reading as %s stopped here: %s", f.Name, explain(err)), packing))
	}
	done()
	return out
}

// reader is the reader of a format under options.
func (f Format) reader(o Options) func(io.Reader, envelope.Sink) error {
	if f.With != nil {
		return f.With(o)
	}
	return f.Read
}

// rooted is a sink that gets the files of trials as they are called in their
// repository.
func (f Format) rooted(to envelope.Sink, o Options) envelope.Sink {
	if len(o.Roots) == 0 || f.NamesRuns {
		return to
	}
	return rooted{to, o.Roots}
}

// Trial implements envelope.Sink.
func (out *Output) Trial(t *envelope.Trial) {
	kept := *t
	for _, text := range []*string{&kept.Suite, &kept.Test, &kept.Variant, &kept.Run, &kept.RawStatus, &kept.ErrorClass, &kept.Message, &kept.Output, &kept.File, &kept.TranscriptFile} {
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

// Problem implements envelope.Sink.
func (out *Output) Problem(p envelope.Problem) { out.Problems = append(out.Problems, p) }
