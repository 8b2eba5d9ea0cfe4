package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/command/config"
	"tribunal/internal/command/input"
	"tribunal/internal/compression"
	"tribunal/internal/each"
	"tribunal/internal/history"
	"tribunal/internal/history/trend"
	"tribunal/internal/run/runner"
	"tribunal/internal/text"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/read"
	"tribunal/read/mapped"
)

const flagNew, flagBase = "new", "base"

// What a new test has to show: docs/run/new-tests.md has the power of these.
const (
	newThreshold = 0.98
	newGap       = 0.02 // a pass is a rate proven above 96 %
	newTrials    = 200
)

var errNothing = errors.New("so there is nothing to run")

var errNothingNew = fmt.Errorf("--new: the base has every test of this run, %w", errNothing)

// asNew judges new tests by a rule of their own, unless the call names another. Of the
// policy of the configuration only what hides texts is kept.
func (p *trialRun) asNew() error {
	c := p.c
	switch {
	case !c.Bool(flagNew) && c.IsSet(flagBase):
		return errors.New("--base names the tests that --new leaves out: add --new, or leave out --base")
	case !c.Bool(flagNew):
		return nil
	case p.pairs != nil:
		return errors.New("--new judges each test, and rule paired compares two variants: leave out one of them")
	case c.String(flagBase) == "":
		return fmt.Errorf("--new needs the known tests: --base RUN, or --base %s for the history", defaultHistory)
	}
	was := p.file.Policy
	p.file.Policy = envelope.Policy{Redact: was.Redact, RedactPatterns: was.RedactPatterns, RedactFields: was.RedactFields,
		RunCostLimitUSD: was.RunCostLimitUSD, CostLimitUSD: was.CostLimitUSD}
	if c.IsSet("rule") || c.IsSet("threshold") {
		return nil
	}
	p.file.Policy.Rule, p.file.Policy.Threshold, p.file.Policy.Gap = rule.OfThreshold, envelope.Some(newThreshold), envelope.Some(newGap)
	if !c.IsSet("trials") {
		p.set.Trials = envelope.Some(newTrials)
	}
	return nil
}

// isNew reports the tests that the base does not have; nil where all are asked for.
func (p *trialRun) isNew() (func(envelope.Key) bool, error) {
	if !p.c.Bool(flagNew) {
		return nil, nil
	}
	known, err := p.testsOf(p.c.String(flagBase))
	if err != nil {
		return nil, fmt.Errorf("--base: %w", err)
	}
	return func(k envelope.Key) bool {
		p.looked++
		if known[k] {
			return false
		}
		p.fresh++
		return true
	}, nil
}

func (p *trialRun) testsOf(base string) (map[envelope.Key]bool, error) {
	known := map[envelope.Key]bool{}
	if !isHistory(base) {
		e, err := p.read(base)
		if err != nil {
			return nil, err
		}
		for i := range e.Tests {
			known[e.Tests[i].Key] = true
		}
		return known, nil
	}
	labels, err := labelFlags(p.c, historyLabel)
	if err != nil {
		return nil, err
	}
	s, err := history.Open(context.Background(), base, history.Read)
	if err != nil {
		return nil, err
	}
	t, err := s.Trend(context.Background(), history.Query{Selection: history.Selection{Labels: labels}, Confidence: trend.DefaultConfidence})
	if err = cmp.Or(err, s.Close()); err != nil {
		return nil, err
	}
	for i := range t.Tests {
		known[t.Tests[i].Key] = true
	}
	if len(known) == 0 {
		return nil, noRuns(history.Selection{Labels: labels}, s)
	}
	return known, nil
}

// isHistory reports a history by its URL, or the first bytes of its file.
func isHistory(place string) bool {
	if strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://") {
		return true
	}
	f, err := os.Open(place)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	mark := make([]byte, len(databaseMark))
	_, err = io.ReadFull(f, mark)
	return err == nil && string(mark) == databaseMark
}

func (p *trialRun) onlyNew(tests []runner.Test, isNew func(envelope.Key) bool) ([]runner.Test, error) {
	left := slices.DeleteFunc(slices.Clone(tests), func(t runner.Test) bool { return !isNew(t.Key) })
	if len(left) == 0 {
		return nil, errNothingNew
	}
	fmt.Fprintf(p.env.Stderr, "tribunal: --new: %s of %d\n", words.Plural(len(left), "new test", "new tests"), len(tests))
	return left, nil
}

// inputFiles lists the inputs of a command: what its arguments name, or standard
// input.
func inputFiles(env Env, command string, args []string) ([]input.File, error) {
	if len(args) == 0 {
		if env.StdinIsTerminal {
			return nil, fmt.Errorf("no input: name files, or pipe a runner into it (see 'tribunal %s --help')", command)
		}
		return []input.File{{Name: input.Standard}}, nil
	}
	return input.FilesWithin(env.Fence, command != "history add", args) // which has no -o
}

