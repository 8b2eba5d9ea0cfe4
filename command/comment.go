package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/command/comment"
	"tribunal/internal/command/input"
	"tribunal/internal/compare"
	"tribunal/internal/each"
	"tribunal/internal/history/trend"
	"tribunal/internal/suggest"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/render/markdown"
)

// forge is a system with pull or merge requests.
type forge struct {
	name   string
	thread func(getenv func(string) string, number int) (*comment.Thread, error)
	jobs   []string // variables that name the job
	links  func(getenv func(string) string) []markdown.Link
}

var forges = []forge{
	{"github", comment.GitHub, []string{"GITHUB_WORKFLOW", "GITHUB_JOB"}, func(getenv func(string) string) []markdown.Link {
		if getenv("GITHUB_RUN_ID") == "" {
			return nil
		}
		job := getenv("GITHUB_SERVER_URL") + "/" + getenv("GITHUB_REPOSITORY") + "/actions/runs/" + getenv("GITHUB_RUN_ID")
		return []markdown.Link{{Name: "Page", URL: job + "#artifacts"}, {Name: "Job", URL: job}}
	}},
	{"gitlab", comment.GitLab, []string{"CI_JOB_NAME"}, func(getenv func(string) string) []markdown.Link {
		job := getenv("CI_JOB_URL")
		if job == "" {
			return nil
		}
		return []markdown.Link{{Name: "Page", URL: job + "/artifacts/file/report.html"}, {Name: "Job", URL: job}}
	}},
}

func nameOfForge(f forge) string { return f.name }

func commentCommand(env Env) *cli.Command {
	own := []cli.Flag{
		&cli.StringFlag{Name: "base", Usage: "run of the base branch, to show what is new",
			DefaultText: "the history in RUN, if any"},
		&cli.BoolFlag{Name: "dry-run", Usage: "print the Markdown, and post nothing"},
		&cli.IntFlag{Name: "number", Usage: "number of the pull or merge request", DefaultText: "that of the job"},
		&cli.StringFlag{Name: "name", Usage: "name of the comment; each name has its own comment", DefaultText: "name of the job"},
		&cli.StringFlag{Name: "page", Usage: "`URL` of the page of the run", DefaultText: "artifacts of the job"},
	}
	return &cli.Command{
		Name: "comment", Usage: "post a run as one comment on a pull or merge request, and update it",
		ArgsUsage: strings.Join(each.Of(forges, nameOfForge), "|") + " RUN",
		Description: "Posts the headline, what is new, causes and links as one comment, and replaces it at the next call. The token comes\n" +
			"from $GITHUB_TOKEN or $GITLAB_TOKEN. Without permission, as in jobs of forks, it says so and exits with 0. It\n" +
			"exits with 2 if RUN cannot be read, or if GitHub or GitLab is down or rejects the comment; never because a test failed.\n\n" +
			"Examples:\n" +
			"   tribunal comment github run.json                      in a job of a pull request\n" +
			"   tribunal comment gitlab run.json --base main.json     with what is new\n" +
			"   tribunal comment github run.json --dry-run            print it",
		Flags:  slices.Concat(own, within(groupInput, without(inputFlags(), "label")), policyFlags()),
		Action: func(c *cli.Context) error { return commentOn(c, env) },
	}
}

func commentOn(c *cli.Context, env Env) error {
	system, args := c.Args().First(), c.Args().Tail()
	f, err := suggest.Find("system", system, forges, nameOfForge)
	if c.NArg() < 2 {
		return fmt.Errorf("comment: give the system, then the run, as in tribunal comment %s run.json", cmp.Or(f.name, forges[0].name))
	}
	if last := c.Args().Get(c.NArg() - 1); err != nil && slices.Contains(each.Of(forges, nameOfForge), last) {
		return fmt.Errorf("comment: the system comes first: tribunal comment %s", words.Shell(last, system))
	}
	if err != nil {
		return fmt.Errorf("comment: %w", err)
	}
	if n := c.Int("number"); n < 1 && c.IsSet("number") {
		return fmt.Errorf("comment: --number %d: give the number of the pull or merge request, 1 or more", n)
	}
	inputs, err := inputFiles(env, "comment", args)
	if err != nil {
		return err
	}
	e, err := readAndJudge(c, env, inputs, &historyLookup{c: c, env: env, rows: true})
	if err != nil {
		return err
	}
	text := markdown.Comment{Mark: f.mark(c, env), Links: f.links(env.Getenv)}
	if page := c.String("page"); page != "" {
		isPage := func(l markdown.Link) bool { return l.Name == "Page" }
		text.Links = append([]markdown.Link{{Name: "Page", URL: page}}, slices.DeleteFunc(text.Links, isPage)...)
	}
	text.Report = again(c, args, append(without(inputFlags(), "label"), policyFlags()...))
	if text.Since, text.News, err = news(c, env, e); err != nil {
		return err
	}
	var body bytes.Buffer
	if err := markdown.WriteComment(&body, e, text); err != nil {
		return err
	}
	if c.Bool("dry-run") {
		_, err = body.WriteTo(env.Stdout)
	} else {
		err = f.post(c, env, text.Mark, body.String())
	}
	readable := func(p envelope.Problem) bool { return p.Code != envelope.CodeUnreadable }
	if unread := slices.DeleteFunc(e.Problems, readable); err == nil && mention(env.Stderr, unread, e.Policy.Policy, true) > 0 {
		return errMentioned
	}
	return err
}

