package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/command/input"
	"tribunal/internal/each"
	"tribunal/internal/run/driver"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/process"
	"tribunal/internal/run/runner"
	"tribunal/internal/suggest"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/read"
	"tribunal/verdict"
)

// Cases returns the tests of a configuration, names and files of globs, under all variants.
func Cases(cases []settings.Case, variants []string) (tests []runner.Test, timeouts map[envelope.Key]time.Duration, err error) {
	timeouts = map[envelope.Key]time.Duration{}
	for _, c := range cases {
		names := []string{c.Test}
		if c.Glob != "" {
			if names, err = input.Expand(c.Glob); err != nil {
				return nil, nil, err
			}
			if _, err := os.Stat(names[0]); err != nil {
				return nil, nil, fmt.Errorf("run.tests: no file matches %s", c.Glob)
			}
		}
		for _, name := range names {
			key := envelope.Key{Suite: c.Suite, Test: filepath.ToSlash(name)}
			tests = append(tests, runner.Test{Key: key, Labels: c.Labels, Trials: c.Trials})
			if c.Timeout.OK {
				timeouts[key] = c.Timeout.V
			}
		}
	}
	return withVariants(tests, timeouts, variants), timeouts, nil
}

// choice is a value of --only, and the tests that it means.
type choice struct {
	word    string
	matches func(envelope.Key) bool
	found   bool // a test that it matches, in the first output
	past    bool // a history says which tests are flaky
}

// wordFlaky chooses by --only, beside a test of that name, those that the history calls flaky.
const wordFlaky = "flaky"

func (p *trialRun) choices() (all []choice, err error) {
	asked := slices.Compact(slices.Sorted(slices.Values(p.set.Only)))
	for _, word := range asked {
		matches := verdict.Matcher(word)
		if word == wordFlaky && p.past.asked() {
			flaky, err := p.past.flaky()
			if err != nil && (len(asked) == 1 || !errors.Is(err, errNothing)) {
				return nil, err
			}
			named := matches
			matches = func(k envelope.Key) bool { return flaky[k] || named(k) }
		}
		all = append(all, choice{word: word, matches: matches, past: p.past.asked()})
	}
	return all, nil
}

func only(tests []runner.Test, choices []choice) ([]runner.Test, error) {
	for _, c := range choices {
		optional := c.word == wordFlaky && c.past && len(choices) > 1 // with other names, no test has to be flaky
		if !optional && !slices.ContainsFunc(tests, func(t runner.Test) bool { return c.matches(t.Key) }) {
			return nil, matchesNone(c.word, c.past, len(tests), tests[0].Key)
		}
	}
	return slices.DeleteFunc(tests, func(t runner.Test) bool {
		return len(choices) > 0 && !slices.ContainsFunc(choices, func(c choice) bool { return c.matches(t.Key) })
	}), nil
}

func matchesNone(word string, past bool, tests int, first envelope.Key) error {
	hint := "it must match the whole name; for a part, write '*part*'"
	if tests == 0 {
		return fmt.Errorf("--only %s matches no test, as the command named none", word)
	}
	if word == wordFlaky {
		hint = map[bool]string{true: "the history calls none of them flaky",
			false: "with tribunal run --history, it also means the tests that the history calls flaky"}[past]
	}
	return fmt.Errorf("--only %s matches none of the tests (%s, such as %s): %s", word, words.Plural(tests, "test", "tests"), first, hint)
}

func withVariants(tests []runner.Test, timeouts map[envelope.Key]time.Duration, variants []string) []runner.Test {
	if len(variants) == 0 {
		return tests
	}
	var all []runner.Test
	for _, t := range tests {
		under, own := t, variants
		if t.Variant != "" {
			own = []string{t.Variant}
		}
		for _, under.Variant = range own {
			if d, ok := timeouts[t.Key]; ok {
				timeouts[under.Key] = d
			}
			all = append(all, under)
		}
	}
	return all
}

func (p *trialRun) noCommand() error {
	if p.file.Eval != nil {
		return fmt.Errorf("%s names no command to start; give the command after --, as in: tribunal run -c %[1]s -- ./agent-test {test}",
			text.Line(p.file.Path))
	}
	return errors.New("there is no command: write tribunal run --threshold 0.9 -- ./agent-test, or set run.command in tribunal.yaml")
}

// variants come from the flag, else the configuration, else the providers of an eval file of AgentV if the command has {variant}.
func (p *trialRun) variants(r *driver.Run) []string {
	if p.pairs != nil {
		return []string{p.pairs.base, p.pairs.candidate}
	}
	if p.c.IsSet(flagVariants) {
		return p.variantsSaid()
	}
	if e := p.file.Eval; e != nil && len(e.Providers) > 1 && r.Command.Uses("variant") {
		return e.Providers
	}
	return p.file.Run.Variants
}

