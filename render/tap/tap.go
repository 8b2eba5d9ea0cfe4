// Package tap writes an envelope in the Test Anything Protocol, with a point per test.
//
// It uses only what prove, node-tap and the TAP plugin of Jenkins all read: the plan first,
// points without subtests, and quoted scalars of one line in YAML blocks, so that no text of
// a test looks like a line of the protocol.
//
// # and \ in names and reasons are escaped with a backslash, which version 14 requires and
// parsers of version 13 accept. Otherwise a test named "C# SKIP nothing" is skipped. Parsers
// without escapes, such as tappy, read a directive after the first #. So a directive in a
// name gets another backslash (\# \SKIP), and no name excuses a failure. These parsers ignore
// our own directive after such a name.
//
// An inconclusive test is `ok N - name # TODO inconclusive`, an excused failure
// `# TODO quarantined`. Some readers count a TODO that passed as a failure: see
// Options.Inconclusive. A failed gate is the last point, because all others may be ok.
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

// Options of the format. The zero value is version 13 and todo.
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

// Write writes the envelope as a TAP stream. Its error is that of w, or names an unknown
// option.
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
	if as := e.Policy.TreatAs; as != "" && as != policy.TreatNeutral { // how inconclusive tests affect the exit code
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

// plan is the line with the number of points. A run without tests is skipped. If it is
// broken, the plan announces a point that never comes, because node-tap ignores Bail out!
// after 1..0.
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

// point writes the line of a test, and a YAML block unless it passed or was skipped.
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

// undecided is a point that neither passed nor failed, in the form of the options.
func undecided(o Options, why string) (ok, directive string) {
	switch o.Inconclusive {
	case TodoNotOK:
		return "not ok", " # TODO " + why
	case SkipIt:
		return "ok", " # SKIP " + why
	}
	return "ok", " # TODO " + why
}
