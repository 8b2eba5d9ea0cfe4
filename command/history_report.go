package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/history"
	"tribunal/internal/history/trend"
	"tribunal/internal/run/preset"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/verdict"
)

func historyReportFlags(does string) []cli.Flag {
	return within(groupHistory, historyFlags(
		&cli.BoolFlag{Name: "history", Usage: does},
		&cli.StringSliceFlag{Name: historyLabel, Usage: "with --history: only runs with this label; repeat to require several"},
		&cli.StringFlag{Name: historyWindow, Usage: "with --history: use the latest `N` runs, or all", Value: strconv.Itoa(defaultWindow)},
	))
}

// The flags of report that choose among the runs of the history, and what --history does there.
const (
	historyLabel  = "history-label"
	historyWindow = "history-window"
	showsHistory  = "show each test's latest runs, its state and the evidence"
)

// checkHistoryFlags rejects history flags without --history, and bad values.
func checkHistoryFlags(c *cli.Context) error {
	for _, flag := range []struct{ name, does string }{
		{"db", "names a history"}, {historyLabel, "chooses runs of the history"}, {historyWindow, "chooses runs of the history"},
	} {
		if c.IsSet(flag.name) && !c.Bool("history") && !(flag.name == historyLabel && c.Bool(flagNew)) && !c.Bool(flagByTime) {
			return fmt.Errorf("--%s %s: give --history as well", flag.name, flag.does)
		}
	}
	_, err := historySelection(c)
	return err
}

func historySelection(c *cli.Context) (history.Selection, error) {
	labels, err := labelFlags(c, historyLabel)
	latest, wrong := window(c, historyWindow)
	return history.Selection{Labels: labels, Latest: latest}, errors.Join(err, wrong)
}

// historyLookup is the past of a run that is reported, where a history is asked for one.
// A history that cannot be read costs the reports nothing but the past: the error
// is kept for the end.
type historyLookup struct {
	c   *cli.Context
	env Env
	// rows says that a report publishes the rows of the run, or compares them with others.
	rows bool
	err  error
}

func (r *historyLookup) asked() bool { return r != nil && r.c.Bool("history") }

func (r *historyLookup) stored() (t *trend.Trend, err error) {
	sel, err := historySelection(r.c)
	if err != nil {
		return nil, err
	}
	err = withHistory(r.c, r.env, history.Read, func(ctx context.Context, s *history.Store) error {
		t, err = s.Trend(ctx, history.Query{Selection: sel, Confidence: trend.DefaultConfidence})
		return err
	})
	return t, err
}

func (r *historyLookup) flaky() (map[envelope.Key]bool, error) {
	t, err := r.stored()
	if err != nil {
		return nil, fmt.Errorf("--only %s: %w", wordFlaky, err)
	}
	flaky := map[envelope.Key]bool{}
	for i := range t.Tests {
		if t.Tests[i].State.IsFlaky() {
			flaky[t.Tests[i].Key] = true
		}
	}
	if len(flaky) == 0 {
		return nil, fmt.Errorf("--only %s: the history calls no test flaky, %w", wordFlaky, errNothing)
	}
	return flaky, nil
}

// write gives each test of the run its past, and reports one that its verdicts are to look at.
func (r *historyLookup) write(e *envelope.Envelope) (judged bool) {
	if !r.asked() {
		return false
	}
	r.err = lookUpHistory(r.c, r.env, e)
	return envelope.AnyTest(e.Tests, func(t *envelope.Test) bool { p := t.History; return p != nil && (p.Before != nil || p.Worse()) })
}

// lookUpHistory writes beside each test what the history shows of it. That there is
// none yet is said and no error: a project's first report has no past.
func lookUpHistory(c *cli.Context, env Env, e *envelope.Envelope) error {
	sel, err := historySelection(c)
	if err != nil {
		return err
	}
	err = withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
		t, err := s.Trend(ctx, history.Query{Selection: sel, Confidence: trend.DefaultConfidence, Now: e})
		if err != nil {
			return err
		}
		writeHistory(e, t)
		if err := writeBefore(ctx, e, s, sel.Labels); err != nil {
			return err
		}
		if len(sel.Labels) > 0 && len(t.Runs) == 1 { // the first of its branch, or a label mistyped
			fmt.Fprintf(env.Stderr, "tribunal: --history: no other run of the history %s up to this one has these labels\n", s.Name())
		}
		return nil
	})
	if errors.Is(err, history.ErrNone) {
		fmt.Fprintf(env.Stderr, "tribunal: --history: there is no history yet in %s; add this run with 'tribunal history add FILE%s'\n",
			historyPlace(c, env), ofPlace(c, env))
		return nil
	}
	if err != nil {
		return fmt.Errorf("--history: %w", err)
	}
	return nil
}

