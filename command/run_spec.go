package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tribunal/command/input"
	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/read"
	"tribunal/run/allocate"
	"tribunal/run/driver"
	"tribunal/run/driver/settings"
	"tribunal/run/journal"
	"tribunal/run/preset"
	"tribunal/run/runner"
	"tribunal/verdict"
	"tribunal/verdict/gate"
	"tribunal/verdict/rule"
)

// defaultGrace is the time from the request to end to the kill.
const defaultGrace = 10 * time.Second

// spec is the run that flags and configuration ask for; j is the journal of a run
// that is gone on with.
func (p *trialRun) spec(j *journal.Journal) (*driver.Run, error) {
	block := &p.file.Run
	held, err := verdict.Resolve(p.layer)
	if err != nil {
		return nil, err
	}
	r := &driver.Run{
		ExitCodes: block.ExitCodes, Infrastructure: block.Infrastructure,
		Timeout: p.set.Timeout.V, Grace: p.set.Grace.Or(defaultGrace), MaxTime: p.set.MaxTime.V, Rate: p.set.Rate,
		Environment: driver.Environment{Inherited: os.Environ(), Only: p.set.EnvOnly, Hide: block.HideEnv, Cookie: block.Cookie},
		LeaveBehind: block.LeaveBehind,
	}
	r.Plan = runner.Plan{
		Policy: held, Trials: p.set.Trials.V, Places: p.set.Jobs.Or(1), Early: p.set.Stop == settings.StopEarly,
		InfraRetries: p.set.InfraRetries.Or(runner.DefaultInfraRetries), FailFast: p.set.FailFast.V, Check: len(block.Check) > 0, AllowStarved: p.set.AllowStarved.V,
		Limits: runner.Limits{MaxCostUSD: p.set.MaxCostUSD, MaxCostPerTestUSD: p.set.MaxCostPerTestUSD, CostPerTrialUSD: p.set.CostPerTrialUSD},
	}
	if r.Plan.Order, err = p.order(held); err != nil {
		return nil, err
	}
	if err := p.name(r, j); err != nil {
		return nil, err
	}
	argv := block.Command
	if p.behind.given {
		argv = p.behind.words
	}
	if len(argv) == 0 {
		return nil, p.noCommand()
	}
	if err := p.reading(r); err != nil {
		return nil, err
	}
	if err := p.contracts(r); err != nil {
		return nil, err
	}
	if err := p.inPairs(r); err != nil {
		return nil, err
	}
	recipe, err := p.recipe(r, argv)
	if err != nil {
		return nil, err
	}
	if recipe != nil {
		argv = recipe.Command
	}
	if err := templates(r, argv, block); err != nil {
		return nil, err
	}
	if err := p.tests(r, j, recipe); err != nil {
		return nil, err
	}
	if err := r.Settle(); err != nil {
		return nil, err
	}
	return r, limitHolds(r)
}

// limitHolds is the error of a cost limit that cannot hold, as no trial tells what it costs.
func limitHolds(r *driver.Run) error {
	limits := r.Plan.Limits
	if !limits.MaxCostUSD.OK && !limits.MaxCostPerTestUSD.OK || r.Judge == nil && !r.ReadsExitCodes() {
		return nil
	}
	return fmt.Errorf("the cost limit cannot work, because %s reports no cost; print cost_usd and add --from native (or another format), or remove the limit", r.ReadAs())
}

// order is which test is next. Where money may end the run, it goes where it decides
// most.
func (p *trialRun) order(held envelope.Effective) (runner.Order, error) {
	judged, err := rule.ByName(held.Rule)
	if err != nil {
		return nil, err
	}
	order := p.set.Order
	if order == "" && p.set.MaxCostUSD.OK && judged.Sequential && p.pairs == nil {
		order = settings.ByValue
	}
	switch order {
	case settings.ByTest:
		return runner.OneByOne, nil
	case settings.ByValue:
		if !judged.Sequential {
			return nil, fmt.Errorf("--order value needs a rule that can stop early, and rule %s judges a fixed number; give --rule %s, or leave out the order", judged.Name, strings.Join(rule.Sequential(), " or "))
		}
		return runner.ByValue(allocate.Verdict), nil
	}
	return runner.Round, nil
}

