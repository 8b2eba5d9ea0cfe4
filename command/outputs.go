package command

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/command/input"
	"tribunal/internal/each"
	"tribunal/internal/run/journal"
	"tribunal/internal/text"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/render"
)

// output is one report to write: a document of type D in one format.
type output[D any] struct {
	format   render.Of[D]
	path     string // - is standard output; "" is there as well, beside another report
	folder   bool   // the path is a folder, with a file for each line
	settings render.Settings
}

// outputs lists the reports that are asked for: those of -o, and the one of
// standard output unless it is taken or -o says what goes there.
func outputs[D any](c *cli.Context, env Env, table render.Table[D], stdoutTaken bool) ([]output[D], error) {
	term, err := terminal(env, c.String("color"), c.Bool("ascii"))
	if err != nil {
		return nil, err
	}
	asked := c.StringSlice("output")
	var outs []output[D]
	toStdout := stdoutTaken || c.Bool("quiet")
	for _, word := range asked {
		name, path, err := parted(table, word)
		if err != nil {
			return nil, err
		}
		if path, err = standard(path); err != nil {
			return nil, fmt.Errorf("-o %q: %w", word, err)
		}
		toStdout = toStdout || path == input.Standard
		o := output[D]{path: path, folder: isFolder(path), format: render.Of[D]{Name: name}}
		if o.folder {
			o.path = filepath.Clean(path)
		}
		outs = append(outs, o)
	}
	if format := c.String("format"); format != "" || !toStdout {
		outs = append(outs, output[D]{path: input.Standard, format: render.Of[D]{Name: cmp.Or(format, render.Default)}})
	}
	slices.SortStableFunc(outs, besideLast[D])
	term.Detailed = c.Bool("verbose")
	if name := c.Command.Name; name == "report" || name == "convert" {
		term.Report = again(c, c.Args().Slice(), slices.Concat(inputFlags(), policyFlags(), historyReportFlags(showsHistory)))
		term.Plan = again(c, c.Args().Slice(), slices.Concat(inputFlags(), plannedFlags()))
		if c.NArg() == 1 {
			term.Show = again(c, c.Args().Slice(), countedFlags())
			if was, err := readInvocation(strings.TrimSuffix(c.Args().First(), journal.FileName)); err == nil {
				term.Rerun = was.rerun()
			}
		}
	}
	next := term.Commands
	for i := range outs {
		if outs[i].format, err = table.ByName(outs[i].format.Name); err != nil {
			return nil, err
		}
		if outs[i].settings, err = formatSettings(c, outs[i].format, term); err != nil {
			return nil, err
		}
		outs[i].settings.Folder = outs[i].folder
		if !outs[i].toStdout() { // colour and the width of the window are the terminal's alone
			outs[i].settings.Terminal = render.Terminal{Width: widthOfFiles, Kept: true, ASCII: term.ASCII && c.Bool("ascii"),
				Detailed: term.Detailed, Commands: next}
		}
	}
	return outs, errors.Join(distinct(env, outs), usedOptions(c, table, outs), checkOwn(c, env, outs))
}

// again are the inputs of a call, argv, and what it says by the flags, as words of a shell, so
// that another call reads and judges the same; empty where standard input is one.
func again(c *cli.Context, argv []string, flags []cli.Flag) string {
	if len(argv) == 0 || slices.Contains(argv, input.Standard) {
		return ""
	}
	argv = each.Of(argv, func(in string) string { return words.If(strings.HasPrefix(in, "-"), "./") + in })
	for _, f := range flags {
		name := f.Names()[0]
		if !c.IsSet(name) || name == "verbose" {
			continue
		}
		values := c.StringSlice(name)
		if values == nil {
			values = []string{fmt.Sprint(c.Value(name))}
		}
		for _, value := range values {
			if _, is := f.(*cli.BoolFlag); is {
				argv = append(argv, strings.TrimSuffix("--"+name+"="+value, "=true"))
			} else {
				argv = append(argv, dashed(name), value)
			}
		}
	}
	return suggestion(argv)
}

// suggestion is a call as words of a shell; empty where it has a secret or is too long to be read.
func suggestion(argv []string) string {
	const most = 400 // bytes
	said := words.Shell(argv...)
	return words.If(redacted(said) == said && text.Line(said) == said && len(said) <= most, said)
}

