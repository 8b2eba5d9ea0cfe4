// Package memory asks for memory the way this program uses it: much of it, filled
// once and kept to the end.
//
// It exists because the defaults are made for servers. A process that counts and
// leaves throws away little, so that looking for what was thrown away is mostly
// lost time; and it fills large slices on several cores while the collector reads
// them, which makes the kernel hand out each page twice.
//
// It leaves out what the memory is for, and decides nothing that a user has
// decided by GOGC.
package memory
