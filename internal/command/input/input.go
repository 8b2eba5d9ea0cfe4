// Package input finds and opens the inputs of a command: files, globs, directories and
// standard input. Package read reads them.
package input

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/run/journal"
	"tribunal/internal/words"
)

// Standard is standard input among inputs and standard output among outputs.
const Standard = "-"

// File is one input: a file, or standard input.
type File struct {
	Name     string
	Side     string   // its name in the call, as in SIDE=FILE
	Found    bool     // in a directory; the call does not name it
	Matched  bool     // by a glob, or in a folder below the named one
	Replaced bool     // overwritten by a report of this run
	parts    []string // the files of an input that is several
	beside   bool     // it belongs to the tests of files beside it
	again    bool     // it repeats another file
	outside  bool     // a link out of the folder leads to it
	unread   error    // why a folder cannot be listed
}

// Files lists the inputs of arguments, with globs expanded and directories listed.
func Files(args []string) ([]File, error) { return FilesWithin("", true, args) }

// FilesWithin is Files without links out of the folder fence, if it is set. A command without outputs is not told of -o.
func FilesWithin(fence string, outputs bool, args []string) ([]File, error) {
	var files []File
	for _, arg := range args {
		side, arg := Sided(arg)
		names, err := Expand(arg)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			for _, f := range within(name, fence) {
				f.Side, f.Matched = side, name != arg || f.Found && filepath.Dir(f.Name) != filepath.Clean(name)
				perhapsOutput := outputs && len(args) > 1 && filepath.Ext(name) != "" && !isGlob(name) // -o tells its format by its extension
				if _, err := os.Lstat(name); perhapsOutput && errors.Is(err, os.ErrNotExist) {
					f.unread = fmt.Errorf("cannot open: %w, or give -o %s if it is an output", words.OfFile(err), words.Shell(name))
				}
				files = append(files, f)
			}
		}
	}
	if each.Count(files, func(f File) bool { return f.Name == Standard }) > 1 {
		return nil, errors.New("standard input (-) is named twice")
	}
	return joined(withoutKept(files)), nil
}

// Sided splits an argument SIDE=FILE. An argument that names an existing file, or has a folder before the =, is a file.
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

// Expand is the files a glob matches, for shells that do not expand it; ** is any number of folders. An argument that
// is a file, or matches nothing, stays as it is.
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

// mostAlternatives bounds the patterns that braces stand for: each is looked up by itself.
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

// Open opens a file to read. The error leaves out the name, which the caller reports first.
func Open(name string) (io.ReadCloser, error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) && isGlob(name) {
		return nil, errors.New("cannot open: no file matches; check the pattern")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open: %w", words.OfFile(err))
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, nothingIn(name)
	}
	return file, nil
}

func nothingIn(directory string) error {
	if real, err := whereIs(directory); err == nil && ofRuns(real) {
		return fmt.Errorf("no run in this folder has a %s", journal.FileName)
	}
	return errors.New("the folder has no file to read; to read one that is hidden or in " + installed + ", name it")
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

// A folder of Allure's results is one input, and so is that of the tries in a report which Allure generated: it has a
// file for each try of a test, and only all of them together say which tries belong to one test.

var (
	resultFile = regex.Of(`^[0-9A-Za-z-]{8,}-result\.json$`)
	suiteFile  = regex.Of(`^[0-9A-Za-z-]{8,}-testsuite\.xml$`) // of Allure 1
	tryFile    = regex.Of(`^[0-9a-f]{8,}\.json$`)
	aroundFile = regex.Of(`^[0-9A-Za-z-]{8,}-(?:container|globals)\.json$`)
	besideThem = regex.Of(`^[0-9A-Za-z-]{8,}-attachment(?:\.\w+)?$`)
)

// tryFolders are those of tries in reports of Allure 2 and 3, and attachments lie beside them.
var tryFolders = []string{"test-cases", "test-results"}

// isTry reports whether a file is named as those of tries are.
func isTry(path string) bool { return resultFile().MatchString(filepath.Base(path)) || inReport(path) }

// isAround reports whether a file is named as those of fixtures are, and of errors of the run.
func isAround(path string) bool { return aroundFile().MatchString(filepath.Base(path)) }

// inReport reports whether a file is named as those of tries in reports are.
func inReport(path string) bool {
	dir, name := filepath.Split(path)
	return slices.Contains(tryFolders, filepath.Base(dir)) && tryFile().MatchString(name)
}

// besideOf are the folders of the tries that a file may belong to by its name.
func besideOf(path string) (folders []string) {
	dir := filepath.Dir(path)
	if besideThem().MatchString(filepath.Base(path)) {
		folders = append(folders, dir)
	}
	const attachments = "attachments"
	if filepath.Base(dir) == attachments {
		folders = append(folders, each.Of(tryFolders, func(tries string) string { return filepath.Join(filepath.Dir(dir), tries) })...)
	}
	return folders
}

// joined puts the result files of a folder together, where the folder was looked
// through or several of them are named, with what failed around the tests. What lies beside belongs to them.
func joined(files []File) []File {
	parts, around := map[string][]string{}, map[string][]string{}
	listed, found := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		dir := filepath.Dir(f.Name)
		switch {
		case f.unread != nil, listed[f.Name]: // it may be named twice
		case isTry(f.Name):
			parts[dir] = append(parts[dir], f.Name)
		case isAround(f.Name):
			around[dir] = append(around[dir], f.Name)
		}
		listed[f.Name] = true
		found[dir] = found[dir] || f.Found
	}
	for dir, all := range parts {
		if kindOf(all[0]).Format != "allure" {
			delete(parts, dir) // files of others may be named so, too
		}
	}
	again, owners := toldAgain(files, parts), suiteFolders(files)
	for dir, all := range parts {
		owners[dir] = owners[dir] || len(all) > 0
	}
	var out []File
	for _, f := range files {
		dir := filepath.Dir(f.Name)
		all, fixtures := parts[dir], around[dir]
		switch {
		case f.unread != nil:
		case again[f.Name]:
			f.again = true
		case (isTry(f.Name) || isAround(f.Name)) && len(all) > 0 && (found[dir] || len(all)+len(fixtures) > 1):
			if f.Name != all[0] {
				continue
			}
			f = File{Name: folderOf(f.Name), Side: f.Side, parts: slices.Concat(all, fixtures)}
		case f.Found && slices.ContainsFunc(besideOf(f.Name), func(dir string) bool { return owners[dir] }):
			f.beside = true
		}
		out = append(out, f)
	}
	return out
}

