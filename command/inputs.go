package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/read"
	"tribunal/render/text"
)

// stdinName stands for standard input among inputs and for standard output
// among outputs.
const stdinName = "-"

// inputNames lists the inputs: the arguments with their globs expanded, or
// standard input.
func inputNames(c *cli.Context, env Env) ([]string, error) {
	args := c.Args().Slice()
	if len(args) == 0 {
		if env.StdinIsTerminal {
			return nil, errors.New("report: no input: name files, or pipe a runner into it (see 'tribunal report --help')")
		}
		return []string{stdinName}, nil
	}
	var names []string
	for _, arg := range args {
		names = append(names, expand(arg)...)
	}
	if count(names, stdinName) > 1 {
		return nil, errors.New("report: standard input (-) is named twice")
	}
	return names, nil
}

// expand is the files a glob matches, for shells that do not expand it. An
// argument that is a file, or matches nothing, stays as it is.
func expand(arg string) []string {
	if _, err := os.Stat(arg); err == nil || !strings.ContainsAny(arg, "*?[") {
		return []string{arg}
	}
	matches, err := filepath.Glob(arg)
	if err != nil || len(matches) == 0 {
		return []string{arg}
	}
	slices.Sort(matches)
	return matches
}

func count(words []string, word string) int {
	n := 0
	for _, w := range words {
		if w == word {
			n++
		}
	}
	return n
}

// readAll reads every input into the builder. What cannot be opened or read is
// a problem of the run; the error is one of usage.
func readAll(c *cli.Context, env Env, b *envelope.Builder, names []string) error {
	as, err := asked(c)
	if err != nil {
		return err
	}
	progress := newProgress(env, b, totalSize(names))
	defer progress.done()
	for _, name := range names {
		before := b.Trials()
		format := readOne(env, b, name, as, progress)
		if c.Bool("verbose") {
			progress.done()
			fmt.Fprintf(env.Stderr, "tribunal: %s: %s, %d trials\n", text.Line(name), cmp.Or(format, "unknown format"), b.Trials()-before)
		}
	}
	return nil
}

// asked is the format that --from or --map names; nil when the content is to
// tell it.
func asked(c *cli.Context) (*read.Format, error) {
	from, spec, records := c.String("from"), c.String("map"), c.String("records")
	switch {
	case spec != "" && from != "":
		return nil, errors.New("--from and --map both say how to read the inputs: give one of them")
	case spec != "":
		f, err := read.Mapped(spec, records)
		if err != nil {
			return nil, fmt.Errorf("--map: %w", err)
		}
		return &f, nil
	case records != "":
		return nil, errors.New("--records says where the records for --map are: give --map as well")
	case from != "":
		f, err := read.ByName(from)
		return &f, err
	}
	return nil, nil
}

func readOne(env Env, b *envelope.Builder, name string, as *read.Format, progress *progress) (format string) {
	if name == stdinName {
		return read.StreamAs(b, name, progress.watch(env.Stdin), as)
	}
	file, err := open(name)
	if err != nil {
		b.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Input: name, Message: err.Error()})
		return ""
	}
	defer file.Close()
	return read.StreamAs(b, name, progress.watch(file), as)
}

// open opens a file to read. The name is left out of the error: whoever reports
// it says it first.
func open(name string) (io.ReadCloser, error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) && strings.ContainsAny(name, "*?[") {
		return nil, errors.New("cannot open: no file matches; check the pattern")
	}
	var path *os.PathError
	if errors.As(err, &path) {
		return nil, fmt.Errorf("cannot open: %w; check the path", path.Err)
	}
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, fmt.Errorf("cannot read a directory: name its files, for instance %s", filepath.ToSlash(filepath.Join(name, "*")))
	}
	return file, nil
}

// totalSize is the size of all inputs in bytes, 0 when one has no known size.
func totalSize(names []string) int64 {
	total := int64(0)
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}