// post posts the comment. That we may not, or that there is nothing to comment on, is said
// and no error: the verdict of the job does not depend on it.
func (f forge) post(c *cli.Context, env Env, mark, body string) error {
	thread, err := f.thread(env.Getenv, c.Int("number"))
	if errors.Is(err, comment.ErrNone) {
		fmt.Fprintf(env.Stderr, "tribunal: comment: %s\n", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("comment: %w", err)
	}
	updated, err := thread.Post(cmp.Or(env.Context, context.Background()), mark, body)
	var denied *comment.DeniedError
	switch {
	case errors.As(err, &denied):
		fmt.Fprintf(env.Stderr, "tribunal: comment: nothing was posted on %s, because %s; %s\n", thread.Name, denied, thread.Needs)
		return nil
	case err != nil:
		return exitWith(gate.ExitUnusable, fmt.Errorf("comment: posting on %s: %w", thread.Name, err))
	}
	_, err = fmt.Fprintf(env.Stdout, "%s the comment on %s\n", map[bool]string{true: "updated", false: "posted"}[updated], thread.Name)
	return err
}

// mark is the first line of the comment, in which nobody may end it.
func (f forge) mark(c *cli.Context, env Env) string {
	name := cmp.Or(c.String("name"), strings.Trim(strings.Join(each.Of(f.jobs, env.Getenv), "/"), "/"), "run")
	return "<!-- tribunal comment: " + strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" _./", r) {
			return r
		}
		return '_'
	}, name) + " -->"
}

// news is what is new against the base, or what the history in the run says.
func news(c *cli.Context, env Env, e *envelope.Envelope) (since string, all []markdown.News, err error) {
	var found [3][]*envelope.Test
	if path := c.String("base"); path == "" {
		since = newsOfHistory(e, &found)
	} else if names, wrong := input.Expand(path); wrong == nil && !exists(names[0]) {
		fmt.Fprintf(env.Stderr, "tribunal: comment: there is no base %s, so the comment does not show what is new\n", path)
	} else if since, err = newsAgainst(c, env, e, path, &found); err != nil {
		return "", nil, err
	}
	for i, title := range []string{"Newly broken", "Newly flaky", "Fixed"} { // in the order of found
		all = append(all, markdown.News{Title: title, Tests: found[i]})
	}
	return since, all, nil
}

func newsOfHistory(e *envelope.Envelope, found *[3][]*envelope.Test) string {
	runs := 0
	for i := range e.Tests {
		t := &e.Tests[i]
		if t.History == nil {
			continue
		}
		runs = max(runs, t.History.Runs)
		switch state := trend.State(t.History.State); {
		case state == trend.Broken && t.History.Worse():
			found[0] = append(found[0], t)
		case state == trend.NewFlaky:
			found[1] = append(found[1], t)
		case state == trend.Fixed:
			found[2] = append(found[2], t)
		}
	}
	return words.If(runs >= trend.StateRuns, words.Plural(runs-1, "earlier run", "earlier runs"))
}

func newsAgainst(c *cli.Context, env Env, e *envelope.Envelope, path string, found *[3][]*envelope.Test) (string, error) {
	inputs, err := inputFiles(env, "comment", []string{path})
	if err != nil {
		return "", err
	}
	base, err := readAndJudge(c, env, inputs, &historyLookup{c: c, env: env, rows: true})
	if err != nil {
		return "", fmt.Errorf("comment: --base: %w", err)
	}
	if mention(env.Stderr, base.Problems, base.Policy.Policy, false); len(base.Tests) == 0 {
		fmt.Fprintf(env.Stderr, "tribunal: comment: the base %s has no tests, so the comment does not show what is new\n", path)
		return "", nil
	}
	changes, err := compare.Runs("", compare.Input{Name: "base", Envelope: base},
		[]compare.Input{{Name: "run", Envelope: e}}, nil, compare.Defaults())
	if err != nil {
		return "", fmt.Errorf("comment: --base: %w", err)
	}
	both := changes.Contrasts[0].Tests // in the order of the tests of the run
	for i := range e.Tests {
		t := &e.Tests[i]
		if len(both) == 0 || both[0].Key != t.Key { // the base does not have it
			switch t.KindOf() {
			case envelope.KindBroken:
				found[0] = append(found[0], t)
			case envelope.KindFlaky:
				found[1] = append(found[1], t)
			}
			continue
		}
		switch now, before := both[0].Candidate.Trials, both[0].Base.Trials; {
		case both[0].Newly == compare.Broken:
			found[0] = append(found[0], t)
		case both[0].Newly == compare.Flaky:
			found[1] = append(found[1], t)
		case now.N > 0 && now.Passed == now.N && before.Passed < before.N:
			found[2] = append(found[2], t)
		}
		both = both[1:]
	}
	return cmp.Or(words.Commit(base.Run.Commit), path), nil
}
