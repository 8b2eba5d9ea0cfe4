//go:build !amd64

package marks

// markAll marks the text, whose length is 64 for each mark.
func markAll(text []byte, marks []uint64) { markPortably(text, marks) }