// name gives the run its name and seed, or those that it has.
func (p *trialRun) name(r *driver.Run, j *journal.Journal) error {
	now := time.Now()
	id, seed := newID(now)
	r.Header = envelope.Header{ID: id, StartedAt: now.UTC().Format(time.RFC3339Nano)}
	if p.env.Run.ID != "" {
		r.Header = p.env.Run
	}
	r.Part = p.env.Part
	if j != nil {
		r.Header, seed = j.Header().Run, j.Header().Plan.Seed
	}
	r.Seed = p.set.Seed.Or(seed)
	return nil
}

// reading is how the output of a start is read.
func (p *trialRun) reading(r *driver.Run) error {
	from := p.set.From
	if p.c.String("map") != "" && from != "" {
		return errors.New("--from and --map both say how to read the output: give one of them")
	}
	format := from
	if from == settings.FromExit || from == settings.FromAuto {
		format = ""
	}
	o, err := howToRead(p.c, p.env, p.file, format)
	switch {
	case err != nil && format != "":
		return fmt.Errorf("--from: %w; or exit, if the exit code is the outcome", err)
	case err != nil:
		return err
	case from == settings.FromExit:
	default:
		r.As, r.Auto = cmpFormat(o.As, o.Others), o.As == nil && o.Others == nil
	}
	r.Reading = read.Options{Scorer: o.Scorer, Roots: o.Roots}
	return nil
}

func cmpFormat(a, b *read.Format) *read.Format {
	if a != nil {
		return a
	}
	return b
}

// recipe completes the command of a known runner, unless the call says itself how
// its output is read.
func (p *trialRun) recipe(r *driver.Run, argv []string) (*preset.Recipe, error) {
	var by preset.Preset
	var known bool
	switch name := p.set.Preset; {
	case name == settings.NoPreset:
		return nil, nil
	case name != "":
		var err error
		if by, err = preset.ByName(name); err != nil {
			return nil, fmt.Errorf("--preset: %w; or none", err)
		}
	case p.set.From != "" && p.set.From != settings.FromAuto || r.As != nil || r.Judge != nil:
		return nil, nil
	default:
		if by, known = preset.For(argv); !known {
			return nil, nil
		}
	}
	recipe, err := by.Recipe(argv)
	if err != nil {
		return nil, fmt.Errorf("%w; --preset none runs the command as it is", err)
	}
	if err := p.isolate(r, &recipe); err != nil {
		return nil, err
	}
	f, err := read.ByName(recipe.From)
	if err != nil {
		return nil, err
	}
	r.As, r.Auto, r.OutName = &f, false, recipe.OutName
	if r.Environment.Added, err = driver.NewTemplate(recipe.Env); err != nil {
		return nil, fmt.Errorf("preset %s: the environment of a start: %w", recipe.Preset, err)
	}
	r.Spelling = driver.Spelling{}
	for name, spell := range recipe.Spell {
		r.Spelling[name] = func(t runner.Test) string { return spell(preset.Test{Key: t.Key, Labels: t.Labels}) }
	}
	if recipe.Compile != nil {
		r.Compile = func(suite, folder string) *driver.Compilation {
			return (*driver.Compilation)(recipe.Compile(suite, folder))
		}
	}
	fmt.Fprintf(p.env.Stderr, "tribunal: preset %s: %s\n", recipe.Preset, text.Line(words.Shell(recipe.Command...)))
	return &recipe, nil
}

// isolate makes starts of a recipe ones of one test, where that is asked for or something
// is said of each trial, which several in one process do not have. Else those of a runner
// that is not told a suite are of the tests of all suites.
func (p *trialRun) isolate(r *driver.Run, recipe *preset.Recipe) error {
	_, timeouts, err := p.cases()
	if err != nil {
		return err
	}
	has := func(name string) bool { return strings.Contains(strings.Join(recipe.Command, " "), name) }
	perTrial := len(timeouts) > 0 || p.set.Timeout.OK || len(p.file.Run.Before) > 0 || len(p.file.Run.After) > 0
	together := has("{tests}") && !has("{suite}")
	switch {
	case p.set.Isolate.V && recipe.List == nil:
		return fmt.Errorf("--isolate: %s does not list its tests, so none can start alone; leave it out", recipe.Preset)
	case p.set.Isolate.V, together && perTrial:
		recipe.Isolate()
	default:
		r.Plan.Together = together
	}
	if recipe.Printed != nil {
		r.Printed = func(stdout []byte, asked []runner.Test) []envelope.Trial {
			return recipe.Printed(stdout, testsOfPreset(asked))
		}
	}
	if recipe.Narrow != nil {
		r.Learn = recipe.Learn
		r.Narrow = func(asked, all []runner.Test) []string {
			return recipe.Narrow(testsOfPreset(asked), testsOfPreset(all))
		}
	}
	return nil
}

