// Package jsonstrings finds where the strings of JSON text end, 64 bytes at a time.
//
// It exists because nearly all bytes of a stream of trials stand in strings that
// nobody will look at. What takes time is not to see them but to guess wrongly,
// escape by escape, where the next byte of meaning is. Here a whole block is
// looked at once, without a guess: which bytes are quotes, which of those are
// escaped, and whether everything behind a backslash is an escape. From then on
// the end of a string is the next bit of a set.
//
// Whether a string is UTF-8 is asked apart, by those who want its content. It
// leaves out what stands between strings: what is asked must begin behind the
// quote that opens one.
//
// The method is that of simdjson (Langdale and Lemire, Parsing Gigabytes of JSON
// per Second, The VLDB Journal 28, 2019), whose way to tell escaped characters
// by arithmetic is used as it is in its later versions.
package jsonstrings
