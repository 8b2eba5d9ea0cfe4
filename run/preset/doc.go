// Package preset is a table of runners whose commands tribunal run completes by
// itself: what to add so that the runner lists its tests, so that one start runs
// the tests that are due once and no more often, and so that it says how they
// ended in a format that package read reads.
//
// It exists so that `tribunal run -- go test ./...` needs no placeholder and no
// format. A preset adds arguments and takes none away but those that say which
// tests to run; it never makes a shell line. What would run tests more often than
// they are counted, or write the report elsewhere, is refused by the name of its
// flag. The names that a listing gives are those that the reader of the format
// gives the trials. A runner is a row of data (table.go) and, where its tests can
// be listed, a function that reads the list. It starts no process and reads no
// output of a start.
package preset
