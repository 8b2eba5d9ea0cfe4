package command

import "golang.org/x/sys/unix"

// exchange puts two files or folders in each other's place in one step, so that there
// is no moment without either.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
