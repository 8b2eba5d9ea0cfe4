//go:build !unix

package journal_test

// fillDisk needs a limit of the system, see full_unix_test.go.
func fillDisk(string) error { panic("there is no limit for the size of a file here") }
