// Package wire writes and reads an envelope as JSON: one document, or NDJSON with
// a line for each test.
//
// It exists so that the bytes of an envelope are made and understood in one place:
// reading what was written and writing it again gives the same bytes. Tests, which
// are nearly all of an envelope, are written and read by tables of their keys
// (fields.go), several stretches at a time; whatever is unusual is left to
// encoding/json, and fuzz tests hold the one against the other.
//
// It leaves out the columns of a test: rows are kept by package envelope alone, so
// their JSON stands there, with the methods MarshalJSON and UnmarshalJSON that the
// language wants beside the type. The door to it is Rows.AppendJSON and
// Rows.ConsumeJSON. What both are written with is envelope/internal/codec. Counting
// and judging again what was read belong to packages count and verdict.
package wire
