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

	"github.com/bmatcuk/doublestar/v4"
	"github.com/urfave/cli/v2"

	"tribunal/config"
	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/text"
	"tribunal/read"
)

// stdinName stands for standard input among inputs and for standard output
// among outputs.
const stdinName = "-"

// inputFile is one input: a file, or standard input.
type inputFile struct {
	name     string
	found    bool  // by looking through a directory; nobody named it
	replaced bool  // by a report of this run
	unread   error // why what is in it is not known, of a folder
}

// inputFiles lists the inputs of a command: its arguments with their globs
// expanded and their directories listed, or standard input.
func inputFiles(env Env, command string, args []string) ([]inputFile, error) {
	if len(args) == 0 {
		if env.StdinIsTerminal {
			return nil, fmt.Errorf("%s: no input: name files, or pipe a runner into it (see 'tribunal %s --help')", command, command)
		}
		return []inputFile{{name: stdinName}}, nil
	}
	var files []inputFile
	for _, arg := range args {
		names, err := expand(arg)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", command, err)
		}
		for _, name := range names {
			files = append(files, within(name)...)
		}
	}
	if timesNamed(files, stdinName) > 1 {
		return nil, fmt.Errorf("%s: standard input (-) is named twice", command)
	}
	return files, nil
}

// expand is the files a glob matches, for shells that do not expand it; ** is any
// number of folders. An argument that is a file, or matches nothing, stays as it
// is.
func expand(arg string) ([]string, error) {
	if _, err := os.Stat(arg); err == nil || !isGlob(arg) {
		return []string{arg}, nil
	}
	if alternatives(arg) > mostAlternatives {
		return nil, fmt.Errorf("the braces of %q stand for more than %d patterns: use * in their place, or several patterns", arg, mostAlternatives)
	}
	pattern := arg
	for strings.Contains(pattern, "**/**/") { // which is no more than one of them
		pattern = strings.ReplaceAll(pattern, "**/**/", "**/")
	}
	var options []doublestar.GlobOption
	if strings.Contains(arg, "**") { // it matches the folders on the way as well
		options = append(options, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	}
	matches, err := doublestar.FilepathGlob(pattern, options...)
	if err != nil || len(matches) == 0 {
		return []string{arg}, nil
	}
	slices.Sort(matches)
	return matches, nil
}

// mostAlternatives bounds the patterns that braces stand for: each is looked up by
// itself.
const mostAlternatives = 1000

// alternatives is how many patterns the braces of a pattern stand for, up to one
// more than are allowed. Those of a group add up, and groups multiply.
func alternatives(pattern string) int {
	type group struct{ sum, product int }
	open := []group{{product: 1}}
	for i := 0; i < len(pattern); i++ {
		top := &open[len(open)-1]
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '{':
			open = append(open, group{product: 1})
		case c == ',' && len(open) > 1:
			top.sum, top.product = min(top.sum+top.product, mostAlternatives+1), 1
		case c == '}' && len(open) > 1:
			all := top.sum + top.product
			open = open[:len(open)-1]
			top = &open[len(open)-1]
			top.product = min(top.product*all, mostAlternatives+1)
		}
	}
	return open[0].product
}

func isGlob(arg string) bool { return strings.ContainsAny(arg, "*?[{") }

func timesNamed(files []inputFile, name string) int {
	n := 0
	for _, f := range files {
		if f.name == name {
			n++
		}
	}
	return n
}

// readAll reads every input into the builder. What cannot be opened or read is
// a problem of the run; the error is one of usage.
func readAll(c *cli.Context, env Env, b *count.Builder, files []inputFile, file config.Config) error {
	options, err := howToRead(c, env, file)
	if err != nil {
		return err
	}
	progress := newProgress(env, b, totalSize(files))
	defer progress.done()
	files = withoutReplaced(b, files)
	if options.As == nil && options.Others == nil {
		files = sift(b, files)
	}
	files = partsFirst(files)
	again, counted := repeats(files), folders{}
	for i, f := range files {
		name, before := f.name, b.Trials()
		options.Neighbours = counted.around(f)
		format := readOne(env, b, f, options, progress)
		counted.add(name, b.Trials() > before)
		if first, twice := again[i]; twice && format != read.Envelope {
			warnTwice(b, name, first)
		}
		if c.Bool("verbose") {
			progress.say("tribunal: %s: %s, %d trials\n", text.Line(name), cmp.Or(format, "unknown format"), b.Trials()-before)
		}
	}
	return nil
}

// repeats finds the files that are read more than once: for each such place in
// the list, the name the file had before.
func repeats(files []inputFile) map[int]string {
	infos := make([]os.FileInfo, len(files))
	bySize := map[int64][]int{} // so that only few are compared
	again := map[int]string{}
	for i, f := range files {
		info, err := os.Stat(f.name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		infos[i] = info
		for _, other := range bySize[info.Size()] {
			if os.SameFile(info, infos[other]) {
				again[i] = files[other].name
				break
			}
		}
		bySize[info.Size()] = append(bySize[info.Size()], i)
	}
	return again
}

func warnTwice(b *count.Builder, name, before string) {
	b.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Input: name,
		Message: "this file is read more than once (as " + before + ", too): numbered trials count once, all others every time"})
}

// withoutReplaced leaves out what this run writes anew: it holds the trials of an
// earlier one.
func withoutReplaced(b *count.Builder, files []inputFile) []inputFile {
	var kept []inputFile
	var replaced []string
	for _, f := range files {
		if f.replaced {
			replaced = append(replaced, f.name)
		} else {
			kept = append(kept, f)
		}
	}
	passOver(b, replaced, len(files), "are written anew by this run, and passed over")
	return kept
}

