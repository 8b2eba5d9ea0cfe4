// Package parting finds where the trials of one test part: up to which step all
// do the same, what each does next, and which of these ways end in a pass.
//
// It exists because an agent's trials are conversations, which nobody can read
// side by side by the dozen; where they first go different ways, and how the ways
// end, is what a reviewer looks for. It compares tool calls, never wording: users
// and models do not say a thing twice alike.
//
// Everything here is exploratory and says so: the place was found by looking, and
// only its adjusted p-value pays for that. Numbers over several tests are always
// taken within tests, because tests differ more than behaviours do. It leaves out
// what a conversation is, and how any of this is shown.
package parting