// parted is a word of -o as a format and a path. A path alone says its format by its
// ending; the name of a format alone is one that adds to a file that the CI system
// names.
func parted[D any](table render.Table[D], word string) (name, path string, err error) {
	name, path, named := strings.Cut(word, "=")
	if known, err := table.ByName(word); !named && err == nil && known.Append != nil {
		return name, "", nil
	}
	if !named {
		path = word
	}
	meant, told := table.ByPath(path)
	known, err := table.ByName(name)
	switch {
	case named && err == nil && known.FileOf != nil && isFolder(path):
		return name, path, nil
	case !named && slices.Contains(table.Names(), strings.SplitN(word, ":", 2)[0]) && strings.Contains(word, ":"):
		return "", "", fmt.Errorf("-o %q: write -o %s", word, strings.Replace(word, ":", "=", 1))
	case !named && !told && err == nil:
		return "", "", fmt.Errorf("-o %s: %s is a format: write -o %s=PATH", word, word, word)
	case isFolder(path):
		folders := each.Of(each.Where(table, func(f render.Of[D]) bool { return f.FileOf != nil && err != nil }), func(f render.Of[D]) string {
			return "-o " + f.Name + "=" + words.Shell(path)
		})
		return "", "", fmt.Errorf("-o %q: the path is a folder; name a file in it%s", word,
			words.Around(", or give ", strings.Join(folders, " or ")))
	case named && path != "":
		return name, path, nil
	case named || !told:
		return "", "", fmt.Errorf("-o %q: give FORMAT=PATH, for instance -o json=report.json, or a path with a known extension: %s", word,
			strings.Join(table.Endings(), ", "))
	}
	return meant.Name, path, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) || err == nil && info.IsDir()
}

func formatSettings[D any](c *cli.Context, f render.Of[D], term render.Terminal) (render.Settings, error) {
	s := render.Settings{Terminal: term, Options: f.Defaults()}
	for _, o := range f.Options {
		if c.IsSet(o.Name) {
			s.Options[o.Name] = c.String(o.Name)
		}
		if o.Switch {
			s.Options[o.Name] = strconv.FormatBool(c.Bool(o.Name))
		}
		if err := o.Check(s.Options[o.Name]); err != nil {
			return s, fmt.Errorf("--%w", err)
		}
	}
	return s, nil
}

// besideLast puts what goes to standard output beside another report behind it.
func besideLast[D any](a, b output[D]) int {
	return min(len(b.path), 1) - min(len(a.path), 1)
}

func (o output[D]) toStdout() bool { return o.path == input.Standard || o.path == "" }

// doing is what to say before an error of writing the report. Standard output says
// itself where it fails.
func (o output[D]) doing() string {
	return words.If(!o.toStdout(), "writing ") + o.format.Name + words.If(!o.toStdout(), " to "+o.path)
}

func (o output[D]) place() string {
	return cmp.Or(words.If(o.toStdout(), "standard output"), o.path)
}

func usedOptions[D any](c *cli.Context, table render.Table[D], outs []output[D]) error {
	for _, f := range table {
		used := slices.ContainsFunc(outs, func(o output[D]) bool { return o.format.Name == f.Name })
		for _, o := range f.Options {
			if c.IsSet(o.Name) && !used {
				return fmt.Errorf("--%s is an option of format %s, which is not written: add -f %s or -o %s=PATH", o.Name, f.Name, f.Name, f.Name)
			}
		}
	}
	return nil
}

