//go:build !amd64

package jsonstrings

import "unicode/utf8"

// ValidUTF8 is utf8.Valid.
func ValidUTF8(text []byte) bool { return utf8.Valid(text) }
