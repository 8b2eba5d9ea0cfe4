// Package heap asks for memory the way this program uses it: much of it, filled
// once and kept to the end.
//
// It exists because the defaults are made for servers. A process that counts and
// leaves throws away little, so that looking for what was thrown away is mostly
// lost time; it fills large slices that the kernel hands out page by page; and it
// keeps names by the hundred thousand, each of which is a piece of memory of its
// own.
//
// It leaves out what the memory is for, and decides nothing that a user has
// decided by GOGC: [Slice] holds the collector back for the milliseconds in which
// a very large slice gets its pages, and leaves it as it was.
package heap