// writeAll writes the document in every format. All outputs are tried; the error
// joins what went wrong.
func writeAll[D any](env Env, document D, outs []output[D]) error {
	var errs []error
	for _, o := range outs {
		if err := o.write(env, document); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", o.doing(), words.OfFile(err)))
		}
		if err := o.append(env, document); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// forPeople reports that an output is for people on standard output, so that nothing need
// be said again on standard error.
func (o output[D]) forPeople() bool {
	return o.format.Name == render.Default && o.path == input.Standard
}

// exitWith is the end of a command: its exit code, unless an output could not be
// written and nothing failed.
func exitWith(code int, err error) error {
	if err != nil && code != gate.ExitFailed {
		code = gate.ExitUnusable
	}
	if code == gate.ExitOK {
		return nil
	}
	return &exitError{code: code, err: err}
}

// mentioned is how many errors of the input are repeated on standard error.
const mentioned = 10

// ending is how a command ends that has judged its inputs.
type ending struct {
	tests    int // that were read; without any, errors of the input are said alone
	problems []envelope.Problem
	policy   envelope.Policy
	code     int
	reasons  []string
}

// end writes the reports and returns the exit code; what went wrong before goes with it.
// It says on standard error what is wrong with the input, where standard output does not,
// and why the exit code is 2 in any case: a script that throws the report away has
// nothing else to go by.
func end[D any](env Env, document D, outs []output[D], e ending, before error) error {
	nothing := e.tests == 0 && gate.Broken(e.problems, e.policy) > 0
	if nothing {
		outs = slices.DeleteFunc(slices.Clone(outs), output[D].forPeople)
	}
	err := errors.Join(before, writeAll(env, document, outs))
	unusable := e.code == gate.ExitUnusable
	if (unusable || !slices.ContainsFunc(outs, output[D].forPeople)) && mention(env.Stderr, e.problems, e.policy, nothing) == 0 && unusable {
		for _, reason := range e.reasons {
			fmt.Fprintf(env.Stderr, "tribunal: %s\n", text.Line(reason))
		}
	}
	return exitWith(e.code, err)
}

// errMentioned ends a command of which all errors were said.
var errMentioned = errors.New("the errors were reported")

// mention repeats errors of the input, what a policy takes for one, and warnings of
// records that were guessed, or all problems, where there is nothing else to report. It
// returns how many errors there are.
func mention(w io.Writer, problems []envelope.Problem, policy envelope.Policy, all bool) (n int) {
	for _, p := range problems {
		guessed := p.Severity == envelope.SeverityWarning && p.Code == envelope.CodeByName
		isError := p.Severity == envelope.SeverityError || gate.Breaks(p, policy)
		if isError {
			n++
		}
		if (isError || guessed || all) && n <= mentioned {
			fmt.Fprintf(w, "tribunal: %s\n", text.Line(brief(p.String(), []string{p.Input})))
		}
	}
	if more := gate.Broken(problems, envelope.Policy{Strict: policy.Strict}) - mentioned; n > mentioned {
		fmt.Fprintf(w, "tribunal: and %s; 'tribunal report INPUT -f json' lists more\n", words.Plural(more, "more error", "more errors"))
	}
	return n
}

func (o output[D]) write(env Env, document D) error {
	o.settings.Existing = o.existing(env)
	var written counted
	write := func(w io.Writer) error {
		written = counted{to: w}
		return o.stream(&written, document)
	}
	var err error
	if o.toStdout() {
		err = write(env.Stdout)
	} else if o.folder {
		err = writeFolder(o.path, o.format, write)
	} else {
		err = writeWhole(o.path, write)
	}
	o.warnLarge(env, written.n)
	return err
}

func (o output[D]) warnLarge(env Env, size int64) {
	const mega = 1_000_000
	if o.format.Large > 0 && size > o.format.Large {
		fmt.Fprintf(env.Stderr, "tribunal: %s: this %s file has %d MB, and above %d MB it opens slowly; write fewer texts, as with "+
			"report --keep-details 0\n", text.Line(o.place()), o.format.Name, size/mega, o.format.Large/mega)
	}
}

type counted struct {
	to io.Writer
	n  int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// existing is the size of the file that append is going to add to, -1 when none
// is named.
func (o output[D]) existing(env Env) int64 {
	if o.format.Append == nil || env.Getenv(o.format.Append.Env) == "" {
		return -1
	}
	if info, err := os.Stat(env.Getenv(o.format.Append.Env)); err == nil {
		return info.Size()
	}
	return 0
}

// append adds the second part of a format to the file that the CI system names.
// Other steps may have written there, so it is added to and never replaced.
func (o output[D]) append(env Env, document D) error {
	o.settings.Existing = o.existing(env)
	if o.settings.Existing < 0 {
		return nil
	}
	var text bytes.Buffer
	err := o.format.Append.Write(&text, document, o.settings)
	if err == nil {
		err = writeTo(env.Getenv(o.format.Append.Env), os.O_APPEND, text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("cannot add to $%s, %s: %w", o.format.Append.Env, env.Getenv(o.format.Append.Env), words.OfFile(err))
	}
	return nil
}

func (o output[D]) stream(w io.Writer, document D) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	if err := o.format.Write(buffered, document, o.settings); err != nil {
		return err
	}
	return buffered.Flush()
}
