package command

import (
	"os"
	"syscall"
)

// widen makes room for a megabyte in the pipe that a file is, if it is one: the
// usual 64 KiB make producer and reader wait for each other all the time. A pipe
// that cannot be widened works as well, only slower.
func widen(f *os.File) {
	const setPipeSize, size = 1031, 1 << 20 // F_SETPIPE_SZ of fcntl(2)
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, size) })
	}
}
