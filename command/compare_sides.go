package command

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/envelope/wire"
	"tribunal/internal/command/config"
	"tribunal/internal/command/input"
	"tribunal/internal/compare"
	"tribunal/internal/compare/rank"
	"tribunal/internal/each"
	"tribunal/internal/suggest"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/read"
	"tribunal/verdict"
)

// oneRun reads all inputs as one run, splits it by a label, and judges each part.
func (q *comparing) oneRun(c *cli.Context, env Env) (*compare.Comparison, error) {
	split := splitting{by: q.by, inputs: q.inputs[0], file: q.file, layer: q.layer, left: "they are left out of the comparison"}
	whole, err := split.read(c, env)
	if err != nil {
		return nil, err
	}
	found, err := whole.compared(cmp.Or(c.String("base-value"), q.first), q.Options)
	if err != nil {
		mention(env.Stderr, whole.whole.Problems, whole.held.Policy, len(whole.parts) > 0)
		return found, err
	}
	for i := range found.Contrasts {
		lookAt(c, &found.Contrasts[i], q.look(found.Contrasts[i].Candidate.Name), verdict.Layer(whole.held.Policy, q.layer))
	}
	return found, nil
}

// look is how report is to read a candidate, nil where it cannot tell the candidate from others.
func (q *comparing) look(candidate string) (args []string) {
	for _, f := range q.inputs[0] {
		side := words.If(f.Side != "" && q.by == envelope.VariantLabel, f.Side+"=")
		switch {
		case f.Name == input.Standard || len(q.inputs[0]) > 3 && f.Side == "":
			return nil
		case f.Side == candidate || f.Side == "" && q.by == envelope.VariantLabel:
			args = append(args, side+f.Name)
		}
	}
	return args
}

// compared compares the part of a value with the others; "" is the first.
func (p *partedRun) compared(baseValue string, o compare.Options) (*compare.Comparison, error) {
	base, err := p.baseOf(cmp.Or(baseValue, p.builder.Listed()))
	if err != nil {
		return nil, err
	}
	sides, err := p.sides()
	if err != nil {
		return nil, err
	}
	if p.by == envelope.VariantLabel && o.Pairing == compare.PairAuto && o.ClusterBy == "" {
		o.Sequential = o.Sequential || slices.ContainsFunc(sides, func(side compare.Input) bool {
			return envelope.AnyTest(side.Envelope.Tests, rule.ByPairs) // which a look after every pair stopped
		})
	}
	others := slices.Delete(slices.Clone(sides), base, base+1)
	return compare.Runs(p.by, sides[base], others, p.problems(), o)
}

// splitting is a run to be parted by the values of a label.
type splitting struct {
	by     string
	inputs []input.File
	file   config.Config
	layer  envelope.Policy
	left   string // what becomes of trials without the label
}

// askedToPart is the run that the flags of a command ask to part by --by, before it is read.
func askedToPart(c *cli.Context, env Env, command, left string) (s splitting, confidence float64, err error) {
	s = splitting{by: c.String("by"), left: left}
	if s.by == "" {
		return s, 0, errors.New("--by: name a label, or variant, suite or file")
	}
	if s.file, s.layer, err = countingLayer(c); err != nil {
		return s, 0, err
	}
	asked, err := level(c, "confidence")
	if err != nil {
		return s, 0, err
	}
	if s.inputs, err = inputFiles(env, command, c.Args().Slice()); err != nil {
		return s, 0, err
	}
	s.by, _, err = nameSides(s.by, s.inputs, input.NamesOf(s.inputs, roots(c, env)))
	return s, asked.Or(s.file.Policy.Confidence.Or(rank.Defaults().Confidence)), err
}

func (s splitting) judged(c *cli.Context, env Env) (*partedRun, []compare.Input, error) {
	whole, err := s.read(c, env)
	if err != nil {
		return nil, nil, err
	}
	if err := whole.found(); err != nil {
		return nil, nil, err
	}
	sides, err := whole.sides()
	return whole, sides, err
}

type partedRun struct {
	splitting
	builder *count.Builder
	parts   []count.Part
	whole   *envelope.Run
	held    envelope.Effective
	keep    int
}

