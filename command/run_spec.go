package command

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/run/allocate"
	"tribunal/internal/run/driver"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/preset"
	"tribunal/internal/run/runner"
	"tribunal/internal/suggest"
	"tribunal/internal/text"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/read"
	"tribunal/verdict"
)

// spec is the run that flags and configuration ask for; j is the journal of a run that is gone on with.
func (p *trialRun) spec(j *journal.Journal) (*driver.Run, error) {
	block := &p.file.Run
	held, err := verdict.Resolve(p.layer)
	if err != nil {
		return nil, err
	}
	const defaultGrace = 10 * time.Second // the time from the request to end to the kill
	r := &driver.Run{
		ExitCodes: block.ExitCodes, Infrastructure: block.Infrastructure,
		Timeout: p.set.Timeout.V, Grace: p.set.Grace.Or(defaultGrace), MaxTime: p.set.MaxTime.V, Rate: p.set.Rate,
		Environment: driver.Environment{Inherited: os.Environ(), Only: p.set.EnvOnly, Hide: block.HideEnv, Cookie: block.Cookie},
		LeaveBehind: block.LeaveBehind,
	}
	r.Plan = runner.Plan{
		Policy: held, Trials: p.set.Trials.V, Places: p.set.Jobs.Or(1), Early: p.set.Stop == settings.StopEarly,
		InfraRetries: p.set.InfraRetries.Or(runner.DefaultInfraRetries), FailFast: p.set.FailFast.V,
		Fit: p.set.MaxTime.OK || p.set.MaxCostUSD.OK, Check: len(block.Check) > 0, AllowStarved: p.set.AllowStarved.V,
		Limits: runner.Limits{MaxCostUSD: p.set.MaxCostUSD, MaxCostPerTestUSD: p.set.MaxCostPerTestUSD, CostPerTrialUSD: p.set.CostPerTrialUSD},
	}
	if r.Plan.Order, err = p.order(held); err != nil {
		return nil, err
	}
	p.name(r, j)
	argv := block.Command
	if p.behind.given {
		argv = p.behind.words
	}
	if len(argv) == 0 {
		return nil, p.noCommand()
	}
	for _, set := range []func(*driver.Run) error{p.reading, p.contracts, p.inPairs} {
		if err := set(r); err != nil {
			return nil, err
		}
	}
	if err := p.recipe(r, argv); err != nil {
		return nil, err
	}
	if r.Recipe.Command != nil {
		argv = r.Recipe.Command
	}
	if err := templates(r, argv, block); err != nil {
		return nil, err
	}
	if err := p.tests(r, j); err != nil {
		return nil, err
	}
	if err := r.Settle(); err != nil {
		return nil, err
	}
	if r.Plan.Form == runner.Each && len(r.Plan.Tests) > 1 && !r.Command.NamesTests() {
		fmt.Fprintln(p.env.Stderr, "tribunal: the command has no {test}, so it gets the name of a test only in $TRIBUNAL_TEST")
	}
	return r, limitHolds(r)
}

// limitHolds is the error of a cost limit that cannot hold, as no trial tells what it costs.
func limitHolds(r *driver.Run) error {
	limits := r.Plan.Limits
	if !limits.MaxCostUSD.OK && !limits.MaxCostPerTestUSD.OK || r.Judge == nil && !r.ReadsExitCodes() {
		return nil
	}
	return fmt.Errorf("the cost limit cannot work, because %s remove the limit", map[bool]string{true: "a contract has no cost;",
		false: "an exit code has no cost; print cost_usd and add --from native (or another format), or"}[r.Judge != nil])
}

// order is which test is next. Where money may end the run, it goes where it decides most.
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
		if !judged.Sequential && p.pairs == nil { // pairs refuse it
			return nil, fmt.Errorf("--order value needs a rule that can stop early, and rule %s judges a fixed number of trials; give --rule "+
				"%s with --threshold RATE, or leave out --order", judged.Name, strings.Join(rule.Sequential(), " or "))
		}
		return runner.ByValue(allocate.Verdict), nil
	}
	return runner.Round, nil
}

// name gives the run its name and seed, or those that it has.
func (p *trialRun) name(r *driver.Run, j *journal.Journal) {
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
}

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
	case err != nil && format != "" && p.c.String("records") == "":
		return fmt.Errorf("--from: %w (or exit, if the exit code is the outcome)", err)
	case err != nil:
		return err
	case from == settings.FromExit:
	default:
		r.As, r.Auto = cmp.Or(o.As, o.Others), o.As == nil && o.Others == nil
	}
	r.Reading = read.Options{Scorer: o.Scorer, Roots: o.Roots}
	return nil
}

// recipe completes the command of a known runner, unless the call says itself how its output is read.
func (p *trialRun) recipe(r *driver.Run, argv []string) (err error) {
	var by preset.Preset
	var known bool
	switch name := p.set.Preset; {
	case name == settings.NoPreset:
		return nil
	case name != "":
		if by, err = preset.ByName(name); err != nil {
			return fmt.Errorf("--preset: %w", suggest.Unknown("preset", name, append(preset.Names(), settings.NoPreset)))
		}
	case p.set.From != "" && p.set.From != settings.FromAuto || r.As != nil || r.Judge != nil:
		return nil
	default:
		if by, known = preset.For(argv); !known {
			return nil
		}
	}
	recipe := &r.Recipe
	if *recipe, err = by.Recipe(argv); err != nil {
		return fmt.Errorf("%w; --preset none runs the command as it is", err)
	}
	if err := p.isolate(r); err != nil {
		return err
	}
	f, err := read.ByName(recipe.From)
	if err != nil {
		return err
	}
	r.As, r.Auto = &f, false
	if r.Environment.Added, err = driver.NewTemplate(recipe.Env); err != nil {
		return fmt.Errorf("preset %s: the environment of a start: %w", recipe.Preset, err)
	}
	p.note("preset %s: %s", recipe.Preset, text.Line(words.Shell(recipe.Command...)))
	return nil
}

// isolate makes starts of a recipe ones of one test, where that is asked for or something
// is said of each trial, which several in one process do not have. Else those of a runner
// that is not told a suite are of the tests of all suites.
func (p *trialRun) isolate(r *driver.Run) error {
	recipe := &r.Recipe
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
	return nil
}

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
