// Package packing has the endings of packed files, for those who tell a file by the name
// that it has unpacked.
//
// It packs and unpacks nothing: package read tells packed inputs by their first bytes.
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
