package input

import (
	"io"
	"path/filepath"

	"tribunal/read"
)

// Below opens the files that trials of an input name by their paths: below the
// folder of the input, or for standard input below one of the roots. It is nil where
// there is no such folder.
func Below(in File, roots []string) func(path string) (io.ReadCloser, error) {
	if in.Name == Standard {
		return read.Below(roots...)
	}
	return read.Below(filepath.Dir(in.Name))
}