// byName are files in the order that trials without a place of their own have, however and in whatever order the call
// names them: by path without endings. A report (.json) comes after trials of its name.
func byName(files []input.File) []input.File {
	type placed struct {
		stem, ending string
		file         input.File
	}
	all := each.Of(files, func(f input.File) placed {
		full, _ := filepath.Abs(compression.TrimExtension(f.Name)) // on an error, names stay as they are
		return placed{strings.TrimSuffix(full, filepath.Ext(full)), words.If(!f.Found, filepath.Ext(full)), f}
	})
	slices.SortStableFunc(all, func(a, b placed) int {
		return cmp.Or(envelope.CompareNames(a.stem, b.stem), strings.Compare(b.ending, a.ending))
	})
	return each.Of(all, func(p placed) input.File { return p.file })
}

// inputsBeside are the inputs of a command, none of which its outputs may replace.
func inputsBeside[D any](c *cli.Context, env Env, outs []output[D], command string, args []string) ([]input.File, error) {
	in, err := streamInfo(env.Stdin) // of a terminal or the null device, nothing comes
	empty := env.StdinIsTerminal || err == nil && in.Mode()&os.ModeCharDevice != 0
	for dashed, values := range map[string][]string{"--explain": {c.String("explain")}, "-o": c.StringSlice("output")} {
		if len(args) == 0 && empty && slices.ContainsFunc(values, exists) {
			return nil, fmt.Errorf("%s: no input: %s took %s as its value; give a value and an input", command, dashed, values[0])
		}
	}
	inputs, err := inputFiles(env, command, args)
	if err != nil {
		return nil, err
	}
	return inputs, checkOverwrites(c, env, outs, inputs)
}

// readAll reads every input into the builder. What cannot be opened or read is
// a problem of the run; the error is one of usage.
func readAll(c *cli.Context, env Env, b *count.Builder, files []input.File, file config.Config) error {
	options, err := howToRead(c, env, file, c.String("from"))
	if err != nil {
		return err
	}
	labels, err := labelFlags(c, "label")
	if err != nil {
		return err
	}
	if layer, err := policyLayer(c, file); err == nil && layer.OnConflict != envelope.ConflictReplace { // of which the last argument wins
		files = byName(files)
	}
	progress := newProgress(watchedBy(c, env), b, input.TotalSize(files))
	defer progress.done()
	if slices.ContainsFunc(files, func(f input.File) bool { return f.Matched || f.Name == input.Standard }) {
		b.NeedEveryShard()
	}
	names, given := input.NamesOf(files, options.Roots), len(files)
	if files = input.WithoutReplaced(b, files, names); len(files) == 0 && given > 0 {
		return errors.New("the outputs would replace every input: name other files")
	}
	found, ignored := len(files), []input.File(nil)
	byContent := options.As == nil && options.Others == nil
	if byContent {
		files, ignored = input.Sift(b, files, names)
	}
	alone := options // of what lies beside an input
	files, reports := input.OwnLast(input.PartsFirst(files))
	if reports.NeedTexts() {
		b.PublishRows(true)
	}
	copies, counted := input.CopiesAmong(files), input.Folders{}
	for i, f := range files {
		if err := env.stopped(); err != nil {
			return err
		}
		name, before := names.Of(f.Name), b.Trials()
		if byContent && reports.Covers(b, f, name) {
			continue
		}
		if copies.Cover(i, names, alone) {
			counted.Add(f.Name, true)
			continue
		}
		options.Labels = labelsOf(c, f, labels)
		options.Neighbours, options.Below, options.Above = counted.Around(f, names), input.Below(f, c.StringSlice("root")), input.Above(f)
		format := readOne(env, b, f, name, options, progress)
		if byContent {
			reports.Check(b, f, name)
		}
		counted.Add(f.Name, b.Trials() > before)
		if c.Bool("verbose") {
			progress.say("tribunal: %s: %s, %s\n", text.Line(f.Name), cmp.Or(format, "unknown format"),
				words.Plural(b.Trials()-before, "trial", "trials"))
		}
	}
	readIgnored(env, b, ignored, found, names, alone, progress)
	reports.AddProblems(b)
	copies.AddProblems(b)
	return env.stopped()
}

// labelsOf are the labels that a call gives to the trials of an input: those of all inputs,
// and what it names the input.
func labelsOf(c *cli.Context, f input.File, all map[string]string) []envelope.Label {
	labels := each.Of(slices.Sorted(maps.Keys(all)), func(name string) envelope.Label { return envelope.Label{Name: name, Value: all[name]} })
	if f.Side != "" {
		labels = append(labels, envelope.Label{Name: cmp.Or(c.String("by"), envelope.VariantLabel), Value: f.Side})
	}
	return labels
}

