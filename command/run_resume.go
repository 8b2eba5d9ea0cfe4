package command

import (
	"errors"
	"fmt"
	"path/filepath"

	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/run/journal"
)

// resume goes on with a run.
func (p *trialRun) resume() error {
	dir := p.c.String(flagJournal)
	if dir == "" {
		var err error
		if dir, err = journal.Latest(journal.Runs); err != nil {
			return usage(fmt.Errorf("run --resume: %w", err))
		}
	}
	if was, err := readInvocation(dir); err == nil && !p.env.resumed {
		if p.c.String(flagJournal) == "" && !p.c.Bool("quiet") {
			fmt.Fprintf(p.env.Stderr, "tribunal: going on with %s, begun by: tribunal %s\n", text.Line(dir), text.Line(words.Shell(was.Args...)))
		}
		return p.again(dir, was)
	}
	j, err := journal.Open(dir)
	if err != nil {
		return usage(fmt.Errorf("run --resume: %w", err))
	}
	if j.Torn() > 0 {
		fmt.Fprintf(p.env.Stderr, "tribunal: %s ended within a line: its %d bytes are in %s, and what they told is not known\n", text.Line(j.Path()), j.Torn(), text.Line(filepath.Join(dir, "torn")))
	}
	r, err := p.spec(j)
	if err == nil {
		var plan journal.Plan
		if plan, err = r.Again(j.Header().Plan); err == nil {
			err = j.Check(plan)
		}
	}
	if err != nil {
		return usage(errors.Join(fmt.Errorf("run --resume: %w", err), j.Close()))
	}
	if j.Ended() == journal.Finished {
		fmt.Fprintf(p.env.Stderr, "tribunal: the run %s is finished: nothing is started, the reports are written\n", text.Line(r.Header.ID))
		if err := j.Close(); err != nil {
			return usage(err)
		}
		return p.report(j, nil)
	}
	return p.drive(r, j, true)
}

func otherJournal(dir string) string {
	if dir == "" {
		return ""
	}
	return " --journal " + words.Shell(dir)
}
