// Package packing has the endings of packed files, for whatever knows a file by its name
// that it has unpacked.
//
// It packs and unpacks nothing: package read recognises packed inputs by their first bytes.
package packing

import "strings"

// Endings end the names of packed files.
var Endings = []string{".gz", ".zst"}

// Cut is a name without the endings of packings.
func Cut(name string) string {
	for _, ending := range Endings {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}
