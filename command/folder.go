package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"tribunal/command/input"
)

// writeFolder makes a folder appear whole or not at all: each line that write writes
// goes to the file that fileOf names. A folder that is there is replaced when there is
// nothing in it but reports of ours, which are known or begin with one of the marks.
func writeFolder(path string, fileOf func([]byte) string, marks []string, write func(io.Writer) error) error {
	if err := ours(path, marks); err != nil {
		return err
	}
	parent := filepath.Dir(path)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(parent, ".tribunal-*")
	if err != nil {
		return err
	}
	defer stop.meanwhile(func() { os.RemoveAll(temp) })()
	files := &splitter{dir: temp, fileOf: fileOf}
	if err = errors.Join(write(files), os.Chmod(temp, 0o755)); err == nil {
		err = moveFolder(temp, path)
	}
	return errors.Join(err, os.RemoveAll(temp))
}

// moveFolder puts a folder in the place of another, which is put back where that
// does not succeed.
func moveFolder(from, to string) error {
	old := from + ".old"
	if err := os.Rename(to, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return errors.Join(err, ignoreAbsent(os.Rename(old, to)))
	}
	return os.RemoveAll(old)
}

func ignoreAbsent(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// ours reports why a folder must not be replaced.
func ours(path string, marks []string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	at := slices.IndexFunc(entries, func(entry os.DirEntry) bool {
		return !entry.Type().IsRegular() || !isOurs(filepath.Join(path, entry.Name()), marks)
	})
	if at >= 0 {
		return fmt.Errorf("the folder holds %s, which is no report of ours: name another folder, or empty this one", entries[at].Name())
	}
	return nil
}

func isOurs(path string, marks []string) bool {
	for _, mark := range marks {
		if string(beginning(path, len(mark))) == mark {
			return true
		}
	}
	_, own := input.RecogniseOwn(path)
	return own
}

// splitter writes each line that it is given to the file that it belongs to.
type splitter struct {
	dir    string
	fileOf func([]byte) string
	line   []byte // what is there of the one that goes on
}

func (s *splitter) Write(p []byte) (int, error) {
	for rest := p; ; {
		line, more, whole := bytes.Cut(rest, []byte("\n"))
		s.line = append(s.line, line...)
		if !whole {
			return len(p), nil
		}
		if err := appendTo(filepath.Join(s.dir, filepath.Base(s.fileOf(s.line))), append(s.line, '\n')); err != nil {
			return 0, err
		}
		s.line, rest = s.line[:0], more
	}
}

func appendTo(path string, line []byte) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(line)
	return errors.Join(err, file.Close())
}
