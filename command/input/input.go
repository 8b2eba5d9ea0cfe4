// Package input finds the inputs of a command, files and standard input, and opens
// them: globs, directories with what is passed over in them, files that lie beside
// others. What is in them is the business of package read.
package input

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"tribunal/envelope"
	"tribunal/run/journal"
)

// Standard stands for standard input among inputs and for standard output
// among outputs.
const Standard = "-"

// File is one input: a file, or standard input.
type File struct {
	Name     string
	Side     string   // what the call names it, as in SIDE=FILE
	Found    bool     // by looking through a directory; nobody named it
	Replaced bool     // by a report of this run
	parts    []string // the files that it is made of, when it is several
	beside   bool     // it belongs to the tests of files beside it
	again    bool     // what it tells, another one does
	outside  bool     // a link leads there, out of the folder that is meant
	unread   error    // why what is in it is not known, of a folder
}

// Files lists the inputs that arguments name: their globs are expanded and their
// directories listed.
func Files(args []string) ([]File, error) { return FilesWithin("", args) }

// FilesWithin is Files without what links lead to out of a folder, where it is named.
func FilesWithin(fence string, args []string) ([]File, error) {
	var files []File
	for _, arg := range args {
		side, arg := Sided(arg)
		names, err := Expand(arg)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			for _, f := range within(name, fence) {
				f.Side = side
				files = append(files, f)
			}
		}
	}
	if timesNamed(files, Standard) > 1 {
		return nil, errors.New("standard input (-) is named twice")
	}
	return joined(withoutKept(files)), nil
}

// Sided parts an argument SIDE=FILE. What is there under the whole of it, or has a folder
// before the =, is a file.
func Sided(arg string) (side, file string) {
	side, file, named := strings.Cut(arg, "=")
	if !named || side == "" || file == "" || strings.ContainsAny(side, `/\`) {
		return "", arg
	}
	if found, err := Expand(arg); err != nil || found[0] != arg {
		return "", arg
	}
	if _, err := os.Lstat(arg); err == nil {
		return "", arg
	}
	return side, file
}

// Expand is the files a glob matches, for shells that do not expand it; ** is any
// number of folders. An argument that is a file, or matches nothing, stays as it
// is.
func Expand(arg string) ([]string, error) {
	if _, err := os.Stat(arg); err == nil || !isGlob(arg) {
		return []string{arg}, nil
	}
	if alternatives(arg) > mostAlternatives {
		return nil, fmt.Errorf("the braces of %q make more than %d patterns; use *, or several patterns", arg, mostAlternatives)
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
	slices.SortFunc(matches, envelope.CompareNames)
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

func timesNamed(files []File, name string) int {
	n := 0
	for _, f := range files {
		if f.Name == name {
			n++
		}
	}
	return n
}

// Open opens an input that is a file.
func (f File) Open() (io.ReadCloser, error) {
	if f.unread != nil {
		return nil, f.unread
	}
	if f.parts != nil {
		return &sequence{names: f.parts}, nil
	}
	return Open(f.Name)
}

// Open opens a file to read. The name is left out of the error: whoever reports
// it says it first.
func Open(name string) (io.ReadCloser, error) {
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
		return nil, nothingIn(name)
	}
	return file, nil
}

func nothingIn(directory string) error {
	if real, err := whereIs(directory); err == nil && ofRuns(real) {
		return fmt.Errorf("no run in this folder has its %s", journal.FileName)
	}
	entries, _ := os.ReadDir(directory) // what cannot be listed was told as such
	for _, entry := range entries {
		if entry.Type().IsRegular() && strings.HasPrefix(entry.Name(), ".") {
			return errors.New("the directory has only hidden files, which are skipped; name the one you mean")
		}
	}
	return errors.New("the directory holds no file")
}

// TotalSize is the size of all inputs in bytes, 0 when one has no known size.
func TotalSize(files []File) int64 {
	total := int64(0)
	for _, f := range files {
		info, err := os.Stat(f.Name)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}
