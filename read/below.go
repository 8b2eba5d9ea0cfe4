package read

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tribunal/envelope"
)

// Below opens the files that trials name by their paths, for [Options]: below one of
// the folders and nowhere else, whatever links there are, unpacked. It is nil where
// there is no folder.
func Below(folders ...string) func(path string) (io.ReadCloser, error) {
	if len(folders) == 0 {
		return nil
	}
	return func(path string) (io.ReadCloser, error) {
		var missing error
		for _, folder := range folders {
			file, err := openBelow(folder, filepath.FromSlash(path))
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				return file, err
			}
			missing = err
		}
		return nil, missing
	}
}

func openBelow(folder, path string) (io.ReadCloser, error) {
	if !filepath.IsLocal(path) {
		return nil, errors.New("the path leads out of its folder; write one inside it")
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, plainly(err)
	}
	defer root.Close()
	info, err := root.Stat(path) // before it is opened: opening a pipe waits
	switch {
	case err != nil:
		return nil, plainly(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("this is not a file")
	}
	file, err := root.Open(path)
	if err != nil {
		return nil, plainly(err)
	}
	return UnpackFile(file)
}

// UnpackFile returns a reader of what a file holds unpacked, which closes the file, too.
func UnpackFile(file io.ReadCloser) (io.ReadCloser, error) {
	text, err := Unpack(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return unpackedFile{text, file}, nil
}

// plainly is an error of a file without its name, which whoever reports it says.
func plainly(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("cannot open: %w; check the path, and whether the file was copied", path.Err)
	}
	return err
}

// unpackedFile closes a file with what unpacks it.
type unpackedFile struct {
	io.ReadCloser
	file io.Closer
}

func (u unpackedFile) Close() error {
	u.ReadCloser.Close()
	return u.file.Close()
}

// rooted names the files of trials as they are called in their repository.
// Runners such as Jest name them from the root of the machine, so that one test
// has another name on every machine.
type rooted struct {
	envelope.Sink
	roots []string
}

func (s rooted) Trial(t *envelope.Trial) {
	file, suite, test := s.within(t.File), s.within(t.Suite), s.within(t.Test)
	if file != t.File || suite != t.Suite || test != t.Test {
		here := *t
		here.File, here.Suite, here.Test = file, suite, test
		t = &here
	}
	s.Sink.Trial(t)
}

func (s rooted) Endings(k envelope.Key, labels []envelope.Label, all []envelope.Ending) {
	if to, takes := s.Sink.(envelope.Report); takes {
		k.Suite, k.Test = s.within(k.Suite), s.within(k.Test)
		to.Endings(k, labels, all)
	}
}

func (s rooted) within(name string) string { return Within(name, s.roots) }

// Within is a path below one of the roots from there on, and any other text as it
// is.
func Within(name string, roots []string) string {
	for _, root := range roots {
		rest, below := strings.CutPrefix(name, root)
		if below && len(rest) > 1 && (rest[0] == '/' || rest[0] == '\\') {
			return rest[1:]
		}
	}
	return name
}

// Roots are folders as they stand before the paths in them. The root of the
// machine is none: it stands before every path.
func Roots(folders ...string) []string {
	var roots []string
	for _, folder := range folders {
		root := strings.TrimRight(filepath.Clean(folder), `/\`)
		if folder != "" && root != "" && root != "." && !strings.HasSuffix(root, ":") {
			roots = append(roots, root)
		}
	}
	return roots
}
