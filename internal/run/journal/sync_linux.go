package journal

import (
	"errors"
	"os"
	"syscall"
)

// errNotDirectory is the error of a path that goes through a file.
const errNotDirectory = syscall.ENOTDIR

// syncData brings the data of a file to the disk, and of what describes it only
// what reading it takes.
func syncData(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
