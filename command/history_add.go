package command

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/command/config"
	"tribunal/internal/command/input"
	"tribunal/internal/history"
	"tribunal/internal/text"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/read"
	"tribunal/verdict"
)

func historyAddCommand(env Env) *cli.Command {
	own := []cli.Flag{
		&cli.StringFlag{Name: "name", Usage: "name of the run, instead of that of its input"},
		&cli.StringFlag{Name: "run-id", Usage: "id of the run, such as the number of the CI job"},
		&cli.StringFlag{Name: "commit", Usage: "commit that was tested, instead of that of its input"},
		&cli.StringFlag{Name: "started-at", Usage: "start of the run, such as 2026-01-31T12:00:00Z"},
		&cli.StringSliceFlag{Name: "label", Usage: "label of the run, as well as those of its input; may be repeated"},
	}
	return &cli.Command{
		Name: "add", Usage: "add runs: reports of tribunal, or anything that report reads", ArgsUsage: "[INPUT ...]",
		Description: "Every input is one run; an export has several. Merge the shards of a run with report first. A stored run does not\n" +
			"change. To add its trials as another run, give another --started-at, or change a label, name, commit or run id that it\n" +
			"has. If its trials have no start times, you can also add a label, name, commit or id. Reports of tribunal keep their\n" +
			"verdicts, unless a flag changes the policy. Other inputs are judged by " + config.FileName + ". In a folder, a report is skipped\n" +
			"if its trials are added from another file.\n\nThe exit code is 2 if an input could not be added, or has malformed records\n" +
			"(see --lenient). Failed tests do not change it.",
		Flags:  historyFlags(slices.Concat(own, without(inputFlags(), "label"), policyFlags())...),
		Action: func(c *cli.Context) error { return addRuns(c, env) },
	}
}

type adding struct {
	c       *cli.Context
	env     Env
	store   *history.Store
	flags   envelope.Policy // recorded runs are judged again under it
	layer   envelope.Policy // the same on top of the configuration, for raw trials
	options read.Options
	names   input.Names // of inputs in what is kept
	header  envelope.Header
	owners  *ownership
	broken  int // errors in the inputs, which are in the runs that were added
	runs    repeated
}