// suiteFolders are the folders below a named one that hold suites of Allure 1. Each suite
// is an input by itself, and attachments lie beside it as beside tries.
func suiteFolders(files []File) map[string]bool {
	of := map[string]bool{}
	for _, f := range files {
		if dir := filepath.Dir(f.Name); f.unread == nil && f.Found && !of[dir] && suiteFile().MatchString(filepath.Base(f.Name)) {
			of[dir] = kindOf(f.Name).Format == "allure1"
		}
	}
	return of
}

// toldAgain takes the tries out of the parts that stand in several reports which were found: one that Allure 3 makes
// in several styles has them in a folder for each. Their names are their identities.
func toldAgain(files []File, parts map[string][]string) map[string]bool {
	again, first := map[string]bool{}, map[string]string{}
	for _, f := range files {
		dir, name := filepath.Dir(f.Name), filepath.Base(f.Name)
		if !f.Found || len(parts[dir]) == 0 || !inReport(f.Name) {
			continue
		}
		if before, told := first[name]; !told {
			first[name] = f.Name
		} else if before != f.Name && alike(before, f.Name) {
			again[f.Name] = true
			parts[dir] = slices.DeleteFunc(parts[dir], func(part string) bool { return part == f.Name })
		}
	}
	return again
}

// alike reports tries that ended alike at one time, whatever else is said of them: another one
// in front of it may hide a try.
func alike(a, b string) bool {
	one, err := tryIn(a)
	other, failed := tryIn(b)
	return err == nil && failed == nil && one == other
}

type try struct {
	Status      string
	Start, Stop float64
	Time        struct{ Start, Stop float64 } // of Allure 2
}

func tryIn(path string) (t try, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	return t, err
}

func folderOf(path string) string {
	dir, _ := filepath.Split(path)
	return cmp.Or(strings.TrimSuffix(dir, string(filepath.Separator)), ".")
}

// sequence reads files one behind the other as a JSON text sequence (RFC 7464): each stands behind a record separator.
type sequence struct {
	names []string
	begun bool // the separator of the open file is read
	open  io.ReadCloser
}

func (s *sequence) Read(p []byte) (int, error) {
	for {
		if s.open == nil {
			if len(s.names) == 0 {
				return 0, io.EOF
			}
			file, err := Open(s.names[0])
			if err != nil {
				return 0, err
			}
			s.names, s.open, s.begun = s.names[1:], file, false
		}
		if !s.begun && len(p) > 0 {
			s.begun = true
			p[0] = '\x1e'
			return 1, nil
		}
		n, err := s.open.Read(p)
		if err == io.EOF {
			err = s.Close()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

func (s *sequence) Close() error {
	if s.open == nil {
		return nil
	}
	err := s.open.Close()
	s.open = nil
	return err
}