// evaluated adds the tests of an eval file of AgentV, unless the call lists tests.
func (p *trialRun) evaluated(r *driver.Run, tests []runner.Test) ([]runner.Test, error) {
	e := p.file.Eval
	switch {
	case e == nil || len(p.set.Tests) > 0 || len(p.set.List) == 0 && len(e.Unlisted) == 0:
		return tests, nil
	case len(p.set.List) == 0 && r.Command.NamesTests():
		return nil, fmt.Errorf("%s has tests whose names are not known (%s): name them by --test or --list, or leave out {test}",
			text.Line(p.file.Path), text.Line(strings.Join(e.Unlisted, ", ")))
	}
	return nil, nil
}

// listing runs a command that lists tests, and returns its output. Like a trial, it cannot block on a pipe, and its children end with it.
func listing(argv []string, leaveBehind bool) (stdout []byte, stderr string, err error) {
	folder, err := os.MkdirTemp("", "tribunal-list-*")
	if err != nil {
		return nil, "", fmt.Errorf("cannot make a temporary folder in %s (see TMPDIR): %w", os.TempDir(), words.OfFile(err))
	}
	remove := func() { _ = os.RemoveAll(folder) }
	defer stop.meanwhile(remove)()
	defer remove()
	id, _ := newID(time.Now())
	group, err := process.Open(process.Options{Run: id, LeaveBehind: leaveBehind})
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, group.Close()) }()
	told, said := filepath.Join(folder, "stdout"), filepath.Join(folder, "stderr")
	p, err := group.Start(process.Command{ID: id, Argv: argv, Stdout: told, Stderr: said})
	if err != nil {
		return nil, "", err
	}
	failed := badly(p.Wait())
	stdout, unread := os.ReadFile(told)
	words, unheard := os.ReadFile(said)
	return stdout, string(words), errors.Join(failed, unread, unheard)
}

func badly(end process.End) error {
	switch {
	case end.Why == process.OutputLimit:
		return errors.New("it was stopped because it wrote more than 64 MiB")
	case end.Signal != "":
		return fmt.Errorf("it was killed by signal %s", end.Signal)
	case end.Code != 0:
		return fmt.Errorf("it ended with exit code %d", end.Code)
	}
	return nil
}

func listOf(r *driver.Run) ([]runner.Test, error) {
	recipe := &r.Recipe
	template, err := driver.NewTemplate(recipe.List)
	if err != nil {
		return nil, err
	}
	argv := template.Argv(driver.Values{ID: r.Header.ID, Seed: r.Seed})
	stdout, stderr, failed := listing(argv, r.LeaveBehind)
	if stdout == nil { // it did not start
		return nil, fmt.Errorf("cannot list the tests by %s: %w", strings.Join(argv, " "), failed)
	}
	listed, err := recipe.Listed(stdout)
	if err != nil && failed != nil {
		err = fmt.Errorf("%w (%w)", err, failed)
	}
	if err != nil && stderr != "" {
		err = fmt.Errorf("%w; to standard error, %s", err, words.Printed(stderr))
	}
	if err != nil && (strings.Contains(err.Error(), "main module") || strings.Contains(err.Error(), "go.mod file not found")) {
		err = fmt.Errorf("%w; run tribunal in the folder of the module, which has the file go.mod", err)
	}
	return listed, err
}

// cases returns the tests named by flags, else by the configuration.
func (p *trialRun) cases() (tests []runner.Test, timeouts map[envelope.Key]time.Duration, err error) {
	if tests, timeouts, err = Cases(p.file.Run.Cases, nil); err != nil {
		return nil, nil, err
	}
	if len(p.set.Tests) > 0 && p.c.IsSet("list") {
		return nil, nil, errors.New("--test and --list exclude each other; give one of them")
	}
	if len(p.set.Tests) > 0 || p.c.IsSet("list") {
		tests = nil
	}
	named := each.Of(p.set.Tests, func(name string) runner.Test { return runner.Test{Key: envelope.Key{Test: name}} })
	return append(tests, named...), timeouts, nil
}

