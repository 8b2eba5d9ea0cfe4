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

// Runs is the directory of a project with a directory per run.
const Runs = ".tribunal/runs"

// NewID returns the name of a run: its start, to sort by, and random bits for runs
// that start in the same second.
func NewID(began time.Time, random uint16) string {
	return fmt.Sprintf("%s-%04x", began.UTC().Format("20060102T150405Z"), random)
}

// IsRun reports whether a directory is that of a run: it has a lock, or a journal with
// a valid first line.
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

// Latest returns the directory of the latest unfinished run, which crashed, was stopped or
// reached a limit. The error is fs.ErrNotExist if there is none.
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

// noRun is the error for a directory without an unfinished run.
type noRun string

func (e noRun) Error() string {
	return fmt.Sprintf("there is no unfinished run in %s; name another folder with --journal DIR", string(e))
}

// Is makes it match fs.ErrNotExist.
func (noRun) Is(target error) bool { return target == fs.ErrNotExist }

// unfinished reports whether the last complete line of a journal is not the End of a finished
// run. Without a journal, or with an empty one, there is nothing to resume.
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

// The lock file is never removed, because two processes could then lock different
// files of the same name. The process id has its own file, because some systems
// cannot read a locked one.
const lockName, pidName = "lock", "pid"

// LockedError reports that another process writes the journal.
type LockedError struct {
	Dir string
	PID int // 0 if unknown
}

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

// A process that is killed while it starts another leaves it the lock for a moment.
const lockWait, lockRetry = 2 * time.Second, 20 * time.Millisecond

// hold takes the lock. The error is a *LockedError if another process has it.
func hold(dir string) (*holding, error) {
	h := &holding{dir: dir, lock: flock.New(filepath.Join(dir, lockName), flock.SetPermissions(privateFile))}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	free, err := h.lock.TryLockContext(ctx, lockRetry)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("cannot lock %s: %w", h.lock.Path(), err)
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

// syncDirectory syncs the entries of a directory, so that a new file survives a crash.
// It ignores errors, because not every system can do it.
func syncDirectory(path string) {
	d, err := os.Open(path)
	if err != nil {
		return
	}
	defer d.Close()
	_ = d.Sync()
}
