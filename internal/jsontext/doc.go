// Package jsontext scans JSON text: where values begin and end, whether they are JSON,
// and what their strings say.
//
// It exists because nearly all bytes of a stream of trials stand in strings that nobody
// will look at. There are two ways to the end of a string. Plain looks at eight bytes at a
// time. A Text is marked as a whole before, 64 bytes at a time without a guess: which
// bytes are quotes, which of those are escaped, and whether everything behind a backslash
// is an escape. From then on the end of a string is the next bit of a set. The method is
// that of simdjson (Langdale and Lemire, Parsing Gigabytes of JSON per Second, The VLDB
// Journal 28, 2019).
//
// It accepts what encoding/json accepts, as far as it looks (see Valid), and strings say
// what they say there. It leaves out why a text is no JSON, where it stands in its input,
// and what it means.
package jsontext
