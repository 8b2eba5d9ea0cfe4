package command

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/compare"
	"tribunal/internal/each"
	"tribunal/internal/run/dialect/cerberus"
	"tribunal/internal/run/driver"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/runner"
	"tribunal/internal/text"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/read"
	"tribunal/render"
	"tribunal/verdict"
)

// Flags of run that only its rule of pairs has.
const flagVariants, flagFailOn = "variants", "fail-on"

// pairedRun is a run whose trials are started in pairs of two variants until a comparison decides: rule paired.
type pairedRun struct {
	base, candidate string
	compare         compare.Options
	outs            []output[*compare.Comparison]
}

// asPairs takes rule paired, which is none of those that judge a test, out of what is said
// of the policy: that of the configuration then says how trials count, and how reports of
// the journal judge each variant by itself.
func (p *trialRun) asPairs() (err error) {
	c := p.c
	asked := c.String("rule") == rule.Paired
	if c.Bool(flagResume) && !p.env.resumed && !c.IsSet(flagVariants) { // the call that began it says what it was
		if asked {
			return c.Set("rule", "")
		}
		return nil
	}
	if !asked {
		if c.IsSet(flagFailOn) {
			return fmt.Errorf("--%s sets the exit code of a comparison; give --rule %s as well", flagFailOn, rule.Paired)
		}
		if c.IsSet("margin") {
			return fmt.Errorf("--margin is the change between two variants that does not matter: give --rule %s as well", rule.Paired)
		}
		return nil
	}
	if err := usableInPairs(c); err != nil {
		return err
	}
	variants := p.variantsSaid()
	if len(variants) != 2 {
		return fmt.Errorf("--rule %s compares two variants, the first of them the base: name both, as in --%s old,new (%s)", rule.Paired,
			flagVariants, words.Plural(len(variants), "is named", "are named"))
	}
	o := compare.Defaults()
	level, wrong := level(c, "confidence")
	o.Sequential, o.Margin = true, p.set.Margin.Or(o.Margin)
	o.Confidence = level.Or(p.file.Policy.Confidence.Or(o.Confidence))
	if c.IsSet("adjust") {
		o.Adjust = c.String("adjust")
	}
	if on := c.StringSlice(flagFailOn); len(on) > 0 {
		o.FailOn = on
	}
	if err := errors.Join(wrong, o.Check()); err != nil {
		return err
	}
	p.pairs = &pairedRun{base: variants[0], candidate: variants[1], compare: o}
	if p.pairs.outs, err = outputs(c, p.env, render.Comparisons, false); err != nil {
		return fmt.Errorf("rule %s ends in a comparison: %w", rule.Paired, err)
	}
	return errors.Join(c.Set("rule", ""), c.Set("adjust", ""))
}

func usableInPairs(c *cli.Context) error {
	for i := range policy.Keys {
		k := &policy.Keys[i]
		if name := k.FlagName(); name != "" && c.IsSet(name) && !k.Counting && !slices.Contains([]string{"rule", "confidence", "adjust"}, name) {
			return fmt.Errorf("--%s is for one variant, but rule %s compares two; give it later, to 'tribunal report JOURNAL', which "+
				"judges each variant", name, rule.Paired)
		}
	}
	if c.Bool("history") {
		return fmt.Errorf("--history does not work with rule %s: leave it out", rule.Paired)
	}
	return nil
}

func (p *trialRun) variantsSaid() (variants []string) {
	for _, list := range p.c.StringSlice(flagVariants) {
		variants = append(variants, each.Of(strings.Split(list, ","), strings.TrimSpace)...)
	}
	if len(variants) == 0 {
		return p.file.Run.Variants
	}
	return variants
}

func (p *trialRun) inPairs(r *driver.Run) error {
	switch {
	case p.pairs == nil:
		return nil
	case p.set.Shard != "":
		return fmt.Errorf("rule %s looks at all tests together: leave out --shard", rule.Paired)
	case r.Judge != nil:
		return fmt.Errorf("rule %s needs tests, not contracts: leave out -c or give --no-config, and give the command after --", rule.Paired)
	}
	q := p.pairs
	r.Plan.Pairs = &runner.Pairs{Base: q.base, Candidate: q.candidate, Compare: func(tests int) (runner.Comparison, error) {
		return compare.NewCourse(tests, q.compare)
	}}
	r.Terms = append(r.Terms, rule.Paired, q.base, q.candidate, q.compare.Adjust, fmt.Sprint(q.compare.Margin),
		fmt.Sprint(q.compare.Confidence))
	return nil
}

func (q *pairedRun) again(dir string) string {
	argv := []string{"tribunal", "compare", filepath.Join(dir, journal.FileName), "--by", envelope.VariantLabel, "--base-value", q.base,
		"--sequential"}
	d := compare.Defaults()
	for _, f := range [][3]string{{"--margin", words.Number(q.compare.Margin), words.Number(d.Margin)},
		{"--confidence", words.Number(q.compare.Confidence), words.Number(d.Confidence)}, {"--adjust", q.compare.Adjust, d.Adjust}} {
		if f[1] != f[2] {
			argv = append(argv, f[0], f[1])
		}
	}
	for _, on := range each.Where(q.compare.FailOn, func(string) bool { return !slices.Equal(q.compare.FailOn, d.FailOn) }) {
		argv = append(argv, "--fail-on", on)
	}
	return words.Shell(argv...)
}