// addRuns adds every input; what cannot be added is said, and the others are.
func addRuns(c *cli.Context, env Env) error {
	file, err := loadConfig(c)
	if err != nil {
		return err
	}
	owners, err := owning(c, env)
	if err != nil {
		return err
	}
	a := adding{c: c, env: env, owners: owners}
	inputs, err := a.prepare(file)
	if err != nil {
		return err
	}
	return withHistory(c, env, history.Write, func(ctx context.Context, s *history.Store) error {
		a.store = s
		var errs []error
		for _, in := range reportsLast(inputs) {
			if err := a.input(ctx, in); err != nil {
				name := cmp.Or(words.If(in.Name == input.Standard, "standard input"), text.Line(in.Name))
				errs = append(errs, fmt.Errorf("%shistory add: %s: %w", words.If(len(errs) > 0, "tribunal: "), name, err))
			}
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
		if a.broken > 0 {
			return exitWith(gate.ExitUnusable, nil)
		}
		return nil
	})
}

func (a *adding) prepare(file config.Config) ([]input.File, error) {
	var err error
	if a.flags, err = policyLayer(a.c, config.Config{}); err != nil {
		return nil, err
	}
	if a.layer, err = policyLayer(a.c, file); err != nil {
		return nil, err
	}
	if a.options, err = howToRead(a.c, a.env, file, a.c.String("from")); err != nil {
		return nil, err
	}
	if a.header, err = headerFlags(a.c); err != nil {
		return nil, err
	}
	inputs, err := inputFiles(a.env, "history add", a.c.Args().Slice())
	a.names = input.NamesOf(inputs, a.options.Roots)
	if err != nil || a.options.As != nil || a.options.Others != nil {
		return inputs, err
	}
	return a.sifted(inputs), nil
}

// sifted skips the files of folders and the copies that report skips, and names them.
func (a *adding) sifted(inputs []input.File) []input.File {
	b := count.NewBuilder(0, 0)
	sifted, ignored := input.Sift(b, inputs, a.names)
	input.PassAside(b, ignored, a.names, len(inputs))
	copies := input.CopiesAmong(sifted)
	var kept []input.File
	for i, f := range sifted {
		if !copies.Cover(i, a.names, a.options) {
			kept = append(kept, f)
		}
	}
	copies.AddProblems(b)
	passed := b.Run(envelope.ConflictExtend, 0).Problems
	for _, p := range passed {
		fmt.Fprintf(a.env.Stderr, "tribunal: history add: %s\n", text.Line(p.Message))
	}
	a.broken += gate.Broken(passed, a.layer)
	return kept
}

func headerFlags(c *cli.Context) (envelope.Header, error) {
	labels, err := labelFlags(c, "label")
	h := envelope.Header{Name: c.String("name"), ID: c.String("run-id"), Commit: c.String("commit"), StartedAt: c.String("started-at")}
	if len(labels) > 0 {
		h.Labels = labels
	}
	if _, ok := envelope.Instant(h.StartedAt); err == nil && h.StartedAt != "" && !ok {
		err = fmt.Errorf("--started-at %q: give a time such as 2026-01-31T12:00:00Z", h.StartedAt)
	}
	return h, err
}

// input adds the runs of one input. One that cannot be read costs no other; a history that cannot be written ends it all.
func (a *adding) input(ctx context.Context, of source) error {
	if a.runs.hold(of, of.report.Sum) {
		return a.passOver(of)
	}
	a.options.Labels = labelsOf(a.c, of.File, nil)
	a.options.Neighbours = input.Folders{}.Around(of.File, a.names)
	raw := io.NopCloser(a.env.Stdin)
	if of.Name != input.Standard {
		file, err := of.Open()
		if err != nil {
			return err
		}
		raw = file
	}
	defer raw.Close()
	whole, err := read.Unpack(raw)
	if err != nil {
		return err
	}
	defer whole.Close()
	in := bufio.NewReaderSize(whole, partBuffer)
	var errs []error
	for n := 1; n == 1 || more(in); n++ {
		layer, part := a.layerOf(in), newEnvelopePart(in)
		e, err := a.run(a.names.Of(of.Name), part, layer)
		_, _ = io.Copy(io.Discard, part) // to the next run; more finds what cannot be read
		if err != nil {
			errs = append(errs, ofRun(n, more(in), err))
			continue
		}
		sum := e.TrialsSum()
		if of.report.Sum == "" && a.runs.hold(of, sum.String()) {
			err = a.passOver(of)
		} else {
			a.runs.add(of, sum)
			err = a.keep(ctx, e)
		}
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
	}
	return errors.Join(errs...)
}

// passOver says that a report of ours is on a run that is added.
func (a *adding) passOver(of source) error {
	_, err := fmt.Fprintf(a.env.Stderr, "tribunal: history add: skipped %s, because its trials are added from another file; if it is "+
		"another run, give the files instead of the folder\n", text.Line(of.Name))
	return err
}

func ofRun(n int, more bool, err error) error {
	if n == 1 && !more {
		return err
	}
	return fmt.Errorf("its run %d: %w", n, err)
}

// layerOf is the policy to judge the next run by. A recorded run has its verdicts, so
// the configuration of this call does not apply to it.
func (a *adding) layerOf(in *bufio.Reader) envelope.Policy {
	if a.options.As != nil {
		return a.layerAs(a.options.As.Name)
	}
	head, _ := in.Peek(partBuffer) // its error comes again on reading
	f, _ := read.Detect(head)
	return a.layerAs(f.Name)
}

func (a *adding) layerAs(format string) envelope.Policy {
	if format == read.Envelope {
		return a.flags
	}
	return a.layer
}

func (a *adding) run(name string, from io.Reader, layer envelope.Policy) (*envelope.Envelope, error) {
	redactStderr(a.env, layer)
	b, err := verdict.NewBuilder(layer)
	if err != nil {
		return nil, err
	}
	read.StreamAs(b, name, from, a.options)
	b.ResumeHeader(a.header)
	e, err := judge(b, layer, nil, a.owners)
	if err != nil {
		return nil, err
	}
	shown, err := verdict.Hide(name, e.Policy.Policy)
	if err != nil {
		return nil, err
	}
	for _, p := range e.Problems {
		if p.Code == envelope.CodeUnreadable && p.Input == shown {
			return nil, errors.New(text.Line(p.Message) + "; the run was not added")
		}
	}
	mention(a.env.Stderr, e.Problems, e.Policy.Policy, false)
	if e.Summary.Trials.Total == 0 && !e.Policy.AllowEmpty.V {
		return nil, errors.New("it has no trial, so it was not added")
	}
	a.broken += gate.Broken(e.Problems, e.Policy.Policy)
	return e, nil
}

func (a *adding) keep(ctx context.Context, e *envelope.Envelope) error {
	id, added, err := a.store.Add(ctx, e)
	if err != nil {
		return err
	}
	short := history.Run{ID: id}.Short()
	if !added {
		_, err = fmt.Fprintf(a.env.Stdout, "already stored %s: a run with the same trials; if yours is another run, give it its own "+
			"--started-at\n", short)
		return err
	}
	_, err = fmt.Fprintf(a.env.Stdout, "added %s: %s, %s\n", short, words.Plural(e.Summary.Tests, "test", "tests"),
		words.Plural(e.Summary.Trials.Total, "trial", "trials"))
	return err
}

const headerMark = `{"schema":"` + envelope.Schema + `","type":"header"`

// partBuffer is how much of an input is held to look for the next envelope.
const partBuffer = 64 << 10

// envelopePart reads one of several envelopes in a stream: up to the line that begins the next. Anything else is one part.
type envelopePart struct {
	in     *bufio.Reader
	border bool // the next line may begin another envelope
}

func newEnvelopePart(in *bufio.Reader) *envelopePart { return &envelopePart{in: in} }

// Read implements io.Reader. It hands on what is there, many lines at once.
func (p *envelopePart) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if p.border {
		if head, _ := p.in.Peek(len(headerMark)); string(head) == headerMark {
			return 0, io.EOF
		}
	}
	if _, err := p.in.Peek(1); err != nil {
		return 0, err
	}
	there, _ := p.in.Peek(min(len(b), p.in.Buffered()))
	n, err := p.in.Read(b[:beforeBorder(there)])
	p.border = n > 0 && b[n-1] == '\n'
	return n, err
}