// nameSides names the inputs that are sides: as the call does, or with --by file by their
// files. It returns what the sides are of, and the first of them.
func nameSides(by string, files []input.File, names input.Names) (of, first string, err error) {
	unnamed := slices.IndexFunc(files, func(f input.File) bool { return f.Side == "" })
	switch {
	case unnamed < 0:
		by = cmp.Or(by, envelope.VariantLabel)
	case slices.ContainsFunc(files, func(f input.File) bool { return f.Side != "" }):
		return by, "", fmt.Errorf("%s has no name, and other inputs have: name all, as in NAME=%[1]s", names.Of(files[unnamed].Name))
	case by == "file" && len(files) > 1:
		for i := range files {
			files[i].Side = names.Of(files[i].Name)
		}
	}
	return by, files[0].Side, nil
}

// watchedBy is the environment as somebody sees it who asked for quiet or did not:
// without a terminal, nothing is drawn.
func watchedBy(c *cli.Context, env Env) Env {
	if c.Bool("quiet") {
		env.StderrSize = nil
	}
	return env
}

// howToRead is what flags and configuration say of the inputs, from naming their
// format. The mapping of a configuration leaves our own envelopes alone: they may
// lie in the same folder.
func howToRead(c *cli.Context, env Env, file config.Config, from string) (read.Options, error) {
	o := read.Options{Scorer: cmp.Or(c.String("scorer"), file.Scorer), Roots: roots(c, env)}
	spec, records := c.String("map"), c.String("records")
	switch {
	case spec != "" && from != "":
		return o, errors.New("--from and --map both say how to read the inputs: give one of them")
	case records != "" && spec == "" && file.Map == "":
		return o, errors.New("--records says where the records for --map are: give --map as well")
	case from != "":
		f, err := read.ByName(from)
		o.As = &f
		return o, err
	case spec != "":
		f, err := read.Mapped(spec, cmp.Or(records, file.Records), namedMaps(file))
		if err != nil {
			return o, fmt.Errorf("--map: %w", err)
		}
		o.As = &f
	case file.Map != "":
		f, err := read.Mapped(file.Map, cmp.Or(records, file.Records), namedMaps(file))
		if err != nil {
			return o, fmt.Errorf("%s:%s: map: %w", file.Path, file.Places["map"].At, err)
		}
		o.Others = &f
	}
	return o, nil
}

func namedMaps(file config.Config) map[string]mapped.Named {
	all := map[string]mapped.Named{}
	for name, m := range file.Maps {
		all[name] = mapped.Named{Spec: m.Map, Records: m.Records}
	}
	return all
}

// roots is where the repository stands on this machine, and on the others that
// flags name.
func roots(c *cli.Context, env Env) []string {
	here := []string{env.Getenv("CI_PROJECT_DIR"), env.Getenv("GITHUB_WORKSPACE"), env.Dir}
	return read.Roots(slices.Concat(c.StringSlice("root"), here)...)
}

// readOne reads an input under its name; one that cannot be opened is named as
// the user named it, who has to find it.
func readOne(env Env, b *count.Builder, f input.File, name string, o read.Options, progress *progress) (format string) {
	if f.Name == input.Standard {
		stop.setPiped(true)
		format = read.StreamAs(b, input.Standard, progress.watch(env.Stdin), o)
		if stop.setPiped(false) { // not a whole run, whatever its trials say
			b.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeInterrupted, Input: input.Standard,
				Message: "the run was interrupted: the trials up to then are counted, and the others are missing"})
		}
		return format
	}
	file, err := f.Open()
	if err != nil {
		b.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Input: f.Name, Message: err.Error()})
		return ""
	}
	defer file.Close()
	o.At, _ = file.(io.ReaderAt)
	return read.StreamAs(b, name, stoppable{env, progress.watch(file)}, o)
}

// readIgnored reads of the files whose trials are mostly in others, of so many in all, those
// with a failed test where nothing else failed: they are of another run, or nobody
// looked at the exit code of their runner, and unread they would make a red build green. The others are skipped,
// and so is what has failed in others by the same name, where it passed as well: of trials
// that are repeated, both reports of the one that failed would count.
func readIgnored(env Env, b *count.Builder, ignored []input.File, all int, names input.Names, o read.Options, progress *progress) {
	if len(ignored) == 0 {
		return
	}
	known, red := map[string]bool{}, false
	for test, passed := range b.Failures() {
		known[test.Test], red = true, red || !passed
	}
	var passed, counted []input.File
	for _, f := range ignored {
		if red || !failsIn(f, o, known) {
			passed = append(passed, f)
			continue
		}
		readOne(env, b, f, names.Of(f.Name), o, progress)
		counted = append(counted, f)
	}
	input.PassAside(b, passed, names, all)
	input.CountAside(b, counted, names, all)
}

// failsIn reports whether a test of a file failed in all of its trials, but those of known
// names.
func failsIn(f input.File, o read.Options, known map[string]bool) bool {
	file, err := f.Open()
	if err != nil {
		return true // reading it says what is wrong
	}
	defer file.Close()
	apart := count.NewBuilder(0, 0)
	read.StreamAs(apart, f.Name, file, o)
	for test, passed := range apart.Failures() {
		if !passed && !known[test.Test] {
			return true
		}
	}
	return false
}