func testsOfPreset(tests []runner.Test) (all []preset.Test) {
	for _, t := range tests {
		all = append(all, preset.Test{Key: t.Key, Labels: t.Labels})
	}
	return all
}

// listOf are the tests that the preset lists.
func listOf(r *driver.Run, recipe *preset.Recipe) ([]runner.Test, error) {
	template, err := driver.NewTemplate(recipe.List)
	if err != nil {
		return nil, err
	}
	argv := template.Argv(driver.Values{ID: r.Header.ID, Seed: r.Seed})
	stdout, stderr, failed := listing(argv, r.LeaveBehind)
	listed, err := recipe.Listed(stdout)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w%s", err, behindLine(stderr))
	case len(listed) == 0 && failed != nil:
		return nil, fmt.Errorf("listing the tests by %s: %w%s", words.Shell(recipe.List...), failed, behindLine(stderr))
	case len(listed) == 0:
		return nil, fmt.Errorf("%s lists no test%s", words.Shell(recipe.List...), behindLine(stderr))
	}
	var tests []runner.Test
	for _, t := range listed {
		tests = append(tests, runner.Test{Key: t.Key, Labels: t.Labels})
	}
	return tests, nil
}

// templates reads the placeholders of all commands.
func templates(r *driver.Run, argv []string, block *settings.Block) error {
	var errs []error
	for _, t := range []struct {
		name string
		argv []string
		to   **driver.Template
	}{
		{"", argv, &r.Command}, {"setup: ", block.Setup, &r.Setup}, {"teardown: ", block.Teardown, &r.Teardown},
		{"check: ", block.Check, &r.Check}, {"before: ", block.Before, &r.Before}, {"after: ", block.After, &r.After},
	} {
		if len(t.argv) == 0 {
			continue
		}
		template, err := driver.NewTemplate(t.argv)
		if err == nil {
			err = template.Startable()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s%w", t.name, err))
			continue
		}
		*t.to = template
	}
	return errors.Join(errs...)
}

// cases are the tests that flags or the configuration name. A list of the call comes
// before what the configuration names.
func (p *trialRun) cases() (tests []runner.Test, timeouts map[envelope.Key]time.Duration, err error) {
	if tests, timeouts, err = specOfCases(p.file.Run.Cases); err != nil {
		return nil, nil, err
	}
	if len(p.set.Tests) > 0 || p.c.IsSet("list") {
		tests = nil
	}
	for _, name := range p.set.Tests {
		tests = append(tests, runner.Test{Key: envelope.Key{Test: name}})
	}
	return tests, timeouts, nil
}

// tests are those of the flags, else of the configuration, else of a list. A run
// that is gone on with has its own.
func (p *trialRun) tests(r *driver.Run, j *journal.Journal, recipe *preset.Recipe) error {
	tests, timeouts, err := p.cases()
	if err != nil {
		return err
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
	switch {
	case len(tests) > 0:
	case len(p.set.List) > 0:
		if tests, err = p.listBy(p.set.List); err != nil {
			return fmt.Errorf("--list: %w", err)
		}
	case recipe != nil && recipe.List != nil:
		if tests, err = listOf(r, recipe); err != nil {
			return err
		}
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
	if len(tests) == 0 && len(p.set.Only) > 0 {
		r.Only = func(k envelope.Key) bool {
			return slices.ContainsFunc(p.set.Only, func(pattern string) bool { return verdict.Matcher(pattern)(k) })
		}
		r.Timeouts = timeouts
		return nil
	}
	if r.Plan.Tests, err = only(tests, p.set.Only); err != nil {
		return err
	}
	r.Timeouts = timeouts
	return p.deal(r)
}

// listBy are the tests that a command prints.
func (p *trialRun) listBy(argv []string) ([]runner.Test, error) {
	stdout, stderr, err := listing(argv, p.file.Run.LeaveBehind)
	if err != nil {
		if missing := driver.Startable(argv[0]); missing != nil {
			if info, err := os.Stat(argv[0]); err == nil && info.Mode().IsRegular() && len(argv) == 1 {
				return nil, fmt.Errorf("%w; if it lists the tests, write --%s %s", missing, flagTestsFrom, words.Shell(argv[0]))
			}
			return nil, missing
		}
		return nil, fmt.Errorf("%s: %w%s", strings.Join(argv, " "), err, behindLine(stderr))
	}
	tests, err := driver.ParseList(bytes.NewReader(stdout))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("%s printed no test", strings.Join(argv, " "))
	}
	return tests, nil
}

func behindLine(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return ""
	}
	return ": " + s
}

