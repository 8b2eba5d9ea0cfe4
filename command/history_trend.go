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

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/command/config"
	"tribunal/internal/command/input"
	"tribunal/internal/each"
	"tribunal/internal/history"
	"tribunal/internal/history/trend"
	"tribunal/internal/suggest"
	"tribunal/internal/text"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/render"
	"tribunal/render/pretty"
	"tribunal/verdict"
)

// defaultWindow is how many runs a trend looks back: far enough to see a drift, not so far that what was fixed long ago counts.
const defaultWindow = 50

func historyTrendCommand(env Env) *cli.Command {
	own := append(windowFlags(),
		&cli.StringSliceFlag{Name: "test", Usage: "only tests that match `PATTERN`; may be repeated"},
		ownerFlag(),
		&cli.StringFlag{Name: "confidence", Usage: "confidence level, 95, 95% or 0.95", Value: "0.95"},
	)
	return &cli.Command{
		Name: "trend", Usage: "show the state of every test over the stored runs",
		Description: "Each test has one state: BROKEN, NEW-FLAKY, DRIFTING DOWN, FLAKY, DRIFTING UP, FIXED, STABLE, NEW or UNKNOWN.",
		Flags:       historyFlags(slices.Concat(own, outputFlags(render.Trends))...),
		Action:      func(c *cli.Context) error { return showTrend(c, env) },
	}
}

func showTrend(c *cli.Context, env Env) error {
	outs, err := outputs(c, env, render.Trends, false)
	if err != nil {
		return err
	}
	sel, err := windowed(c)
	if err != nil {
		return err
	}
	confidence, err := level(c, "confidence")
	if err := cmp.Or(err, verdict.CheckValues(envelope.Policy{Confidence: confidence})); err != nil {
		return err
	}
	q := history.Query{Selection: sel, Confidence: confidence.V, Keep: patterns(c.StringSlice("test")), Ever: true, Owners: true}
	return withTrend(c, env, q, func(_ context.Context, _ *history.Store, t *trend.Trend) error {
		o := &ownership{only: c.StringSlice("owner")}
		if t.Part = q.Keep != nil || o.filters(); o.filters() {
			if t.Tests, err = ofOwners(o, t.Tests, func(t *trend.Test) []string { return t.Owners }); err != nil {
				return err
			}
		}
		t.Next = words.If(!strings.Contains(historyPlace(c, env), "://"), "tribunal history page -o nightly/"+ofPlace(c, env))
		return exitWith(gate.ExitOK, writeAll(env, t, outs))
	})
}

// withTrend hands on what the runs of a history show, of which there must be some.
func withTrend(c *cli.Context, env Env, q history.Query, work func(context.Context, *history.Store, *trend.Trend) error) error {
	return withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
		t, err := s.Trend(ctx, q)
		if err != nil {
			return err
		}
		if len(t.Runs) == 0 {
			return fmt.Errorf("history %s: %w", c.Command.Name, noRuns(q.Selection, s))
		}
		if len(t.Tests) == 0 && len(c.StringSlice("test")) > 0 {
			return fmt.Errorf("--test: no test of these runs matches %q; for a part, write '*part*'", strings.Join(c.StringSlice("test"), ", "))
		}
		return work(ctx, s, t)
	})
}

func windowFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "window", Usage: "use the latest `N` runs, or all", Value: strconv.Itoa(defaultWindow)},
		&cli.StringSliceFlag{Name: "label", Usage: "only runs with this label; repeat to require several"},
	}
}

func windowed(c *cli.Context) (history.Selection, error) {
	latest, err := window(c, "window")
	if err != nil {
		return history.Selection{}, err
	}
	return selection(c, latest)
}

func window(c *cli.Context, flag string) (int, error) {
	word := c.String(flag)
	if word == "all" {
		return 0, nil
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("--%s %q: give a number of runs, 1 or more, or all", flag, word)
	}
	return n, nil
}

// patterns accepts tests that match any of them; nil accepts all.
func patterns(words []string) func(envelope.Key) bool {
	if len(words) == 0 {
		return nil
	}
	any := each.Of(words, verdict.Matcher)
	return func(k envelope.Key) bool {
		return slices.ContainsFunc(any, func(m func(envelope.Key) bool) bool { return m(k) })
	}
}