// beforeBorder is how many bytes of a text are of one envelope for sure: up to the line
// that begins another, or that is too short to tell.
func beforeBorder(text []byte) int {
	if at := bytes.Index(text, []byte("\n"+headerMark)); at >= 0 {
		return at + 1
	}
	tail := max(0, len(text)-len(headerMark))
	if at := bytes.LastIndexByte(text[tail:], '\n'); at >= 0 {
		return tail + at + 1
	}
	return len(text)
}

func more(in *bufio.Reader) bool {
	_, err := in.Peek(1)
	return err == nil
}

// source is an input of the history, and what it is of ours.
type source struct {
	input.File
	report read.Report // of no format where it is none
}

// reportsLast puts reports of ours that were found in a folder behind all other inputs, those first that keep all of their trials.
func reportsLast(files []input.File) []source {
	var data, whole, lossy []source
	for _, f := range files {
		of := source{File: f}
		if f.Found {
			if report, own := f.Own(); own {
				of.report = report
			}
		}
		switch {
		case of.report.Format == "":
			data = append(data, of)
		case of.report.Sum == "":
			whole = append(whole, of)
		default:
			lossy = append(lossy, of)
		}
	}
	return slices.Concat(data, whole, lossy)
}

// repeated counts the runs of a folder. Several may be alike, such as two nights in which everything passed: then there are
// as many as there are reports of one format, or inputs that are no reports.
type repeated struct {
	runs map[string]int    // that are added, by the sum of their trials
	told map[[2]string]int // by format and sum
}

// hold reports whether a report is on a run that is added, one that no other report of its format is on.
func (r *repeated) hold(of source, sum string) bool {
	key := [2]string{of.report.Format, sum}
	if of.report.Format == "" || sum == "" || r.told[key] >= r.runs[sum] {
		return false
	}
	r.told[key]++
	return true
}

func (r *repeated) add(of source, trials envelope.TrialsSum) {
	if r.runs == nil {
		r.runs, r.told = map[string]int{}, map[[2]string]int{}
	}
	sums := []string{trials.String(), trials.FirstVersion()}
	if of.report.Sum != "" {
		sums = []string{of.report.Sum}
	}
	for _, sum := range sums {
		r.runs[sum]++
		r.told[[2]string{of.report.Format, sum}]++
	}
}
