package input

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tribunal/internal/regex"
)

// A folder of Allure's results is one input, and so is that of the tries in a report which
// Allure generated: it has a file for each try of a test, and only all of them together say
// which tries belong to one test.

var (
	resultFile = regex.Of(`^[0-9A-Za-z-]{8,}-result\.json$`)
	suiteFile  = regex.Of(`^[0-9A-Za-z-]{8,}-testsuite\.xml$`) // of Allure 1
	tryFile    = regex.Of(`^[0-9a-f]{8,}\.json$`)
	besideThem = regex.Of(`^[0-9A-Za-z-]{8,}-(?:container\.json|globals\.json|attachment(?:\.\w+)?)$`)
)

// tryFolders are those of tries in reports of Allure 2 and 3, and attachments lie beside them.
var tryFolders = []string{"test-cases", "test-results"}

const attachments = "attachments"

// isTry reports whether a file is named as those of tries are.
func isTry(path string) bool {
	return resultFile().MatchString(filepath.Base(path)) || inReport(path)
}

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
	if filepath.Base(dir) == attachments {
		for _, tries := range tryFolders {
			folders = append(folders, filepath.Join(filepath.Dir(dir), tries))
		}
	}
	return folders
}

// joined puts the result files of a folder together, where the folder was looked
// through or several of them are named. What lies beside them belongs to their tests.
func joined(files []File) []File {
	parts, listed, found := map[string][]string{}, map[string]bool{}, map[string]bool{}
	for _, f := range files {
		dir := filepath.Dir(f.Name)
		if f.unread == nil && isTry(f.Name) && !listed[f.Name] { // it may be named twice
			parts[dir] = append(parts[dir], f.Name)
			listed[f.Name] = true
		}
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
		all := parts[filepath.Dir(f.Name)]
		switch {
		case f.unread != nil:
		case again[f.Name]:
			f.again = true
		case isTry(f.Name) && len(all) > 0 && (found[filepath.Dir(f.Name)] || len(all) > 1):
			if f.Name != all[0] {
				continue
			}
			f = File{Name: folderOf(f.Name), Side: f.Side, parts: all}
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

// toldAgain takes the tries out of the parts that stand in several reports which were found: one
// that Allure 3 makes in several styles has them in a folder for each. Their names are their
// identities.
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

// sequence reads files one behind the other as a JSON text sequence (RFC 7464):
// each stands behind a record separator.
type sequence struct {
	names []string
	begun bool // the separator of the open file is read
	open  io.ReadCloser
}

// Read implements io.Reader.
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

// Close implements io.Closer.
func (s *sequence) Close() error {
	if s.open == nil {
		return nil
	}
	err := s.open.Close()
	s.open = nil
	return err
}