func historyReleaseCommand(env Env) *cli.Command {
	own := append(windowFlags(),
		&cli.StringFlag{Name: "threshold", Usage: "pass rate that a test must exceed to leave, 0.9, 90 or 90%",
			DefaultText: "from tribunal.yaml"},
		&cli.StringFlag{Name: "by", Value: trend.ByRuns, Usage: "quarantine check by `WORD`: runs, trials, window (no check)"},
		configFlag("read the quarantine from this file"),
	)
	return &cli.Command{
		Name: "release", Usage: "show which tests may leave the quarantine",
		Description: "A test may leave if its state is not BROKEN, NEW-FLAKY or DRIFTING DOWN, and the interval of its pass\n" +
			"rate is above the threshold. The runs since its quarantine began must show that, too. --by runs\n" +
			"counts each run once; --by trials counts independent trials. --by window skips this check. With the first two you can check\n" +
			"after every run. A test no better than the threshold leaves with a chance of at most 5 %.",
		Flags:  historyFlags(own...),
		Action: func(c *cli.Context) error { return release(c, env) },
	}
}

func release(c *cli.Context, env Env) error {
	asked, err := releasePolicy(c)
	if err != nil {
		return fmt.Errorf("history release: %w", err)
	}
	sel, err := windowed(c)
	by, wrong := releaseBy(c)
	if err := cmp.Or(err, wrong); err != nil {
		return err
	}
	words := each.Of(asked.Quarantine, func(q envelope.Quarantine) string { return q.Match })
	q := history.Query{Selection: sel, Confidence: cmp.Or(asked.Confidence.V, trend.DefaultConfidence), Keep: patterns(words),
		Ever: true, Owners: true}
	return withTrend(c, env, q, func(_ context.Context, _ *history.Store, t *trend.Trend) error {
		return writeReleases(env.Stdout, t, asked, by)
	})
}

func releaseBy(c *cli.Context) (string, error) {
	return suggest.Find("check in --by", c.String("by"), trend.ReleaseBy, func(by string) string { return by })
}

const noConfig = "this folder, which has no " + config.FileName

// releasePolicy is the quarantine, and the threshold to hold it against.
func releasePolicy(c *cli.Context) (envelope.Policy, error) {
	file, err := loadConfig(c)
	if err != nil {
		return envelope.Policy{}, err
	}
	p := file.Policy
	asked, err := number(c, "threshold")
	if err != nil {
		return p, err
	}
	if asked.OK {
		p.Threshold = asked
	}
	p.Threshold.V = policy.Rate(p.Threshold.V)
	switch {
	case c.Command.Name == "page" && (len(p.Quarantine) == 0 || !p.Threshold.OK):
		return p, nil
	case len(p.Quarantine) == 0:
		return p, fmt.Errorf("there is no quarantine in %s: add quarantine: {tests: [{match: SUITE/TEST, expires: DAY}]}",
			cmp.Or(file.Path, noConfig))
	case !p.Threshold.OK:
		return p, errors.New("give the pass rate that a test must exceed: --threshold 0.95, or threshold in the configuration")
	}
	if t := p.Threshold.V; !(t > 0 && t < 1) {
		return p, &policy.KeyError{Key: "threshold", Value: words.Number(t), Text: "is out of range: give a pass rate above 0 and below 1" +
			cmp.Or(policy.Meant(t), ", such as 0.95")}
	}
	return p, nil
}

// released is an entry of the quarantine, a test that it matches, and whether that may leave.
type released struct {
	entry envelope.Quarantine
	test  *trend.Test // nil where it matches none
	trend.Release
}

func releases(t *trend.Trend, p envelope.Policy, by string) ([]released, error) {
	var out []released
	seen := map[int]bool{}
	for _, q := range p.Quarantine {
		match, found := verdict.Matcher(q.Match), false
		begin, err := verdict.QuarantineBegin(q)
		if err != nil {
			return nil, err
		}
		for i := range t.Tests {
			if !match(t.Tests[i].Key) {
				continue
			}
			if found = true; !seen[i] {
				seen[i] = true
				q := q
				q.Owner = cmp.Or(q.Owner, strings.Join(t.Tests[i].Owners, ", "))
				out = append(out, released{q, &t.Tests[i], t.Release(&t.Tests[i], trend.Leaving{Threshold: p.Threshold.V, By: by, Since: begin})})
			}
		}
		if !found {
			out = append(out, released{entry: q})
		}
	}
	return out, nil
}

