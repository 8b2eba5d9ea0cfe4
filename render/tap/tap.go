// Package tap writes an envelope in the Test Anything Protocol, a point per
// test in the order of the envelope.
//
// It exists for pipelines that speak TAP already: prove, node-tap, the TAP
// plugin of Jenkins. It keeps to what their parsers have in common: the plan
// first, flat points without subtests, one-line quoted scalars in the YAML
// blocks, so that nothing a test wrote can look like a line of the protocol.
//
// # and \ in names and reasons are escaped with a backslash in both versions:
// version 14 demands it, and the parsers of version 13 in use obey it (without
// it, a test named "C# SKIP nothing" is skipped), if some show the backslash. There
// are parsers that know no escapes, such as tappy, and take what follows the first
// # for a directive: one in a name is broken by another backslash, \# \SKIP, so that
// no name excuses a failure. They do not see our own directive behind a name with
// a #, and count the point as its ok says.
//
// An inconclusive test is `ok N - name # TODO inconclusive`, a failure that its
// quarantine excuses `# TODO quarantined`. Some readers, the
// Jenkins plugin by default, take a TODO that passed for a failure: see
// Options.Inconclusive. A gate that does not hold is a point of its own, the last,
// for without it the stream of a red build may be all ok. The package leaves out subtests, pragmas and durations
// per point.
package tap

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/policy"
	"tribunal/render/internal/standing"
)

// Options of the format. The zero value is version 13 with a TODO.
type Options struct {
	Version      int    // 13 or 14; 0 is 13, which older parsers need
	Inconclusive string // todo: ok # TODO; todo-not-ok: not ok # TODO; skip: ok # SKIP; "" is todo
}

// The ways to write an inconclusive test.
const (
	Todo      = "todo"
	TodoNotOK = "todo-not-ok"
	SkipIt    = "skip"
)

func (o Options) check() (Options, error) {
	switch o.Version {
	case 0:
		o.Version = 13
	case 13, 14:
	default:
		return o, fmt.Errorf("tap version %d: known are 13 and 14", o.Version)
	}
	switch o.Inconclusive {
	case "":
		o.Inconclusive = Todo
	case Todo, TodoNotOK, SkipIt:
	default:
		return o, fmt.Errorf("tap inconclusive %q: known are %s, %s, %s", o.Inconclusive, Todo, TodoNotOK, SkipIt)
	}
	return o, nil
}

// Write writes the envelope as one TAP stream. The error is that of the writer,
// or names an unknown option.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	o, err := o.check()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16) // keeps the first error for Flush
	fmt.Fprintf(out, "TAP version %d\n", o.Version)
	out.WriteString(plan(e))
	for i := range e.Tests {
		point(out, i+1, &e.Tests[i], o)
	}
	if says := standing.Unheld(&e.Gate); says != "" {
		fmt.Fprintf(out, "not ok %d - (the gate)\n  ---\n  verdict: \"gate\"\n  message: %s\n  ...\n", len(e.Tests)+1, quote(says))
	}
	for _, line := range remarks(e) {
		fmt.Fprintf(out, "# %s\n", line)
	}
	if as := e.Policy.TreatAs; as != "" && as != policy.TreatNeutral { // what a TODO does to our exit code
		fmt.Fprintf(out, "# treat_as: %s\n", as)
	}
	if sum := e.TrialsSum().String(); sum != "" {
		fmt.Fprintf(out, "# trials sum %s\n", sum)
	}
	if s := e.Summary; s.Tests > 0 {
		fmt.Fprintf(out, "# %d of %d counted trials passed over %d tests\n", s.Trials.Passed, s.Trials.Counted, s.Tests)
	}
	if says := standing.Broken(e); says != "" {
		fmt.Fprintf(out, "Bail out! %s\n", escape(says))
	}
	return out.Flush()
}

// plan is the number of points to come. A run without tests is skipped, but one
// that is broken must not pass for one in which nothing was selected: after
// 1..0, node-tap does not listen to Bail out! any more, so one point is
// announced that never comes.
func plan(e *envelope.Envelope) string {
	points := len(e.Tests)
	if standing.Unheld(&e.Gate) != "" {
		points++
	}
	switch {
	case points > 0:
		return fmt.Sprintf("1..%d\n", points)
	case standing.Broken(e) != "":
		return "1..1\n"
	}
	return "1..0 # SKIP no tests\n"
}

// point is one test: the line, and for what is not simply fine a block.
func point(out *bufio.Writer, n int, t *envelope.Test, o Options) {
	ok, directive := result(t, o)
	line := fmt.Sprintf("%s %d", ok, n)
	if name := description(t.Key); name != "" {
		line += " - " + name
	}
	out.WriteString(strings.TrimRight(line+directive, " ") + "\n")
	if t.Status != envelope.Pass && t.Status != envelope.Skip {
		block(out, t)
	}
}

func result(t *envelope.Test, o Options) (ok, directive string) {
	if t.Excused() {
		return undecided(o, "quarantined")
	}
	switch t.Status {
	case envelope.Pass:
		return "ok", ""
	case envelope.Skip:
		return "ok", " # SKIP " + escape(skipReason(t))
	case envelope.Inconclusive:
		return undecided(o, "inconclusive")
	}
	return "not ok", ""
}

// undecided is a point that is neither good nor bad, in the way that its readers
// understand.
func undecided(o Options, why string) (ok, directive string) {
	switch o.Inconclusive {
	case TodoNotOK:
		return "not ok", " # TODO " + why
	case SkipIt:
		return "ok", " # SKIP " + why
	}
	return "ok", " # TODO " + why
}