// tests sets the tests of a run: from flags, else the configuration, else a list. A resumed run has its own.
func (p *trialRun) tests(r *driver.Run, j *journal.Journal) error {
	r.Chosen = len(p.set.Only) > 0 || p.c.Bool(flagNew) || p.c.IsSet(flagOnlyFailed)
	tests, timeouts, err := p.cases()
	if err != nil {
		return err
	}
	if r.Command.NamesSuites() {
		for i, name := range p.set.Tests {
			tests[i].Key = envelope.Named(name)
		}
	}
	if j != nil && len(tests) == 0 && (len(p.set.List) > 0 || r.Command.NamesTests()) {
		for _, t := range j.Header().Plan.Tests {
			if t.Elsewhere {
				r.Elsewhere, r.Sharded = append(r.Elsewhere, runner.Test{Key: t.Key, Labels: t.Labels}), true
			} else {
				tests = append(tests, runner.Test{Key: t.Key, Labels: t.Labels})
			}
		}
		r.Plan.Tests, r.Timeouts = tests, timeouts
		return p.sameShard(r, j)
	}
	if tests, err = p.evaluated(r, tests); err != nil {
		return err
	}
	if tests, err = p.listed(r, tests, timeouts); err != nil {
		return err
	}
	if from := p.c.String(flagOnlyFailed); from != "" {
		if tests, err = p.failedIn(from, tests); err != nil {
			return fmt.Errorf("--only-failed: %w", err)
		}
	}
	variants := p.variants(r)
	if len(tests) == 0 {
		r.Plan.Sweeps = variants
	}
	tests = withVariants(tests, timeouts, variants)
	choices, err := p.choices()
	if err != nil {
		return err
	}
	isNew, err := p.isNew()
	if err != nil {
		return err
	}
	r.Timeouts = timeouts
	if len(tests) == 0 && (len(choices) > 0 || isNew != nil) {
		chooseFromOutput(r, choices, isNew)
		return nil
	}
	if r.Plan.Tests, err = only(tests, choices); err != nil {
		return err
	}
	if isNew != nil {
		if r.Plan.Tests, err = p.onlyNew(r.Plan.Tests, isNew); err != nil {
			return err
		}
	}
	return p.deal(r)
}

// listed are the tests of the list, those of --test where it names some, or of the runner's own list, which knows their suites.
func (p *trialRun) listed(r *driver.Run, tests []runner.Test, timeouts map[envelope.Key]time.Duration) ([]runner.Test, error) {
	if len(p.set.List) > 0 && (len(tests) == 0 || len(p.set.Tests) > 0) {
		all, err := p.listBy(p.set.List)
		if err != nil {
			return nil, fmt.Errorf("--list: %w", err)
		}
		if len(tests) > 0 {
			all, err = namedIn(tests, all, timeouts)
		}
		if tests = all; err != nil {
			return nil, err
		}
	}
	noSuite := func(t runner.Test) bool { return t.Suite == "" }
	if r.Recipe.List == nil || len(tests) > 0 && !(r.Command.NamesSuites() && slices.ContainsFunc(tests, noSuite)) {
		return tests, nil
	}
	all, err := listOf(r)
	if err != nil || len(tests) == 0 {
		return all, err
	}
	return namedIn(tests, all, timeouts)
}

// namedIn returns the tests of a list that others name, of every suite that has them. A subtest of go is found by its test.
func namedIn(named, listed []runner.Test, timeouts map[envelope.Key]time.Duration) (tests []runner.Test, err error) {
	byName := map[string][]runner.Test{}
	for _, l := range listed {
		for _, name := range slices.Compact([]string{l.Test, l.Key.String(), l.Key.RunnerName()}) {
			byName[name] = append(byName[name], l)
		}
	}
	for _, t := range named {
		name, end := t.Key.RunnerName(), len(t.Key.RunnerName())
		for end > 0 && (byName[name[:end]] == nil || end < len(name) && !strings.HasPrefix(byName[name[:end]][0].Test, "Test")) {
			end = strings.LastIndexByte(name[:end], '/')
		}
		if end <= 0 {
			here := each.Of(listed, func(t runner.Test) string { return t.Test })
			return nil, suggest.Unknown("test", name, slices.Compact(slices.Sorted(slices.Values(here))))
		}
		for _, found := range byName[name[:end]] {
			found.Test += name[end:]
			if t.Labels != nil {
				found.Labels = t.Labels
			}
			found.Trials = cmp.Or(t.Trials, found.Trials)
			if d, ok := timeouts[t.Key]; ok {
				timeouts[found.Key] = d
			}
			tests = append(tests, found)
		}
	}
	return tests, nil
}