// writeHistory gives each test of the run its past. Both lists are in the order of the keys, and every test of the run is in the trend.
func writeHistory(e *envelope.Envelope, t *trend.Trend) {
	at := 0
	for i := range e.Tests {
		for t.Tests[at].Key != e.Tests[i].Key {
			at++
		}
		e.Tests[i].History = t.Tests[at].Past(len(t.Runs))
	}
}

// writeBefore gives each test in quarantine since a day what it did in all runs of the history that started before.
func writeBefore(ctx context.Context, e *envelope.Envelope, s *history.Store, labels map[string]string) error {
	since := map[envelope.Key]*envelope.Test{}
	for i := range e.Tests {
		if t := &e.Tests[i]; t.Quarantine != nil && t.Quarantine.Since != "" && t.History != nil {
			since[t.Key] = t
		}
	}
	if len(since) == 0 {
		return nil
	}
	all, err := s.Trend(ctx, history.Query{Selection: history.Selection{Labels: labels}, Confidence: trend.DefaultConfidence, Now: e,
		Keep: func(k envelope.Key) bool { return since[k] != nil }})
	if err != nil {
		return err
	}
	for i := range all.Tests {
		t := since[all.Tests[i].Key]
		if t == nil {
			continue
		}
		begin, err := verdict.QuarantineBegin(t.Quarantine.Quarantine)
		if err != nil {
			return err
		}
		t.History.Before = before(&all.Tests[i], all.Runs, begin)
	}
	return nil
}

// before is what a test did in the runs that started before an instant; nil where no trial of it was counted.
func before(t *trend.Test, runs []trend.Run, begin time.Time) *envelope.Before {
	var b envelope.Before
	for _, p := range t.Points {
		if at, ok := envelope.Instant(runs[p.Run].StartedAt); ok && time.Unix(0, at).Before(begin) {
			b.Passed, b.Counted = b.Passed+int(p.Passed), b.Counted+int(p.Counted)
		}
	}
	if b.Counted == 0 {
		return nil
	}
	return &b
}

func historyQuarantineCommand(env Env) *cli.Command {
	own := append(windowFlags(),
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "arguments for `RUNNER`: " + strings.Join(preset.SkipFormats(), ", ")},
		&cli.BoolFlag{Name: "flaky", Usage: "tests in state FLAKY or NEW-FLAKY instead of those in quarantine"},
		&cli.StringFlag{Name: "on", Usage: "the quarantine on `DAY`", DefaultText: "today, in UTC"},
		&cli.StringSliceFlag{Name: "test", Usage: "only tests that match `PATTERN`; may be repeated"},
		configFlag("read the quarantine from this file"),
	)
	return &cli.Command{
		Name: "quarantine", Usage: "print arguments that make a runner skip quarantined tests",
		Description: "Prints the tests of the history that are in quarantine, or with --flaky those that it calls flaky. It prints\n" +
			"arguments for a shell, or names for Surefire 3 (junit-names). Comments show ticket and expiry, or with --flaky\n" +
			"the state. Broken tests are not skipped.\n\n" +
			"   eval \"pytest $(tribunal history quarantine -o pytest)\"",
		Flags:  historyFlags(own...),
		Action: func(c *cli.Context) error { return skipList(c, env) },
	}
}

