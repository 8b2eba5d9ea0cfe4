//go:build !linux

package journal

import (
	"os"
	"syscall"
)

// errNotDirectory is the error of a path that goes through a file.
const errNotDirectory = syscall.ENOTDIR

func syncData(f *os.File) error { return f.Sync() }
