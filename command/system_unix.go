//go:build unix

package command

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"tribunal/internal/run/driver"
)

// inherited reports whether a descriptor was open when the program started: all
// that the program opens itself are closed on exec.
func inherited(n int) bool {
	flags, err := unix.FcntlInt(uintptr(n), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC == 0
}

// duplicate is the same stream under a descriptor that can be closed.
func duplicate(n int) (*os.File, error) {
	copied, err := unix.FcntlInt(uintptr(n), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("descriptor %d: %w", n, err)
	}
	return os.NewFile(uintptr(copied), fmt.Sprintf("descriptor %d", n)), nil
}

// lock locks a file until it is closed. Another process may hold it, or the file
// system may have no locks.
func lock(file *os.File) (held bool, err error) {
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	return err == unix.EWOULDBLOCK, err
}

// followSuspend suspends the trials of a run together with this program, until leave.
func followSuspend(run chan<- driver.Signal) (leave func()) {
	if signal.Ignored(syscall.SIGTSTP) {
		return func() {}
	}
	asked, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(asked, syscall.SIGTSTP)
	go func() {
		for {
			select {
			case <-asked:
				run <- driver.Suspend
			case <-over:
				return
			}
		}
	}()
	return func() {
		signal.Stop(asked)
		close(over)
	}
}
