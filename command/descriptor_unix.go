//go:build unix

package command

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
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
