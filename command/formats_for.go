package command

import (
	"fmt"
	"io"

	"tribunal/command/input"
	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/read"
	"tribunal/verdict"
	"tribunal/verdict/gate"
)

// formatsFor says of each input that a path means what it is read as, what is found
// in it, and what is lost.
func formatsFor(env Env, path string) error {
	files, err := input.Files([]string{path})
	if err != nil {
		return usage(err)
	}
	unread := false
	for _, f := range files {
		known, err := describeInput(env.Stdout, f)
		if err != nil {
			return err
		}
		unread = unread || !known && !f.Found
	}
	if unread {
		return &exitError{code: gate.ExitUnusable, err: fmt.Errorf("formats --for %s: not all of it is of a known format; say --from when you report it, or --map where the fields are", text.Line(path))}
	}
	return nil
}

// describeInput says what one input is, and whether it could be told.
func describeInput(w io.Writer, f input.File) (known bool, err error) {
	b, err := verdict.NewBuilder(envelope.Policy{})
	if err != nil {
		return false, err
	}
	format := ""
	if in, err := f.Open(); err == nil {
		format = read.StreamAs(b, f.Name, in, read.Options{})
		in.Close()
	} else {
		b.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Input: f.Name, Message: err.Error()})
	}
	trials := b.Trials()
	run := b.Run(envelope.ConflictExtend, 0)
	said := text.Line(f.Name) + ": "
	row, err := read.ByName(format)
	if sources := run.Header.Sources; trials == 0 && len(run.Problems) == 0 && len(sources) == 1 && sources[0].Format == "" {
		_, err := io.WriteString(w, said+"empty: nothing in it tells a format\n")
		return true, err
	}
	if known = err == nil && format != ""; known {
		said += fmt.Sprintf("%s (%s), told by its content\n  found  %s in %s\n  kept   %s\n", row.Name, row.Doc,
			words.Plural(trials, "trial", "trials"), words.Plural(len(run.Tests), "test", "tests"), row.Kept)
		if row.Lost != "" {
			said += "  lost   " + row.Lost + "\n"
		}
	} else if known = format != "" && trials > 0; known { // the problems say how
		said += fmt.Sprintf("records read by the names of their fields\n  found  %s in %s\n",
			words.Plural(trials, "trial", "trials"), words.Plural(len(run.Tests), "test", "tests"))
	} else {
		said += "of no known format\n"
	}
	for _, p := range run.Problems {
		said += "  " + text.Line(p.String()) + "\n"
	}
	_, err = io.WriteString(w, said)
	return known, err
}
