package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/codeowners"
	"tribunal/internal/history"
	"tribunal/internal/history/trend"
	"tribunal/internal/regex"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render"
	"tribunal/verdict"
)

func historyPageCommand(env Env) *cli.Command {
	own := append([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the pages to `FOLDER`; those of an earlier call are replaced"},
	}, historyReleaseCommand(env).Flags...)
	for i, f := range own {
		switch f.Names()[0] {
		case "window":
			const pageWindow = "60" // how many runs the pages show: about two months of nights
			own[i] = &cli.StringFlag{Name: "window", Usage: "show the latest `N` runs, or all", Value: pageWindow}
		case "threshold":
			own[i] = &cli.StringFlag{Name: "threshold", Usage: "pass rate at which quarantined tests may leave", DefaultText: "from tribunal.yaml"}
		}
	}
	return &cli.Command{
		Name: "page", Usage: "write pages: what changed in the last run, and a page for each run",
		Description: "FOLDER/index.html compares the last run with those before. It lists tests that regressed (since which commit),\n" +
			"became flaky or were fixed, and quarantined tests that may leave (see history release). It shows unusual times\n" +
			"and costs, new causes, and a map of the 400 worst tests. Each run has its own page. The files need no server.",
		Flags:  own,
		Action: func(c *cli.Context) error { return writePages(c, env) },
	}
}

func writePages(c *cli.Context, env Env) error {
	folder := c.String("output")
	if info, err := os.Stat(folder); folder == "" || err == nil && !info.IsDir() {
		return errors.New("history page: name the folder to write: -o FOLDER/" + words.If(folder != "", "; "+text.Line(folder)+" is a file"))
	}
	asked, err := releasePolicy(c)
	if err != nil {
		return fmt.Errorf("history page: %w", err)
	}
	if len(asked.Quarantine) > 0 && !asked.Threshold.OK {
		asked.Quarantine = nil
		fmt.Fprintln(env.Stderr, "tribunal: history page: to list the tests that may leave the quarantine, add --threshold 0.95")
	}
	by, err := releaseBy(c)
	if err != nil {
		return err
	}
	sel, err := windowed(c)
	if err != nil {
		return err
	}
	q := history.Query{Selection: sel, Confidence: asked.Confidence.Or(trend.DefaultConfidence), Ever: true, Owners: true}
	return withTrend(c, env, q, func(ctx context.Context, s *history.Store, t *trend.Trend) error {
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
			return fmt.Errorf("history page: writing %s: %w", folder, words.OfFile(err))
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

func isHistoryPage(path string) bool {
	name := filepath.Base(path)
	return (name == render.HistoryIndex || strings.HasPrefix(name, "run-") && strings.HasSuffix(name, ".html")) &&
		strings.Contains(string(beginning(path, 400)), render.HistoryMark)
}

// latestWords say what changed in the last run, the same counts as on the page.
func latestWords(t *trend.Trend) string {
	some := func(n int, word string) string { return words.If(n > 0, words.Count(n)+" "+word) }
	l := t.Latest()
	return words.Join(", ", words.Plural(len(t.Runs), "run", "runs"), some(len(l.Regressed), "regressed"), some(len(l.Slipping), "drift down"),
		some(len(l.NewFlaky), "newly flaky"), some(len(l.Failing), "fail now"), some(len(l.Fixed), "fixed"))
}

// codeOwnersFlag names the file of owners where it is not in its place in the repository.
func codeOwnersFlag() cli.Flag {
	return &cli.StringFlag{Name: "codeowners", Usage: "file that names the owners of test files", DefaultText: "CODEOWNERS of the repository"}
}

func ownerFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "owner", Usage: "only tests of this owner, such as @acme/web; may be repeated"}
}

type ownership struct {
	file   *codeowners.File // nil where there is none
	root   string           // of the repository
	below  string           // the working directory, from there
	module string           // of Go, at the root
	named  bool             // the file, whose owners replace those of a report
	only   []string         // owners whose tests are kept; empty for all tests
}

// owning reads the owners of the repository of the working directory.
func owning(c *cli.Context, env Env) (*ownership, error) {
	o := &ownership{root: env.Dir, below: ".", only: c.StringSlice("owner")}
	for dir := env.Dir; env.Fence == "" && dir != ""; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, ".git")) {
			o.root = dir
			if below, err := filepath.Rel(dir, env.Dir); err == nil {
				o.below = filepath.ToSlash(below)
			}
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	named := c.String("codeowners")
	place := named
	for i := 0; place == "" && i < len(codeowners.Places); i++ {
		if p := filepath.Join(o.root, filepath.FromSlash(codeowners.Places[i])); exists(p) {
			place = p
		}
	}
	if place == "" {
		return o, nil
	}
	in, err := os.Open(place)
	if err != nil {
		return nil, fmt.Errorf("%s%s: cannot open: %w", words.If(named != "", "--codeowners "), place, words.OfFile(err))
	}
	defer in.Close()
	gitLab := env.Getenv("GITLAB_CI") != "" || filepath.Base(filepath.Dir(place)) == ".gitlab"
	if o.file, err = codeowners.Parse(in, gitLab); err != nil {
		return nil, fmt.Errorf("cannot read the owners of files in %s: %w", place, words.OfFile(err))
	}
	o.named = named != ""
	if text, err := os.ReadFile(filepath.Join(o.root, "go.mod")); err == nil {
		if m := moduleLine().FindSubmatch(text); m != nil {
			o.module = string(m[1])
		}
	}
	return o, nil
}

