package input

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

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

// Above opens the files that trials of an input name by their paths from the folder
// above its own, where that is one that a runner hides in the folder of its run:
// below the folder of the run and nowhere else. It is nil for all other inputs.
func Above(in File) func(path string) (io.ReadCloser, error) {
	name, err := filepath.Abs(in.Name)
	if in.Name == Standard || err != nil || !hides(filepath.Base(filepath.Dir(name))) {
		return nil
	}
	return read.Below(filepath.Dir(filepath.Dir(name)))
}

// hides reports a folder with a dot in which a runner keeps its results.
func hides(folder string) bool {
	return slices.ContainsFunc(read.Formats, func(f read.Format) bool { return f.Hidden != "" && f.Hidden == folder })
}

// BelowAny opens the files that trials of some input name by their paths, below the
// folder of any of the inputs or one of the roots. Which input a trial is of is not
// known any more: a path at which several folders have a file opens none.
func BelowAny(inputs []File, roots []string) func(path string) (io.ReadCloser, error) {
	var folders []string
	for _, in := range inputs {
		if in.Name != Standard {
			folders = append(folders, filepath.Dir(in.Name))
		}
	}
	folders = append(folders, roots...)
	slices.Sort(folders)
	folders = slices.Compact(folders)
	return func(path string) (found io.ReadCloser, err error) {
		var missing error = fs.ErrNotExist
		for _, folder := range folders {
			file, err := read.Below(folder)(path)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				missing = err
			case found != nil:
				return nil, errors.Join(errSeveral, found.Close(), file.Close())
			default:
				found = file
			}
		}
		if found != nil {
			return found, nil
		}
		return nil, missing
	}
}

var errSeveral = errors.New("several inputs have a file of this path")
