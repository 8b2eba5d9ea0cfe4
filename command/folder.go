package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"tribunal/internal/command/input"
	"tribunal/render"
)

// writeFolder makes a folder appear whole or not at all: each line that write writes
// goes to the file that fileOf names. A folder that is there is replaced when there is
// nothing in it but an earlier report in the same format. A link is followed to the
// folder that it names.
func writeFolder[D any](name string, format render.Of[D], write func(io.Writer) error) error {
	ours := func(path string) bool { return isPart(path, format.FileOf, format.Marks) }
	return replaceFolder(name, ours, func(dir string) error { return write(&splitter{dir: dir, fileOf: format.FileOf}) })
}

// replaceFolder is writeFolder for files that fill makes in a directory. It replaces a
// folder in which all files are ours.
func replaceFolder(name string, ours func(path string) bool, fill func(dir string) error) error {
	path, err := folderAt(name)
	if err != nil {
		return err
	}
	if err := replaceable(path, ours); err != nil {
		return err
	}
	held, err := createTemp(filepath.Dir(path)) // its lock says that the folder is being written
	if err != nil {
		return err
	}
	temp := held.Name() + tempFolder
	remove := func() error { return errors.Join(os.RemoveAll(temp), os.Remove(held.Name())) }
	settled := stop.meanwhile(func() { remove() }) // which a panic leaves to be done
	err = os.Mkdir(temp, 0o777)
	if err == nil {
		err = fill(temp)
	}
	if err == nil {
		err = moveFolder(temp, path)
	}
	err = errors.Join(err, held.Close(), remove())
	settled()
	return err
}

// folderAt is the folder that a path names. It rejects the working directory and those
// above it, because the shell that started the program would lose its directory.
func folderAt(name string) (string, error) {
	to, err := follow(filepath.Clean(name))
	if err != nil {
		return "", err
	}
	if to.path == "" {
		return "", errors.New("it is not a folder; name one")
	}
	if here, err := os.Getwd(); err == nil {
		if here, err = filepath.EvalSymlinks(here); err == nil && input.Within(here, to.path) {
			return "", errors.New("the working directory is this folder or in it; name another folder")
		}
	}
	return to.path, nil
}

// moveFolder puts a folder in the place of another, in one step where the system can.
// Where it cannot, the other is put back if that does not succeed.
func moveFolder(from, to string) error {
	if _, err := os.Lstat(to); errors.Is(err, os.ErrNotExist) {
		return os.Rename(from, to)
	}
	if exchange(from, to) == nil {
		return nil // the earlier one is removed where this one was
	}
	old := from + ".old"
	if err := os.Rename(to, old); errors.Is(err, syscall.EBUSY) {
		return errors.New("the folder itself cannot be replaced, perhaps because it is mounted; name a folder in it")
	} else if err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return errors.Join(err, os.Rename(old, to))
	}
	return os.RemoveAll(old)
}

func replaceable(path string, ours func(path string) bool) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	at := slices.IndexFunc(entries, func(entry os.DirEntry) bool {
		return !entry.Type().IsRegular() || !ours(filepath.Join(path, entry.Name()))
	})
	if at >= 0 {
		return fmt.Errorf("the folder holds %s, which is not from an earlier report of Tribunal; name another folder, or empty this one",
			entries[at].Name())
	}
	return nil
}

// isPart reports whether a file is one that we wrote into such a folder: it has the
// name that its content gives it, and is known as ours or begins with a mark.
func isPart(path string, fileOf func([]byte) string, marks []string) bool {
	const mostOfFile = 1 << 20 // how much of a file is read to see whether it is a part of a report
	head := beginning(path, mostOfFile)
	if fileOf(head) != filepath.Base(path) {
		return false
	}
	_, own := input.RecogniseOwn(path)
	return own || slices.ContainsFunc(marks, func(mark string) bool { return bytes.HasPrefix(head, []byte(mark)) })
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
		if err := writeTo(filepath.Join(s.dir, filepath.Base(s.fileOf(s.line))), os.O_APPEND, append(s.line, '\n')); err != nil {
			return 0, err
		}
		s.line, rest = s.line[:0], more
	}
}

// writeTo writes to a file that may not be there yet: os.O_APPEND adds, os.O_EXCL replaces none.
func writeTo(path string, how int, text []byte) error {
	file, err := os.OpenFile(path, how|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
