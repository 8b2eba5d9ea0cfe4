package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

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
	text, err := os.ReadFile(filepath.Join(dir, pidName))
	if err != nil {
		return 0
	}
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
