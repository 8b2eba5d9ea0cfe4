//go:build unix && !aix && !solaris

package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a file until it is closed. Somebody else may hold it, or the file
// system may have no locks.
func lock(file *os.File) (held bool, err error) {
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	return err == unix.EWOULDBLOCK, err
}
