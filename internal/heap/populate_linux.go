package heap

import "golang.org/x/sys/unix"

// populate asks for the pages of memory that begins at one, and reports whether it
// was given them. Kernels before 5.14 do not.
func populate(bytes []byte) bool { return unix.Madvise(bytes, unix.MADV_POPULATE_WRITE) == nil }
