package journal

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Runs is the directory, in that of the project, that has a directory for each run.
const Runs = ".tribunal/runs"

// NewID is the name of a run: when it began, to sort by, and some bits that tell
// runs apart which began in the same second.
func NewID(began time.Time, random uint16) string {
	return fmt.Sprintf("%s-%04x", began.UTC().Format("20060102T150405Z"), random)
}

// IsRun reports whether a directory is that of a run: it has a journal, and the lock
// of one or what a journal begins with.
func IsRun(dir string) bool {
	if info, err := os.Stat(filepath.Join(dir, lockName)); err == nil && info.Mode().IsRegular() {
		return true
	}
	path := filepath.Join(dir, FileName)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := bufio.NewReader(f).ReadBytes('\n')
	if err != nil {
		return false
	}
	_, _, err = decodeHeader(text)
	return err == nil
}

// Latest is the directory of the latest run in a directory of runs that is not finished: it died,
// was stopped or ended at a limit. The error is fs.ErrNotExist where there is none.
func Latest(runs string) (dir string, err error) {
	entries, err := os.ReadDir(runs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, entry := range slices.Backward(entries) { // they come sorted
		dir := filepath.Join(runs, entry.Name())
		open, err := unfinished(filepath.Join(dir, FileName))
		if err != nil {
			return "", err
		}
		if open {
			return dir, nil
		}
	}
	return "", noRun(runs)
}

// noRun is the error of a directory in which no run is to go on with.
type noRun string

// Error implements error.
func (e noRun) Error() string {
	return fmt.Sprintf("there is no unfinished run in %s; name another folder with --journal DIR", string(e))
}

// Is makes it a fs.ErrNotExist.
func (noRun) Is(target error) bool { return target == fs.ErrNotExist }

// unfinished looks at the last whole line of a journal, which is its end where it has one. A
// directory without a journal, or with one that was not begun, is nothing to go on with.
func unfinished(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDirectory) {
			return false, nil
		}
		return false, err
	}
	defer f.Close()
	end, err := wholeLines(f)
	if err != nil || end == 0 {
		return false, err
	}
	const longestEnd = 4 << 10
	tail := make([]byte, min(end, longestEnd))
	if _, err := f.ReadAt(tail, end-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	tail = tail[:len(tail)-1]
	last := tail[bytes.LastIndexByte(tail, '\n')+1:]
	if !bytes.HasPrefix(last, []byte(`{"type":"`+typeEnd+`"`)) {
		return true, nil
	}
	l, err := into[End](last)
	return l.How != Finished, err
}

// The file that is locked stays when it is given free: two that lock files of one
// name, of which one was removed, both have it. The number of the process stands
// beside it, for what is locked cannot be read everywhere.
const (
	lockName = "lock"
	pidName  = "pid"
)

// LockedError is the error of a journal that another process writes.
type LockedError struct {
	Dir string
	PID int // 0 where it is not known
}

// Error implements error.
func (e *LockedError) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = "process " + strconv.Itoa(e.PID)
	}
	return fmt.Sprintf("%s is being run by %s: wait for its end, or stop it first", e.Dir, who)
}

// holding is the lock of a journal.
type holding struct {
	dir  string
	lock *flock.Flock
}

// A program that is killed while it starts another leaves the lock to that one for a moment.
const lockWait, lockRetry = 2 * time.Second, 20 * time.Millisecond

// hold takes the lock. The error is a *LockedError where another has it.
func hold(dir string) (*holding, error) {
	h := &holding{dir: dir, lock: flock.New(filepath.Join(dir, lockName), flock.SetPermissions(privateFile))}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	free, err := h.lock.TryLockContext(ctx, lockRetry)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("locking %s: %w", h.lock.Path(), err)
	}
	if !free {
		return nil, &LockedError{Dir: dir, PID: pidOf(dir)}
	}
	if err := os.WriteFile(filepath.Join(dir, pidName), []byte(strconv.Itoa(os.Getpid())+"\n"), privateFile); err != nil {
		return nil, errors.Join(err, h.lock.Unlock())
	}
	return h, nil
}

func pidOf(dir string) int {
	text, _ := os.ReadFile(filepath.Join(dir, pidName))
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

func (h *holding) release() error {
	_ = os.Remove(filepath.Join(h.dir, pidName)) // a trial may have removed the folder
	return h.lock.Unlock()
}

// syncDirectory brings to the disk that a file is in a directory. Not every system
// can do that; there the file is found all the same, or the run died with it.
func syncDirectory(path string) {
	d, err := os.Open(path)
	if err != nil {
		return
	}
	defer d.Close()
	_ = d.Sync()
}
