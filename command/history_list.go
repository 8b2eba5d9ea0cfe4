package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/history"
	"tribunal/internal/suggest"
	"tribunal/internal/text"
	"tribunal/render/pretty"
)

func historyListCommand(env Env) *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "list the stored runs, the latest last",
		Flags: append(historyFlags(chosenFlags("only the latest `N` runs")...),
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: listFormats[0], Usage: "format of the list: " + strings.Join(listFormats, ", ")}),
		OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if f := c.String("format"); !slices.Contains(listFormats, f) {
				return usage(fmt.Errorf("--format: %w", suggest.Unknown("format", f, listFormats)))
			}
			sel, err := selection(c, c.Int("limit"))
			if err != nil {
				return usage(err)
			}
			return withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
				runs, matching, err := s.List(ctx, sel)
				if err != nil {
					return usage(err)
				}
				if c.String("format") == "json" {
					return listJSON(env.Stdout, runs, matching)
				}
				return listRuns(env.Stdout, runs, matching)
			})
		},
	}
}

// listFormats are how runs can be listed.
var listFormats = []string{"pretty", "json"}

// listedRun is a run as programs read it, under the keys of an envelope.
type listedRun struct {
	ID      string             `json:"id"`
	Run     envelope.RunHeader `json:"run"`
	Summary envelope.Summary   `json:"summary"`
}

// listJSON writes one document: the runs, and how many older ones are left out.
func listJSON(w io.Writer, runs []history.Run, matching int) error {
	list := struct {
		Runs  []listedRun `json:"runs"`
		Older int         `json:"older,omitempty"`
	}{Runs: []listedRun{}, Older: matching - len(runs)}
	for _, r := range runs {
		list.Runs = append(list.Runs, listedRun{r.ID, r.Header, r.Summary})
	}
	text, err := json.MarshalIndent(list, "", " ")
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}

// listRuns writes a row per run. Ids are cut to what Find takes.
func listRuns(w io.Writer, runs []history.Run, matching int) error {
	rows := [][]string{{"ID", "STARTED", "RUN", "COMMIT", "TESTS", "PASS", "FAIL", "INCONC", "ERROR", "FLAKY", "RATE", "COST", "LABELS"}}
	for _, r := range runs {
		s := &r.Summary
		row := []string{r.Short(), cmp.Or(listed(r.Header.StartedAt, longestTime), "-"),
			cmp.Or(listed(strings.TrimSpace(r.Header.Name+" "+r.Header.ID), 30), "-"), cmp.Or(listed(r.Header.Commit, 8), "-")}
		for _, n := range []int{s.Tests, s.Pass, s.Fail, s.Inconclusive, s.Error, s.Flaky} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, append(row, listedRate(s.Rate.PerProtocol), listedCost(s.CostUSD), listedLabels(r.Header.Labels)))
	}
	if err := pretty.Columns(w, rows); err != nil {
		return err
	}
	if more := matching - len(runs); more > 0 {
		_, err := fmt.Fprintf(w, "and %d older\n", more)
		return err
	}
	return nil
}

// longestTime is how many characters the longest start has, to the nanosecond.
const longestTime = len(time.RFC3339Nano)

// listed is a text of a run in a cell of at most n characters.
func listed(s string, n int) string {
	shown := []rune(text.Line(s))
	return string(shown[:min(n, len(shown))])
}

func listedRate(r *envelope.Rate) string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*r.Value)
}

func listedCost(v envelope.Opt[float64]) string {
	if !v.OK {
		return "-"
	}
	return fmt.Sprintf("$%.2f", v.V)
}

func listedLabels(labels map[string]string) string {
	var words []string
	for name, value := range labels {
		words = append(words, listed(name+"="+value, 40))
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}