func skipList(c *cli.Context, env Env) error {
	if c.String("output") == "" {
		return fmt.Errorf("history quarantine: name the runner, as in -o pytest; known are %s", strings.Join(preset.SkipFormats(), ", "))
	}
	sel, err := windowed(c)
	if err != nil {
		return err
	}
	asked, err := quarantineOn(c)
	if err != nil {
		return fmt.Errorf("history quarantine: %w", err)
	}
	q := history.Query{Selection: sel, Confidence: cmp.Or(asked.Confidence.V, trend.DefaultConfidence), Keep: patterns(c.StringSlice("test"))}
	return withTrend(c, env, q, func(_ context.Context, _ *history.Store, t *trend.Trend) error {
		skips, notes := flakySkips(t), []string(nil)
		if !c.Bool("flaky") {
			if skips, notes, err = quarantineSkips(t, asked, q.Keep != nil); err != nil {
				return err
			}
		}
		all := each.Of(t.Tests, func(t trend.Test) envelope.Key { return t.Key })
		kept, err := preset.WriteSkips(env.Stdout, c.String("output"), skips, all)
		if err != nil {
			return fmt.Errorf("history quarantine: -o: %w", err)
		}
		notes = append(notes, each.Of(kept, func(k preset.Skip) string { return k.RunnerName() + " is not skipped: " + k.Reason })...)
		return writeNotes(env.Stderr, notes, len(skips)-len(kept))
	})
}

func quarantineOn(c *cli.Context) (envelope.Policy, error) {
	file, err := loadConfig(c)
	if err != nil {
		return envelope.Policy{}, err
	}
	p, day := file.Policy, time.Now().UTC()
	if on := c.String("on"); on != "" {
		if day, err = time.Parse(time.DateOnly, on); err != nil {
			return p, fmt.Errorf("--on %q: give a date such as 2026-01-31", on)
		}
	}
	switch {
	case c.Bool("flaky") && c.IsSet("on"):
		return p, errors.New("--on DAY is for the quarantine and has no effect with --flaky: leave it out")
	case c.Bool("flaky"):
		return p, nil
	case len(p.Quarantine) == 0:
		return p, fmt.Errorf("there is no quarantine in %s; for the tests that the history calls flaky, give --flaky", cmp.Or(file.Path,
			noConfig))
	}
	var wrong error
	p.Quarantine = slices.DeleteFunc(slices.Clone(p.Quarantine), func(q envelope.Quarantine) bool {
		holds, err := verdict.QuarantineHolds(q, day)
		wrong = errors.Join(wrong, err)
		return !holds
	})
	return p, wrong
}

func flakySkips(t *trend.Trend) (skips []preset.Skip) {
	for i := range t.Tests {
		if test := &t.Tests[i]; test.State.IsFlaky() {
			skips = append(skips, preset.Skip{Key: test.Key, Reason: fmt.Sprintf("%s, %s", test.State, test.Evidence)})
		}
	}
	return skips
}

// quarantineSkips are the tests that the entries excuse, and what is to be told of others.
func quarantineSkips(t *trend.Trend, p envelope.Policy, some bool) (skips []preset.Skip, notes []string, err error) {
	all, err := releases(t, p, trend.ByWindow)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range all {
		switch {
		case r.test == nil && some: // it may match one of the other tests
		case r.test == nil:
			notes = append(notes, "the entry "+r.entry.Match+" matches no test of these runs")
		case r.test.State == trend.Broken:
			notes = append(notes, r.test.Key.RunnerName()+" is not skipped: it is broken, which no quarantine excuses")
		case p.QuarantineCap.OK && len(skips) >= p.QuarantineCap.V:
			notes = append(notes, r.test.Key.RunnerName()+" is not skipped: more tests are in quarantine than its cap allows")
		default:
			why := words.Join(", ", "expires "+r.entry.Expires, r.entry.Ticket, r.entry.Owner, r.entry.Reason)
			skips = append(skips, preset.Skip{Key: r.test.Key, Reason: why})
		}
	}
	return skips, notes, nil
}

const mostNotes = 20

func writeNotes(w io.Writer, notes []string, skipped int) error {
	for _, note := range notes[:min(mostNotes, len(notes))] {
		fmt.Fprintf(w, "tribunal: %s\n", text.Line(note))
	}
	if more := len(notes) - mostNotes; more > 0 {
		fmt.Fprintf(w, "tribunal: %d more notes are not shown\n", more)
	}
	_, err := fmt.Fprintf(w, "tribunal: %s to skip\n", words.Plural(skipped, "test", "tests"))
	return err
}