// read reads the inputs. If no trial has the label, it prints the problems of the inputs.
func (s splitting) read(c *cli.Context, env Env) (*partedRun, error) {
	builder, err := verdict.NewBuilder(s.layer)
	if err != nil {
		return nil, err
	}
	builder.SplitBy(s.by)
	if err := readAll(c, env, builder, s.inputs, s.file); err != nil {
		return nil, err
	}
	return s.parted(env, builder)
}

func (s splitting) parted(env Env, builder *count.Builder) (p *partedRun, err error) {
	p = &partedRun{splitting: s, builder: builder}
	if p.held, err = verdict.PolicyFor(builder, s.layer); err != nil {
		return nil, err
	}
	if err := checkRecorded(builder); err != nil {
		return nil, err
	}
	if p.keep, err = policy.KeepDetails(p.held.KeepDetails); err != nil {
		return nil, err
	}
	p.parts = builder.Parts()
	p.whole = builder.Run(p.held.OnConflict, p.keep)
	if !slices.ContainsFunc(p.parts, func(part count.Part) bool { return part.Headed }) { // what was planned is all parts together
		all := p.held
		all.ExpectTests = envelope.Opt[int64]{}
		p.whole.Problems = append(p.whole.Problems, verdict.Absent(p.whole.Header.PlannedTrials, all, builder.Trials(), 0, 0)...)
		p.whole.Header.PlannedTrials, p.held.ExpectTrials = envelope.Opt[int64]{}, envelope.Opt[int64]{}
	}
	if len(p.parts) == 0 && mention(env.Stderr, p.whole.Problems, p.held.Policy, true) > 0 {
		return nil, errMentioned
	}
	return p, nil
}

func (p *partedRun) found() error {
	if len(p.parts) > 0 {
		return nil
	}
	if _, mixed, _ := p.builder.Unsplit(); mixed > 0 {
		return fmt.Errorf("--by %s: a report does not keep labels that vary from trial to trial; name the files of the trials instead, or "+
			"let your runner write %[1]s as the variant of each trial", p.by)
	}
	if !slices.ContainsFunc(p.whole.Header.Sources, func(s envelope.Source) bool { return s.Trials > 0 }) {
		return errors.New("no trial in the input: did the runner start, and does it write here?")
	}
	if p.by == envelope.VariantLabel {
		return errors.New("no trial has a variant: name each input, as in opus=a.json, use --by LABEL" +
			words.If(len(p.inputs) > 1, " or --by file") + ", or write the field \"variant\" in each trial")
	}
	names := p.builder.SplitNames()
	why := cmp.Or(map[string]string{"suite": "no trial has a suite; ", "file": "there is only one input file; "}[p.by],
		words.If(len(names) == 0, "no trial has labels or a variant; use --by suite (if tests have one)"+
			words.If(len(p.inputs) > 1, " or --by file")+", or "))
	if why != "" {
		return fmt.Errorf("--by %s: %sname each input, as in opus=a.json", p.by, why)
	}
	if slices.Equal(names, []string{envelope.VariantLabel}) {
		return fmt.Errorf("--by: no trial has a label %q; trials have a variant, perhaps from that field: use --by variant", p.by)
	}
	return fmt.Errorf("--by: %w", suggest.Unknown("label", p.by, names))
}

func (p *partedRun) sides() (sides []compare.Input, err error) {
	for _, part := range p.parts {
		side, err := p.judge(part)
		if err != nil {
			return nil, err
		}
		sides = append(sides, side)
	}
	return sides, nil
}

func (p *partedRun) problems() []envelope.Problem {
	return slices.Concat(p.whole.Problems, p.unsplit(), verdict.Empty(p.whole.Header.Sources, p.whole.Problems, p.held))
}

