package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/history"
	"tribunal/history/trend"
	"tribunal/internal/words"
	"tribunal/render"
)

// pageWindow is how many runs the pages show: about two months of nights.
const pageWindow = "60"

func historyPageCommand(env Env) *cli.Command {
	own := append([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "the `FOLDER` to write; one of an earlier call is replaced"},
	}, historyReleaseCommand(env).Flags...)
	for i, f := range own {
		switch f.Names()[0] {
		case "window":
			own[i] = &cli.StringFlag{Name: "window", Usage: "show the latest `N` runs, or all", Value: pageWindow}
		case "threshold":
			own[i] = &cli.StringFlag{Name: "threshold", Usage: "pass rate at which quarantined tests may leave", DefaultText: "of the configuration"}
		}
	}
	return &cli.Command{
		Name: "page", Usage: "write pages: what changed in the last run, and a page for each run",
		Description: "FOLDER/index.html shows the last run against those before: tests that regressed, and since which commit,\n" +
			"tests that are newly flaky or fixed, unusual times and costs, new causes, quarantined tests that may leave, and\n" +
			"a map of all tests and runs. Each run has its own page. The files need no server.",
		Flags:  own,
		Action: func(c *cli.Context) error { return writePages(c, env) },
	}
}

func writePages(c *cli.Context, env Env) error {
	folder := c.String("output")
	if folder == "" {
		return errors.New("history page: name the folder to write: -o FOLDER/")
	}
	asked, err := releasePolicy(c)
	if err != nil {
		return fmt.Errorf("history page: %w", err)
	}
	by, err := releaseBy(c)
	if err != nil {
		return err
	}
	sel, err := windowed(c)
	if err != nil {
		return err
	}
	return withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
		t, err := s.Trend(ctx, history.Query{Selection: sel, Confidence: asked.Confidence.Or(trend.DefaultConfidence), Ever: true, Owners: true})
		if err != nil {
			return err
		}
		if len(t.Runs) == 0 {
			return fmt.Errorf("history page: %w", noRuns(sel, s))
		}
		h := &render.History{Trend: t, Run: func(i int) (*envelope.Envelope, error) { return storedRun(ctx, s, t, i) }}
		all, err := releases(t, asked, by)
		if err != nil {
			return err
		}
		for _, r := range all {
			if r.test != nil {
				h.Quarantined++
			}
			if r.Leaves {
				h.Releases = append(h.Releases, render.Released{Key: r.test.Key, Why: r.Why})
			}
		}
		err = replaceFolder(folder, isHistoryPage, func(dir string) error {
			return render.WriteHistory(h, func(name string) (io.WriteCloser, error) { return os.Create(filepath.Join(dir, name)) })
		})
		if err != nil {
			return fmt.Errorf("history page: writing %s: %w", folder, err)
		}
		_, err = fmt.Fprintf(env.Stdout, "%s: %s\n", filepath.Join(folder, render.HistoryIndex), latestWords(t))
		return err
	})
}

// storedRun is a run of a trend. The last one has its past, as the trend knows it.
func storedRun(ctx context.Context, s *history.Store, t *trend.Trend, i int) (*envelope.Envelope, error) {
	run, err := s.Find(ctx, t.Runs[i].ID)
	if err != nil {
		return nil, err
	}
	e, err := s.Envelope(ctx, run)
	if err == nil && i == len(t.Runs)-1 {
		writeHistory(e, t)
	}
	return e, err
}

// isHistoryPage reports whether a file is a page that an earlier call wrote.
func isHistoryPage(path string) bool {
	name := filepath.Base(path)
	return (name == render.HistoryIndex || strings.HasPrefix(name, "run-") && strings.HasSuffix(name, ".html")) &&
		strings.Contains(string(beginning(path, 400)), render.HistoryMark)
}

// latestWords say what changed in the last run, the same counts as on the page.
func latestWords(t *trend.Trend) string {
	l, said := t.Latest(), []string{words.Plural(len(t.Runs), "run", "runs")}
	for _, part := range []struct {
		n    int
		word string
	}{{len(l.Regressed), "regressed"}, {len(l.NewFlaky), "newly flaky"}, {len(l.Failing), "fail now"}, {len(l.Fixed), "fixed"}} {
		if part.n > 0 {
			said = append(said, words.Count(part.n)+" "+part.word)
		}
	}
	return strings.Join(said, ", ")
}
