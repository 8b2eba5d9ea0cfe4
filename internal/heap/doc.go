// Package heap allocates memory the way this program uses it: much of it, filled
// once and kept to the end.
//
// It exists because the defaults of the runtime are made for servers. A process
// that counts and exits produces little garbage, so that frequent garbage
// collection is mostly lost time; it fills large slices, whose pages the kernel
// allocates one by one on first touch; and it keeps names by the hundred thousand,
// each of which would be an allocation of its own.
//
// It leaves out what the memory is for. It sets nothing of a process that main did
// not call its own by [Own], so that whoever imports Tribunal as a library keeps
// the garbage collection that they have. It decides nothing that a user has decided
// by GOGC: [Slice] holds garbage collection back for the milliseconds in which a
// very large slice gets its pages, and leaves it as it was.
package heap
