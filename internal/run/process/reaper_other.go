//go:build !linux && !darwin && !windows

package process

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

const canSuspend = false

type (
	reaper struct{}
	leader struct{ pid int }
)

func openReaper(Options) (*reaper, error) {
	return nil, fmt.Errorf("on %s Tribunal cannot stop all processes of a trial: %w", runtime.GOOS, errors.ErrUnsupported)
}

// WatcherMain returns at once.
func WatcherMain() {}

// KillByCookie is not supported here.
func KillByCookie(_, _ string) (ended, survived int, err error) { return 0, 0, errors.ErrUnsupported }

// Temporary reports whether a command could not be started for a reason that passes.
func Temporary(error) bool { return false }

func stopSelf() error                       { return errors.ErrUnsupported }
func program(string) (string, error)        { return "", errors.ErrUnsupported }
func (*reaper) close() error                { return nil }
func (*reaper) reapOrphans()                {}
func (*reaper) release(string) (_, _ int)   { return 0, 0 }
func (*reaper) clear(*leader, bool) (e End) { return e }
func (*leader) terminate()                  {}
func (*leader) kill()                       {}
func (*leader) suspend(bool)                {}
func (*leader) wait()                       {}
func (*leader) exited() bool                { return true }

func (*reaper) launch(string, Command, []string, [3]*os.File) (*leader, error) {
	return nil, errors.ErrUnsupported
}
