// Package compression has the file extensions of compressed files. Package read recognises
// compressed inputs by their first bytes instead.
package compression

import "strings"

// Extensions are those of compressed files.
var Extensions = []string{".gz", ".zst"}

// TrimExtension is a name without the extensions of compressed files.
func TrimExtension(name string) string {
	for _, ending := range Extensions {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}