func (p *partedRun) baseOf(want string) (int, error) {
	if err := p.found(); err != nil {
		return 0, err
	}
	values := each.Of(p.parts, func(part count.Part) string { return part.Value })
	if len(values) == 1 {
		return 0, fmt.Errorf("--by %s: there is only the value %q: add trials with another value, or name another label", p.by, values[0])
	}
	if want == "" {
		return 0, nil
	}
	if at := slices.Index(values, want); at >= 0 {
		return at, nil
	}
	return 0, fmt.Errorf("--base-value: %w", suggest.Unknown("value of "+p.by, want, values))
}

// judge judges one part as a run. Its name comes from the judged run, where secrets are hidden.
func (p *partedRun) judge(part count.Part) (compare.Input, error) {
	run := part.Builder.Run(p.held.OnConflict, p.keep)
	if !part.Headed {
		run.Header.Header = p.whole.Header.Header
	}
	labels := map[string]string{}
	maps.Copy(labels, run.Header.Labels)
	labels[p.by] = part.Value
	run.Header.Labels = labels
	judged, err := verdict.Seal(run, p.held)
	if err != nil {
		return compare.Input{}, err
	}
	return compare.Input{Name: judged.Run.Labels[p.by], Envelope: judged}, nil
}

func (p *partedRun) unsplit() []envelope.Problem {
	without, mixed, more := p.builder.Unsplit()
	var out []envelope.Problem
	for _, u := range []struct {
		n    int
		what string
	}{
		{without, "trials have no " + p.by},
		{mixed, "trials are of recorded tests within which " + p.by + " varies: the envelope does not say which trial has which value"},
		{more, "trials have a value of " + p.by + " beyond the first hundred"},
	} {
		if u.n > 0 {
			const codeUnlabelled = "unlabelled-trials" // the code of trials that are in no part of a split run
			out = append(out, envelope.Problem{Severity: envelope.SeverityWarning, Code: codeUnlabelled, Count: u.n,
				Message: fmt.Sprintf("%d %s; %s", u.n, u.what, p.left)})
		}
	}
	return out
}

// severalRuns reads a side in which every file is a run: it judges each, and all together.
func (q *comparing) severalRuns(c *cli.Context, env Env, inputs []input.File) (*envelope.Envelope, []compare.Counts, error) {
	builder, err := verdict.NewBuilder(q.layer)
	if err != nil {
		return nil, nil, err
	}
	var runs []compare.Counts
	seen, names := sameRuns{}, input.NamesOf(inputs, roots(c, env))
	for _, file := range inputs {
		name := names.Of(file.Name)
		alone, err := readUnder(c, env, []input.File{file}, q.file, q.layer, nil)
		if err != nil {
			return nil, nil, err
		}
		runs = append(runs, compare.CountsOf(alone))
		in := builder.Input(name, read.Envelope)
		in.Recorded(&envelope.Recorded{Run: asRun(wire.Counted(alone), name), Envelope: alone})
		in.Close()
		for _, p := range seen.again(name, alone) {
			builder.Problem(p)
		}
	}
	judged, err := judge(builder, q.layer, nil, nil)
	return judged, runs, err
}

// sameRuns are the names of runs that are read alone, by their trials.
type sameRuns map[envelope.TrialsSum]string

// again warns of a run whose trials an earlier one has.
func (s sameRuns) again(name string, run *envelope.Envelope) (found []envelope.Problem) {
	sum := run.TrialsSum()
	if of, again := s[sum]; again {
		found = append(found, envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Input: name, Count: sum.Trials,
			Message: "this has the same trials as " + of + ", but both count as runs; if they are one run, name it once"})
	}
	s[sum] = name
	return found
}

// asRun puts the name of a file before the run of each trial.
func asRun(run *envelope.Run, name string) *envelope.Run {
	named := func(own string) string { return strings.TrimSuffix(name+": "+own, ": ") }
	words := envelope.NewDictionary()
	for i := range run.Tests {
		t := &run.Tests[i]
		var runs envelope.Words
		for row := range t.Rows.Len() {
			runs.Set(row, words.Word(named(t.Rows.Run().At(row))))
		}
		t.Rows = t.Rows.Changed(func(c *envelope.Columns) { c.Run = runs })
		for j := range t.Details {
			t.Details[j].Run = named(t.Details[j].Run)
		}
	}
	return run
}
