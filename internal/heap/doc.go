// Package heap allocates memory the way this program uses it: much of it, filled
// once and kept to the end.
//
// It exists because the defaults of the runtime are made for servers. A process
// that counts and exits produces little garbage: [Own] has it take a sixth less memory
// for 600,000 short trials. And it keeps names by the hundred thousand, each of
// which would be an allocation of its own.
//
// It leaves out what the memory is for. It sets nothing of a process that main did
// not call its own by [Own], so that whoever imports Tribunal as a library keeps
// the garbage collector that they have. It decides nothing that a user has decided
// by GOGC.
package heap