func writeReleases(w io.Writer, t *trend.Trend, p envelope.Policy, by string) error {
	all, err := releases(t, p, by)
	if err != nil {
		return err
	}
	var rows [][]string
	leave, stay, over := 0, 0, 0
	for _, r := range all {
		word := "stays"
		switch {
		case r.test == nil:
			rows = append(rows, []string{"no test", text.Line(r.entry.Match), entryWords(r.entry, t), "this entry matches no test of these runs"})
			continue
		case expired(r.entry, t):
			word = "expired"
			over++
		case r.Leaves:
			word = "leaves"
			leave++
		default:
			stay++
		}
		rows = append(rows, []string{word, text.Line(r.test.Key.RunnerName()), entryWords(r.entry, t), text.Line(r.Why)})
	}
	if err := pretty.Columns(w, rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d may leave%s, %d %s%s\n", leave, words.If(leave > 0, " (delete "+words.Verb(leave,
		"its entry if it matches", "their entries if they match")+" no test that stays)"), stay, words.Verb(stay, "stays", "stay"),
		words.If(over > 0, fmt.Sprintf(", %d expired (failures count again: set a later day, or delete the entry)", over)))
	return err
}

func expired(q envelope.Quarantine, t *trend.Trend) bool {
	return len(t.Runs) > 0 && q.Expires+"T24" < t.Runs[len(t.Runs)-1].StartedAt
}

// entryWords says until when an entry excuses failures, or that its last day was over at the latest run.
func entryWords(q envelope.Quarantine, t *trend.Trend) string {
	over := expired(q, t)
	return text.Line(words.If(!over, "until ") + words.If(over, "expired ") + words.Join(" ", q.Expires, cmp.Or(q.Ticket, q.Owner)))
}

func historyExportCommand(env Env) *cli.Command {
	own := append(chosenFlags("only the latest `N` runs"), &cli.StringFlag{Name: "output", Aliases: []string{"o"},
		Usage: "write to this file instead of standard output"})
	return &cli.Command{
		Name: "export", Usage: "write runs as NDJSON that add reads again, without loss", ArgsUsage: "[ID ...]",
		Flags: historyFlags(own...),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 && (c.IsSet("label") || c.IsSet("limit")) {
				return errors.New("history export: --label and --limit choose among all runs: leave them out, or the ids")
			}
			sel, err := selection(c, c.Int("limit"))
			if err != nil {
				return err
			}
			path, err := exportPath(c, env)
			if err != nil {
				return err
			}
			return withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
				write := func(w io.Writer) error { return exportRuns(ctx, s, w, sel, c.Args().Slice()) }
				if path != input.Standard {
					err = writeWhole(path, write)
				} else {
					err = write(env.Stdout)
				}
				if of := words.OfFile(err); err != nil {
					return fmt.Errorf("history export: %s%w", words.If(of != err, "writing "+path+": "), of)
				}
				return nil
			})
		},
	}
}

// exportPath is where an export goes, which is nowhere in the place of what the program keeps.
func exportPath(c *cli.Context, env Env) (string, error) {
	path, err := standard(cmp.Or(c.String("output"), input.Standard))
	if err != nil || path == input.Standard {
		return path, err
	}
	t, err := targetOf(env, "-o "+path, path)
	return path, cmp.Or(err, t.checkOwnFiles(c, env))
}

func exportRuns(ctx context.Context, s *history.Store, w io.Writer, sel history.Selection, ids []string) error {
	runs, err := exported(ctx, s, sel, ids)
	if err != nil {
		return err
	}
	for _, run := range runs {
		e, err := s.Envelope(ctx, run)
		if err != nil {
			return err
		}
		if err := wire.EncodeNDJSON(w, e); err != nil {
			return err
		}
	}
	return nil
}

// exported are the runs that are named, or else those that are selected.
func exported(ctx context.Context, s *history.Store, sel history.Selection, ids []string) ([]history.Run, error) {
	if len(ids) == 0 {
		runs, _, err := s.List(ctx, sel)
		if err == nil && len(runs) == 0 {
			err = noRuns(sel, s)
		}
		return runs, err
	}
	var runs []history.Run
	for _, id := range ids {
		run, err := s.Find(ctx, id)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}
