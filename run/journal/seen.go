package journal

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// changedName is the file of a journal that somebody else changed.
const changedName = "changed"

// copyName begins the name of the copy of a journal while it has one.
const copyName = "copy-"

// seen is what this process and those before it wrote, in a file without a name: what
// trials do to the folder of the run does not reach it.
type seen struct {
	*os.File
	size int64
}

// see begins the copy of a journal with what is in it.
func (j *Journal) see() error {
	f, err := os.CreateTemp(j.dir, copyName)
	if err != nil {
		return err
	}
	_ = os.Remove(f.Name()) // where that cannot be, Forget does it
	j.seen = &seen{File: f}
	from, err := os.Open(j.Path())
	if err != nil {
		return err
	}
	defer from.Close()
	j.seen.size, err = io.Copy(f, from)
	return err
}

// Seen is all that was written to the journal, whatever is in its file now.
func (j *Journal) Seen() io.Reader { return io.NewSectionReader(j.seen, 0, j.seen.size) }

// Forget removes the copy, behind which Seen is of no use.
func (j *Journal) Forget() error {
	if j.seen == nil {
		return nil
	}
	err := j.seen.Close()
	_ = os.Remove(j.seen.Name())
	return err
}

// Damage is what others did to the file of a journal.
type Damage int

// The damages of a journal.
const (
	Intact Damage = iota
	Removed
	Changed
)

// Damage compares the file of the journal with what was written: by its place and its
// length, or by every byte.
func (j *Journal) Damage(everyByte bool) Damage {
	j.mu.Lock()
	defer j.mu.Unlock()
	own, is := j.file.(disk)
	if !is || j.unable != nil {
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

// readSize is how much of a file is compared at a time.
const readSize = 256 << 10

// SameBytes reports that two readers give the same bytes.
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

// Restore writes the journal again as it was written. A changed one is kept beside it.
func (j *Journal) Restore() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.syncing {
		j.waiting.Wait()
	}
	_ = j.file.Close() // it is no longer the journal
	f, err := j.rewrite()
	if err != nil {
		j.unable = j.because("writing again", err)
		return j.unable
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
		_ = os.Rename(j.Path(), filepath.Join(j.dir, changedName)) // it may be gone
		err = os.Rename(name, j.Path())
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(name))
	}
	syncDirectory(j.dir)
	return os.OpenFile(j.Path(), os.O_WRONLY|os.O_APPEND, privateFile)
}
