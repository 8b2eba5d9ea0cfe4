package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/history"
	"tribunal/trend"
)

// pastShown is how many of the latest runs the strip of a report shows.
const pastShown = 20

func pastFlags() []cli.Flag {
	return historyFlags(&cli.BoolFlag{Name: "history", Usage: "show what the history says of each test up to this run: its latest runs, its state and the evidence"})
}

// usedPast refuses the place of a history that is not looked at, and outputs in
// the place of the history.
func usedPast(c *cli.Context, env Env) error {
	if c.IsSet("db") && !c.Bool("history") {
		return errors.New("--db names a history: give --history as well")
	}
	return sparesHistory(c, env, outputPaths(c))
}

// recallPast writes beside each test what the history shows of it. That there is
// none yet is said and no error: a project's first report has no past.
func recallPast(c *cli.Context, env Env, e *envelope.Envelope) error {
	if !c.Bool("history") {
		return nil
	}
	err := withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
		t, err := s.Trend(ctx, history.Query{Selection: history.Selection{Latest: defaultWindow}, Confidence: trend.DefaultConfidence, Now: e})
		if err == nil {
			writePast(e, t)
		}
		return err
	})
	if errors.Is(err, history.ErrNone) {
		fmt.Fprintf(env.Stderr, "tribunal: --history: there is none yet in %s; add this run with 'tribunal history add'\n", historyPlace(c, env))
		return nil
	}
	if err != nil {
		return fmt.Errorf("--history: %w", err)
	}
	return nil
}

// writePast gives each test of the run its past. Both lists are in the order of
// the keys, and every test of the run is in the trend.
func writePast(e *envelope.Envelope, t *trend.Trend) {
	at := 0
	for i := range e.Tests {
		for t.Tests[at].Key != e.Tests[i].Key {
			at++
		}
		past := &t.Tests[at]
		e.Tests[i].History = &envelope.Past{State: string(past.State), Evidence: past.Evidence, Runs: len(t.Runs),
			Strip: past.Strip[max(0, len(past.Strip)-pastShown):]}
	}
}