// chooseFromOutput selects tests that are known only from the first output of a run.
func chooseFromOutput(r *driver.Run, choices []choice, isNew func(envelope.Key) bool) {
	seen, first := map[envelope.Key]bool{}, envelope.Key{}
	r.Unmatched = func() string {
		if at := slices.IndexFunc(choices, func(c choice) bool { return !c.found }); at >= 0 {
			return matchesNone(choices[at].word, choices[at].past, len(seen), first).Error()
		}
		return ""
	}
	r.Only = func(k envelope.Key) bool {
		seen[k], first = true, cmp.Or(first, k)
		chosen := len(choices) == 0
		for i := range choices {
			matches := choices[i].matches(k)
			chosen, choices[i].found = chosen || matches, choices[i].found || matches
		}
		return (isNew == nil || isNew(k)) && chosen
	}
}

func (p *trialRun) listBy(argv []string) ([]runner.Test, error) {
	stdout, stderr, err := listing(argv, p.file.Run.LeaveBehind)
	if err != nil {
		if missing := driver.Startable(argv[0]); missing != nil || stdout == nil { // it was not started
			if info, err := os.Stat(argv[0]); missing != nil && err == nil && info.Mode().IsRegular() && len(argv) == 1 {
				return nil, fmt.Errorf("%w; or, if the file has the names of tests, write --%s %s", missing, flagTestsFrom, words.Shell(argv[0]))
			}
			return nil, cmp.Or(missing, err)
		}
		return nil, fmt.Errorf("the command %s failed (%w); it must print the tests and exit with 0; %s", words.Shell(argv...), err,
			words.Printed(stderr, string(stdout)))
	}
	tests, err := driver.ParseList(bytes.NewReader(stdout))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", words.Shell(argv...), err)
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("the command %s printed no test; it must print one name per line, or JSON; %s", words.Shell(argv...),
			words.Printed(stderr))
	}
	return tests, nil
}

// failedIn returns the tests that did not pass in an input, and are listed if any are.
func (p *trialRun) failedIn(name string, listed []runner.Test) ([]runner.Test, error) {
	e, err := p.read(name)
	if err != nil {
		return nil, err
	}
	var failed []runner.Test
	for i := range e.Tests {
		t := &e.Tests[i]
		if t.Status == envelope.Pass || t.Status == envelope.Skip {
			continue
		}
		test := runner.Test{Key: t.Key, Labels: t.Labels}
		if at := slices.IndexFunc(listed, func(l runner.Test) bool { return l.Key == t.Key }); at >= 0 {
			test = listed[at]
		} else if len(listed) > 0 {
			fmt.Fprintf(p.env.Stderr, "tribunal: --only-failed: %s did not pass, but is not among the tests to try: left out, renamed or removed?\n",
				text.Line(t.Key.String()))
			continue
		}
		failed = append(failed, test)
	}
	c, name := e.Summary.Counts, cmp.Or(words.If(name == input.Standard, "standard input"), name)
	switch {
	case c.Tests > 0 && c.Pass+c.Skip == c.Tests && e.Gate.ExitCode == 0:
		return nil, fmt.Errorf("every test of %s passed or was skipped, %w", name, errNothing)
	case len(failed) == 0:
		return nil, fmt.Errorf("%s has no failed, errored or undecided test%s", name, words.If(len(listed) > 0, " among the listed ones")+
			words.Around("; it is red because ", strings.Join(e.Gate.Reasons, "; ")))
	}
	return failed, nil
}

// read reads a file or folder as report does, under the policy in it.
func (p *trialRun) read(name string) (*envelope.Envelope, error) {
	files, err := input.Files([]string{name})
	if err != nil {
		return nil, err
	}
	empty := envelope.Policy{AllowEmpty: envelope.Some(p.c.Bool("allow-empty"))}
	b, err := verdict.NewBuilder(empty)
	if err != nil {
		return nil, err
	}
	progress := newProgress(p.env, b, input.TotalSize(files))
	options := read.Options{Roots: roots(p.c, p.env)}
	names := input.NamesOf(files, options.Roots)
	kept, ignored := input.Sift(b, files, names)
	for _, f := range input.PartsFirst(kept) {
		readOne(p.env, b, f, names.Of(f.Name), options, progress)
	}
	readIgnored(p.env, b, ignored, len(files), names, options, progress)
	progress.done()
	e, err := judge(b, empty, &historyLookup{c: p.c, env: p.env}, nil)
	if err != nil {
		return nil, err
	}
	for _, problem := range e.Problems {
		if problem.Severity == envelope.SeverityError && !slices.Contains(endings, problem.Code) {
			return nil, fmt.Errorf("%s: %s", name, problem.Message)
		}
	}
	return e, nil
}

// endings are problems of a journal whose run was stopped or broke: its trials are complete.
var endings = []string{envelope.CodeInterrupted, envelope.CodeInfraDown, envelope.CodeCommandFailed, envelope.CodeNotListed,
	envelope.CodeSetup, envelope.CodeTeardown}