// sift leaves out of the files that were found in directories those of no known
// format, those that summarise others which were found as well, for their trials
// would count twice, and those that a trial left behind.
func sift(b *count.Builder, files []inputFile) []inputFile {
	formats, summaries := make([]string, len(files)), make([]bool, len(files))
	single := map[string]bool{} // formats of which single trials were found
	left := map[string]bool{}   // folders of what trials left behind
	for i, f := range files {
		if !f.found || f.unread != nil {
			continue
		}
		formats[i], summaries[i] = recognise(f.name)
		if formats[i] != "" && !summaries[i] {
			single[formats[i]] = true
			markFolders(left, f.name, formats[i])
		}
	}
	var kept []inputFile
	var unknown, repeated, behind []string
	for i, f := range files {
		switch {
		case f.unread != nil:
			kept = append(kept, f)
		case f.found && formats[i] == "":
			unknown = append(unknown, f.name)
		case f.found && summaries[i] && single[formats[i]]:
			repeated = append(repeated, f.name)
		case f.found && isBelow(left, f.name):
			behind = append(behind, f.name)
		default:
			kept = append(kept, f)
		}
	}
	passOver(b, unknown, len(files), "are of no known format and passed over")
	passOver(b, repeated, len(files), "summarise others that are read, and are passed over")
	passOver(b, behind, len(files), "were left behind by trials that are read, and are passed over")
	return kept
}

// markFolders marks the folders of what the trials of a file left behind.
func markFolders(left map[string]bool, name, format string) {
	f, _ := read.ByName(format) // of a file that cannot be opened there is none
	for _, folder := range f.Folders {
		left[filepath.Join(filepath.Dir(name), folder)] = true
	}
}

// isBelow reports whether a file is in one of the folders, at any depth.
func isBelow(folders map[string]bool, name string) bool {
	for dir := filepath.Dir(name); dir != name; name, dir = dir, filepath.Dir(dir) {
		if folders[dir] {
			return true
		}
	}
	return false
}

// recognise is the format of a file, and whether it only summarises others. A
// file that cannot be opened is kept: reading it says what is wrong.
func recognise(name string) (format string, summary bool) {
	file, err := os.Open(name)
	if err != nil {
		return "unreadable", false
	}
	defer file.Close()
	return read.Recognise(file)
}

// namedFiles is how many files of no known format are named.
const namedFiles = 5

// passOver reports the files of directories that are not read. That is no
// mistake unless there is nothing else.
func passOver(b *count.Builder, unknown []string, all int, why string) {
	if len(unknown) == 0 {
		return
	}
	severity := envelope.SeverityInfo
	if len(unknown) == all {
		severity = envelope.SeverityError
	}
	message := fmt.Sprintf("%d of %d files %s: %s", len(unknown), all, why, strings.Join(unknown[:min(namedFiles, len(unknown))], ", "))
	if more := len(unknown) - namedFiles; more > 0 {
		message += fmt.Sprintf(" and %d more", more)
	}
	b.Problem(envelope.Problem{Severity: severity, Code: "passed-over", Count: len(unknown), Message: message})
}

// howToRead is what flags and configuration say of the inputs. The mapping of a
// configuration leaves our own envelopes alone: they may lie in the same folder.
func howToRead(c *cli.Context, env Env, file config.Config) (read.Options, error) {
	o := read.Options{Scorer: cmp.Or(c.String("scorer"), file.Scorer), Roots: roots(c, env)}
	from, spec, records := c.String("from"), c.String("map"), c.String("records")
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
		f, err := read.Mapped(spec, cmp.Or(records, file.Records))
		if err != nil {
			return o, fmt.Errorf("--map: %w", err)
		}
		o.As = &f
	case file.Map != "":
		f, err := read.Mapped(file.Map, cmp.Or(records, file.Records))
		if err != nil {
			return o, fmt.Errorf("map of the configuration: %w", err)
		}
		o.Others = &f
	}
	return o, nil
}

// roots is where the repository stands on this machine, and on the others that
// flags name.
func roots(c *cli.Context, env Env) []string {
	here := []string{env.Getenv("CI_PROJECT_DIR"), env.Getenv("GITHUB_WORKSPACE"), env.Dir}
	return read.Roots(slices.Concat(c.StringSlice("root"), here)...)
}

func readOne(env Env, b *count.Builder, f inputFile, o read.Options, progress *progress) (format string) {
	if f.name == stdinName {
		return readPipe(env, b, o, progress)
	}
	file, err := f.open()
	if err != nil {
		b.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable, Input: f.name, Message: err.Error()})
		return ""
	}
	defer file.Close()
	return read.StreamAs(b, f.name, progress.watch(file), o)
}

func (f inputFile) open() (io.ReadCloser, error) {
	if f.unread != nil {
		return nil, f.unread
	}
	return open(f.name)
}

// readPipe reads standard input. A run that was interrupted is not a whole one,
// whatever its trials say.
func readPipe(env Env, b *count.Builder, o read.Options, progress *progress) (format string) {
	if stop.whilePiped(func() { format = read.StreamAs(b, stdinName, progress.watch(env.Stdin), o) }) {
		b.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeInterrupted, Input: stdinName,
			Message: "the run was interrupted: the trials up to then are counted, and the others are missing"})
	}
	return format
}

// open opens a file to read. The name is left out of the error: whoever reports
// it says it first.
func open(name string) (io.ReadCloser, error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) && isGlob(name) {
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
		return nil, errors.New("the directory holds no file")
	}
	return file, nil
}

// totalSize is the size of all inputs in bytes, 0 when one has no known size.
func totalSize(files []inputFile) int64 {
	total := int64(0)
	for _, f := range files {
		info, err := os.Stat(f.name)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}