// failedIn are the tests that did not pass in an input. Of the tests that are
// listed, only those are left; else they are all.
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
			continue
		}
		failed = append(failed, test)
	}
	if len(failed) == 0 {
		return nil, fmt.Errorf("%s has no test that failed, erred or stayed inconclusive: there is nothing to run", name)
	}
	return failed, nil
}

// read is an input as report reads it, a file or a folder of them, under the policy
// that it carries.
func (p *trialRun) read(name string) (*envelope.Envelope, error) {
	files, err := input.Files([]string{name})
	if err != nil {
		return nil, err
	}
	b, err := verdict.NewBuilder(envelope.Policy{})
	if err != nil {
		return nil, err
	}
	progress := newProgress(p.env, b, input.TotalSize(files))
	options := read.Options{Roots: roots(p.c, p.env)}
	names := input.NamesOf(files, options.Roots)
	kept, aside := input.Sift(b, files, names)
	for _, f := range input.PartsFirst(kept) {
		readOne(p.env, b, f, names.Of(f.Name), options, progress)
	}
	readAside(p.env, b, aside, len(files), names, options, progress)
	progress.done()
	e, err := judge(b, envelope.Policy{}, &recall{c: p.c, env: p.env})
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

// endings are the problems of a journal whose run did not come to its end, or not well:
// what it has is whole.
var endings = []string{envelope.CodeInterrupted, envelope.CodeInfraDown, envelope.CodeCommandFailed, envelope.CodeNotListed, envelope.CodeSetup, envelope.CodeTeardown}

// invocation is how a run was called, for --resume alone: the journal, which is
// handed on, does not hold the command, in which secrets may stand.
type invocation struct {
	Args []string `json:"args"`
}

const invocationName = "invocation.json"

func writeInvocation(dir string, args []string) error {
	words, err := json.Marshal(invocation{args[1:]})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, invocationName), words, 0o600)
}

func readInvocation(dir string) (was invocation, err error) {
	words, err := os.ReadFile(filepath.Join(dir, invocationName))
	if err == nil {
		err = json.Unmarshal(words, &was)
	}
	if err == nil && len(was.Args) == 0 {
		err = errors.New("it tells no call")
	}
	return was, err
}

// again calls run as it was called, with the flags of this call behind those of
// then, and with its command if it has one.
func (p *trialRun) again(dir string, was invocation) error {
	flags, command := was.Args, []string(nil)
	if at := slices.Index(flags, "--"); at >= 0 {
		flags, command = flags[:at], flags[at:]
	}
	now := p.behind.args[2:]
	if p.behind.given {
		at := slices.Index(now, "--")
		now, command = now[:at], now[at:]
	}
	env := p.env
	env.resumed = true
	args := slices.Concat([]string{"tribunal"}, p.unsaid(flags), now, []string{"--" + flagJournal, dir}, command)
	if code := Main(args, env); code != gate.ExitOK {
		return &exitError{code: code}
	}
	return nil
}

// unsaid are the flags of a call, without those that this call says itself.
func (p *trialRun) unsaid(flags []string) (left []string) {
	takesValue := valued(p.c.Command.Flags)
	for i := 0; i < len(flags); i++ {
		name, _, joined := strings.Cut(strings.TrimLeft(flags[i], "-"), "=")
		words := flags[i : i+1]
		if takesValue[name] && !joined && i+1 < len(flags) {
			words = flags[i : i+2]
			i++
		}
		if !strings.HasPrefix(words[0], "-") || !p.c.IsSet(name) {
			left = append(left, words...)
		}
	}
	return left
}
