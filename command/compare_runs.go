package command

import (
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/command/input"
	"tribunal/compare"
	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/read"
	"tribunal/verdict"
)

// severalRuns reads a side of which every file is a run of its own, whatever its
// trials call their run: it judges each, counts it, and judges all together.
func (q *comparing) severalRuns(c *cli.Context, env Env, inputs []input.File) (*envelope.Envelope, []compare.Counts, error) {
	builder, err := verdict.NewBuilder(q.layer)
	if err != nil {
		return nil, nil, err
	}
	var runs []compare.Counts
	seen, names := map[envelope.TrialsSum]string{}, input.NamesOf(inputs, roots(c, env))
	for _, file := range inputs {
		name := names.Of(file.Name)
		alone, err := readUnder(c, env, []input.File{file}, q.file, q.layer, nil)
		if err != nil {
			return nil, nil, err
		}
		runs = append(runs, compare.CountsOf(alone))
		in := builder.Input(name, read.Envelope)
		in.Recorded(&envelope.Recorded{Run: asRun(wire.Counted(alone), name), Envelope: alone})
		in.Close()
		sum := alone.TrialsSum()
		if of, again := seen[sum]; again {
			builder.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Input: name, Count: sum.Trials,
				Message: "this has the same trials as " + of + ", but both count as runs; if they are one run, name it once"})
		}
		seen[sum] = name
	}
	judged, err := judge(builder, q.layer, nil)
	return judged, runs, err
}

// asRun puts the name of a file before the run of each trial.
func asRun(run *envelope.Run, name string) *envelope.Run {
	named := func(own string) string { return strings.TrimSuffix(name+": "+own, ": ") }
	words := envelope.NewDictionary()
	for i := range run.Tests {
		t := &run.Tests[i]
		var runs envelope.Words
		for row := range t.Rows.Len() {
			runs.Set(row, words.Word(named(t.Rows.Run().At(row))))
		}
		t.Rows = t.Rows.Changed(func(c *envelope.Columns) { c.Run = runs })
		for j := range t.Details {
			t.Details[j].Run = named(t.Details[j].Run)
		}
	}
	return run
}
