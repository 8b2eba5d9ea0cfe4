package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"tribunal/envelope"
	"tribunal/internal/hashchain"
)

// Open resumes a journal. It takes the lock, moves an incomplete last line to DIR/torn, empties
// DIR/raw, and reads the header of the run. It appends no line.
func Open(dir string) (*Journal, error) {
	j, err := open(dir)
	switch {
	case unwritable(err):
		return nil, fmt.Errorf("cannot resume the journal %s: %w: make the folder and its files writable; to see what is in it: "+
			"tribunal report %s", dir, err, filepath.Join(dir, FileName))
	case err != nil:
		return nil, err // with the path
	}
	return j, nil
}

// unwritable reports whether an error means that this process may not write there.
func unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

func open(dir string) (*Journal, error) {
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); err != nil { // leave no lock in a directory without a journal
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil, fmt.Errorf("there is no %s; give the folder of a run, such as --journal .tribunal/runs/NAME", path)
		}
		return nil, err
	}
	lock, err := hold(dir)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, privateFile)
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	j := newJournal(dir, lock, disk{f})
	if err = j.recover(f); err != nil {
		return nil, errors.Join(err, j.Close(), j.Forget())
	}
	return j, nil
}

func (j *Journal) recover(f *os.File) error {
	if err := os.RemoveAll(filepath.Join(j.dir, rawName)); err != nil {
		return err
	}
	torn, err := cutTail(f, filepath.Join(j.dir, tornName))
	if err != nil {
		return err
	}
	j.torn = torn
	if err := j.see(); err != nil {
		return err
	}
	var check hashchain.Check
	if _, err := io.Copy(&check, j.Seen()); err != nil {
		return err
	}
	if check.Changed > 0 {
		return fmt.Errorf("%s:%d was changed after it was written, or lines before it are missing; restore a copy, or begin a new run",
			j.Path(), check.Changed)
	}
	if check.Linked {
		j.chain = &check.Chain
	}
	return j.learn()
}

// cutTail removes what follows the last line end, after saving it in another file.
func cutTail(f *os.File, into string) (size int, err error) {
	at, err := wholeLines(f)
	if err != nil {
		return 0, err
	}
	tail, err := io.ReadAll(io.NewSectionReader(f, at, 1<<62))
	if err != nil || len(tail) == 0 {
		return 0, err
	}
	if err := keep(into, tail); err != nil {
		return 0, err
	}
	if err := f.Truncate(at); err != nil {
		return 0, err
	}
	return len(tail), f.Sync()
}

// wholeLines returns the offset after the last line end of a file. It reads backwards.
func wholeLines(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	const step = 64 << 10
	part := make([]byte, step)
	for end := info.Size(); end > 0; {
		begin := max(0, end-step)
		n, err := f.ReadAt(part[:end-begin], begin)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(part[:n], '\n'); i >= 0 {
			return begin + int64(i) + 1, nil
		}
		end = begin
	}
	return 0, nil
}

// keep appends an incomplete line to the file of earlier ones.
func keep(path string, tail []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, privateFile)
	if err != nil {
		return err
	}
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		tail = append([]byte("\n"), tail...)
	}
	_, err = f.Write(tail)
	return errors.Join(err, f.Sync(), f.Close())
}

// learn reads the header and tests of the run, and whether it has ended.
func (j *Journal) learn() error {
	places := map[envelope.Key]int{} // by key, in the list of tests
	first := true
	err := j.lines(func(text []byte) (err error) {
		if first {
			first = false
			j.header, j.plan, err = decodeHeader(text)
			return err
		}
		kind, err := typeOf(text)
		if err != nil || kind != typeTests && kind != typeEnd && kind != typeResume {
			return err
		}
		l, err := decode(text)
		switch l := l.(type) {
		case Tests:
			j.list(l, places)
		case End:
			j.end = l.How
		case Resume:
			j.end = ""
		}
		return err
	})
	if err == nil && first {
		err = fmt.Errorf("%s: the run died before its first line was written; begin a new run", j.Path())
	}
	return err
}

// list adds tests. A test that is listed already is replaced.
func (j *Journal) list(tests Tests, places map[envelope.Key]int) {
	all := &j.header.Plan.Tests
	for _, t := range tests {
		if at, known := places[t.Key]; known {
			(*all)[at] = t
			continue
		}
		places[t.Key] = len(*all)
		*all = append(*all, t)
	}
}

