package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/urfave/cli/v2"

	"tribunal/command/config"
	"tribunal/command/input"
	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/text"
	"tribunal/read"
	"tribunal/read/mapped"
)

// inputFiles lists the inputs of a command: what its arguments name, or standard
// input.
func inputFiles(env Env, command string, args []string) ([]input.File, error) {
	if len(args) == 0 {
		if env.StdinIsTerminal {
			return nil, fmt.Errorf("%s: no input: name files, or pipe a runner into it (see 'tribunal %s --help')", command, command)
		}
		return []input.File{{Name: input.Standard}}, nil
	}
	files, err := input.FilesWithin(env.Fence, args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	return files, nil
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
	progress := newProgress(watchedBy(c, env), b, input.TotalSize(files))
	defer progress.done()
	names := input.NamesOf(files, options.Roots)
	files = input.WithoutReplaced(b, files, names)
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
			progress.say("tribunal: %s: %s, %d trials\n", text.Line(f.Name), cmp.Or(format, "unknown format"), b.Trials()-before)
		}
	}
	readIgnored(env, b, ignored, found, names, alone, progress)
	reports.Tell(b)
	copies.Tell(b)
	return env.stopped()
}

// labelsOf are the labels that a call gives to the trials of an input: those of all inputs,
// and what it names the input.
func labelsOf(c *cli.Context, f input.File, all map[string]string) (labels []envelope.Label) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		labels = append(labels, envelope.Label{Name: name, Value: all[name]})
	}
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
			return o, fmt.Errorf("map of the configuration: %w", err)
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
		return readPipe(env, b, o, progress)
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

// readPipe reads standard input. A run that was interrupted is not a whole one,
// whatever its trials say.
func readPipe(env Env, b *count.Builder, o read.Options, progress *progress) (format string) {
	if stop.whilePiped(func() { format = read.StreamAs(b, input.Standard, progress.watch(env.Stdin), o) }) {
		b.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeInterrupted, Input: input.Standard,
			Message: "the run was interrupted: the trials up to then are counted, and the others are missing"})
	}
	return format
}

// readIgnored reads of the files whose trials are mostly in others, of so many in all, those
// with a failed test where nothing else failed: they are of another run, or their runner
// was not heeded, and unread they would make a red build green. The others are passed over,
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