var moduleLine = regex.Of(`(?m)^module\s+"?([^\s"]+)`)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (o *ownership) write(run *envelope.Run) {
	if o == nil || o.file == nil {
		return
	}
	known := map[[2]string][]string{}
	for i := range run.Tests {
		t := &run.Tests[i]
		if t.Owners != nil && !o.named {
			continue
		}
		of := [2]string{t.Suite, t.File}
		owners, seen := known[of]
		if !seen {
			if file := o.fileOf(t); file != "" {
				owners = o.file.Owners(file)
			}
			known[of] = owners
		}
		t.Owners = owners
	}
}

// fileOf is the file of a test from the root of the repository, "" where that is not known:
// a path that leads nowhere may be from another folder. go test names a package and no
// folder, and no file of tests that pass: these stand for their package.
func (o *ownership) fileOf(t *envelope.Test) string {
	file := strings.ReplaceAll(t.File, `\`, "/")
	if o.module != "" && !strings.Contains(file, "/") && (t.Suite == o.module || strings.HasPrefix(t.Suite, o.module+"/")) {
		folder := strings.TrimPrefix(strings.TrimPrefix(t.Suite, o.module), "/")
		if exists(filepath.Join(o.root, folder)) {
			return path.Join(folder, cmp.Or(file, "_test.go"))
		}
	}
	if file == "" {
		return ""
	}
	for _, at := range []string{path.Join(o.below, file), path.Clean(file)} {
		if filepath.IsLocal(at) && exists(filepath.Join(o.root, at)) {
			return at
		}
	}
	if file = path.Clean(file); o.named && filepath.IsLocal(file) { // of a repository that may not be here
		return file
	}
	return ""
}

func (o *ownership) filters() bool { return o != nil && len(o.only) > 0 }

func ofOwners[T any](o *ownership, tests []T, owners func(*T) []string) ([]T, error) {
	all := map[string]bool{}
	kept := slices.DeleteFunc(tests, func(t T) bool {
		for _, owner := range owners(&t) {
			all[owner] = true
		}
		return !slices.ContainsFunc(owners(&t), func(of string) bool {
			return slices.ContainsFunc(o.only, func(asked string) bool {
				return strings.EqualFold(strings.TrimPrefix(of, "@"), strings.TrimPrefix(asked, "@"))
			})
		})
	})
	switch asked := strings.Join(o.only, ", "); {
	case len(kept) > 0 || len(tests) == 0:
		return kept, nil
	case len(all) > 0:
		return nil, fmt.Errorf("--owner %s: no test belongs to %s; owners of tests here: %s", asked, words.Verb(len(o.only), "it", "them"),
			strings.Join(slices.Sorted(maps.Keys(all)), ", "))
	}
	return nil, errors.New("--owner: no test here has an owner: is there a CODEOWNERS file, and does it match the files of the tests?" +
		cmp.Or(words.If(o.root != "", " --codeowners names another one"), " Stored runs have the owners that 'history add' found"))
}

// judge judges the tests of the owners who are asked for, and says how many others there
// are. That trials of the whole run are missing stays an error.
func (o *ownership) judge(run *envelope.Run, judged *envelope.Envelope, held envelope.Effective) (*envelope.Envelope, error) {
	all, err := len(run.Tests), error(nil)
	if run.Tests, err = ofOwners(o, run.Tests, func(t *envelope.Test) []string { return t.Owners }); err != nil {
		return nil, err
	}
	for _, p := range judged.Problems {
		if p.Code == envelope.CodePlanned {
			p.Stage = ""
			run.Problems = append(run.Problems, p)
		}
	}
	run.Header.PlannedTrials, held.ExpectTrials, held.ExpectTests = envelope.Opt[int64]{}, envelope.Opt[int64]{}, envelope.Opt[int64]{}
	if n := all - len(run.Tests); n > 0 {
		run.Problems = append(run.Problems, envelope.Problem{Severity: envelope.SeverityInfo, Code: envelope.CodeOwners,
			Message: fmt.Sprintf("--owner left out %s, which %s %s not own", words.Of(n, all, "test", "tests"),
				strings.Join(o.only, " and "), words.Verb(len(o.only), "does", "do"))})
	}
	e, err := verdict.Seal(run, held)
	if err == nil && !held.Strict.V { // a setting or an entry without a test may be for one left out; --strict shows what makes it red
		e.Problems = slices.DeleteFunc(e.Problems, func(p envelope.Problem) bool {
			return p.Code == envelope.CodeUnused || p.Code == envelope.CodeQuarantineUnmatched
		})
	}
	return e, err
}
