//go:build !amd64

package utf

import "unicode/utf8"

// Valid is utf8.Valid.
func Valid(text []byte) bool { return utf8.Valid(text) }
