// Package utf tells whether texts are UTF-8.
//
// It exists because that is asked of every text several times, by the reader, before it is
// kept and before it is published, and package unicode/utf8 looks at it character by
// character where it is not ASCII.
package utf

import "unsafe"

// ValidString is Valid for a string.
func ValidString(s string) bool { return Valid(unsafe.Slice(unsafe.StringData(s), len(s))) }