// Replay calls visit with every line after the first, in order, with the lists of tests.
// It returns the error of visit, or one with the position of an invalid line.
func (j *Journal) Replay(visit func(Line) error) error {
	first := true
	return j.lines(func(text []byte) error {
		if first {
			first = false
			return nil
		}
		l, err := decode(text)
		if err != nil || l == nil {
			return err
		}
		return visit(l)
	})
}

func (j *Journal) lines(visit func(text []byte) error) error {
	f, err := os.Open(j.Path())
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, readSize)
	for number := 1; ; number++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // a line without an end is not complete yet
		}
		if err != nil {
			return err
		}
		if err := visit(text); err != nil {
			return fmt.Errorf("%s:%d: %w", j.Path(), number, err)
		}
	}
}

// copyName starts the name of the copy of a journal, while it has a name.
const copyName = "copy-"

// seen is an unnamed copy of the journal, as this process and earlier ones wrote it.
// Trials that change the folder of the run cannot change it.
type seen struct {
	*os.File
	size int64
}

func (j *Journal) see() error {
	f, err := os.CreateTemp(j.dir, copyName)
	if err != nil {
		return err
	}
	_ = os.Remove(f.Name()) // some systems cannot remove an open file; Forget does it there
	j.seen = &seen{File: f}
	from, err := os.Open(j.Path())
	if err != nil {
		return err
	}
	defer from.Close()
	j.seen.size, err = io.Copy(f, from)
	return err
}

// Seen reads all lines as they were written, even if the file was changed.
func (j *Journal) Seen() io.Reader { return io.NewSectionReader(j.seen, 0, j.seen.size) }

// Forget removes the copy. Seen cannot be used afterwards.
func (j *Journal) Forget() error {
	if j.seen == nil {
		return nil
	}
	err := j.seen.Close()
	_ = os.Remove(j.seen.Name())
	return err
}

// Damage is how another program changed the file of a journal.
type Damage int

// The kinds of damage.
const (
	Intact Damage = iota
	Removed
	Changed
)

// Damage compares the file of the journal with the copy: its identity and length, or
// every byte.
func (j *Journal) Damage(everyByte bool) Damage {
	j.mu.Lock()
	defer j.mu.Unlock()
	own, is := j.file.(disk)
	if !is || j.writeErr != nil {
		return Intact
	}
	mine, err := own.Stat()
	there, gone := os.Lstat(j.Path())
	switch {
	case errors.Is(gone, fs.ErrNotExist):
		return Removed
	case err != nil || gone != nil || !os.SameFile(mine, there) || there.Size() != j.seen.size:
		return Changed
	case !everyByte:
		return Intact
	}
	now, err := os.Open(j.Path())
	if err != nil {
		return Changed
	}
	defer now.Close()
	if !SameBytes(now, j.Seen()) {
		return Changed
	}
	return Intact
}

const readSize = 256 << 10

// SameBytes reports whether two readers return the same bytes.
func SameBytes(a, b io.Reader) bool {
	left, right := make([]byte, readSize), make([]byte, readSize)
	for {
		n, err := io.ReadFull(a, left)
		m, failed := io.ReadFull(b, right)
		switch {
		case !bytes.Equal(left[:n], right[:m]):
			return false
		case err != nil || failed != nil:
			return ended(err) && ended(failed)
		}
	}
}

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// Restore writes the journal again from the copy. It keeps a changed file next to it.
func (j *Journal) Restore() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.syncing {
		j.waiting.Wait()
	}
	_ = j.file.Close() // it is no longer the journal
	f, err := j.rewrite()
	if err != nil {
		j.writeErr = j.writeError("writing again", err)
		return j.writeErr
	}
	j.file = disk{f}
	return nil
}

func (j *Journal) rewrite() (f *os.File, err error) {
	if err := os.MkdirAll(j.dir, privateDir); err != nil {
		return nil, err
	}
	if f, err = os.CreateTemp(j.dir, copyName); err != nil {
		return nil, err
	}
	name := f.Name()
	_, err = io.Copy(f, j.Seen())
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		const changedName = "changed"                              // the name for a journal that another program changed
		_ = os.Rename(j.Path(), filepath.Join(j.dir, changedName)) // it may be gone
		err = os.Rename(name, j.Path())
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(name))
	}
	syncDirectory(j.dir)
	return os.OpenFile(j.Path(), os.O_WRONLY|os.O_APPEND, privateFile)
}