// reportPairs writes the comparison of a journal; what went wrong before goes with it.
func (p *trialRun) reportPairs(j *journal.Journal, before error) error {
	dir := j.Dir()
	p.note("compare again with: %s", text.Line(p.pairs.again(dir)))
	found, err := p.comparison(j)
	if err != nil {
		return errors.Join(before, fmt.Errorf("cannot compare %s: %w", text.Line(dir), err))
	}
	if none := withoutPairs(found); len(none) > 0 {
		found.Gate.Raise(envelope.Error, gate.ExitUnusable,
			fmt.Sprintf("not compared: %s (no pair of trials counts)", words.First(none, 3, text.Line)))
	}
	return end(p.env, found, p.pairs.outs, compared(found, p.layer), before)
}

// withoutPairs are the tests of which no pair counts: a run that has tried nothing is not one that found no change.
func withoutPairs(found *compare.Comparison) (names []string) {
	for _, c := range found.Contrasts {
		for i := range c.Tests {
			if t := &c.Tests[i]; t.Pairs == nil {
				names = append(names, t.Key.RunnerName())
			}
		}
		names = append(names, each.Of(slices.Concat(c.New, c.Gone), func(alone compare.Single) string { return alone.Key.RunnerName() })...)
	}
	return names
}

func (p *trialRun) comparison(j *journal.Journal) (*compare.Comparison, error) {
	split := splitting{by: envelope.VariantLabel, file: p.file, layer: p.layer, left: "they are left out of the comparison"}
	builder, err := verdict.NewBuilder(p.layer)
	if err != nil {
		return nil, err
	}
	builder.SplitBy(split.by)
	read.Stream(builder, j.Path(), j.Seen(), "")
	whole, err := split.parted(p.env, builder)
	if err != nil {
		return nil, err
	}
	return whole.compared(p.pairs.base, p.pairs.compare)
}

// dryRunPairs says how many trials a run of pairs starts at most. How many it takes
// depends on how much the variants differ, of which tribunal plan tells.
func (p *trialRun) dryRunPairs(b *strings.Builder, s *runner.Scheduler, tests int) error {
	most := 0
	for id := range tests {
		most += s.Progress(id).Trials
	}
	line := fmt.Sprintf("\nat most %s, in pairs of %s and %s", words.Plural(most, "trial", "trials"), p.pairs.base, p.pairs.candidate)
	line += words.If(p.set.CostPerTrialUSD.OK, ", "+words.Dollars(float64(most)*p.set.CostPerTrialUSD.V))
	fmt.Fprintf(b, "%s\nto plan pairs for a drop from 90 %% to 70 %%: tribunal plan --detect 0.9:0.7 --sequential\n", line)
	b.WriteString("\nNothing was started.\n")
	return p.print(b.String())
}

// contracts makes the run that of the contracts of a cerberus.yaml, which says what is
// started, what its tests are, and what of an output makes them pass.
func (p *trialRun) contracts(r *driver.Run) error {
	suite := p.file.Contracts
	if suite == nil {
		return nil
	}
	file := text.Line(p.file.Path)
	for _, said := range []struct {
		is   bool
		what string
	}{
		{p.behind.given, "a command behind --"}, {len(p.set.List) > 0, "--list"}, {p.set.From != "", "--from"}, {p.set.Preset != "", "--preset"},
		{p.c.String("map") != "", "--map"},
	} {
		if said.is {
			return fmt.Errorf("%s sets what to start and how to judge it, and so does %s; leave one of them out", file, said.what)
		}
	}
	if len(p.set.Tests) > 0 {
		return fmt.Errorf("the tests are the contracts of %s; choose some with --only, as in --only %s", file,
			words.Shell(suite.Studies[0].Name+"/"+suite.Studies[0].Contracts[0].Name))
	}
	if err := p.file.Scenarios(); err != nil {
		return err
	}
	for _, words := range suite.Ignored {
		fmt.Fprintf(p.env.Stderr, "tribunal: %s: skipped: %s\n", file, text.Line(words))
	}
	r.As, r.Auto, r.Terms = nil, false, suite.Terms()
	r.Judge = func(tests []envelope.Key, e driver.Ended) []envelope.Trial {
		return suite.Judge(tests, cerberus.Ended{Stdout: e.Stdout, Stderr: e.Stderr, Code: e.Code, Duration: e.Duration})
	}
	r.MaxErrorRates = map[string]float64{}
	for _, study := range suite.Studies {
		r.MaxErrorRates[study.Name] = study.MaxErrorRate
	}
	p.inputs = map[string]string{}
	r.Recipe.Spell = map[string]func(runner.Test) string{"suite": func(t runner.Test) string { return p.inputs[t.Suite] }}
	return nil
}

// scenarios writes the files of the scenarios into a folder beside the journal, which tidy removes.
func (p *trialRun) scenarios(dir string) (tidy func(), err error) {
	if p.file.Contracts == nil {
		return func() {}, nil
	}
	folder, err := filepath.Abs(filepath.Join(dir, "scenarios"))
	if err != nil {
		return nil, err
	}
	tidy = func() { _ = os.RemoveAll(folder) } // what cannot be removed is ours alone
	errs := []error{os.MkdirAll(folder, 0o700)}
	for i := range p.file.Contracts.Studies {
		study := &p.file.Contracts.Studies[i]
		name := filepath.Join(folder, fmt.Sprintf("%d.json", i+1))
		p.inputs[study.Name] = name
		errs = append(errs, os.WriteFile(name, []byte(study.File()), 0o600))
	}
	if err := cmp.Or(errs...); err != nil {
		tidy()
		return nil, fmt.Errorf("cannot write the scenarios to %s: %w", folder, words.OfFile(err))
	}
	return tidy, nil
}

// written is a command as it was written: that of a cerberus.yaml has its own word for the file of the scenario.
func (p *trialRun) written(argv []string) string {
	if p.file.Contracts == nil {
		return words.Shell(argv...)
	}
	return strings.NewReplacer("{suite}", cerberus.Scenario, "{{", "{").Replace(strings.Join(argv, " "))
}
