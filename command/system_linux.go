package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchange puts two files or folders in each other's place in one step, so that there
// is no moment without either.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// widen makes room for a megabyte in the pipe that a file is, if it is one: with the
// usual 64 KiB, producer and reader wait for each other. A pipe that cannot be widened
// works as well, only slower.
func widen(f *os.File) {
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}
