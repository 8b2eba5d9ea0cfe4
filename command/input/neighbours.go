package input

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"tribunal/internal/packing"
	"tribunal/read"
)

// Folders is what has been read, by folder: for each file, by its path without the
// ending of its packing, whether there was a trial in it.
type Folders map[string]map[string]bool

// Add notes that an input was read, and whether there was a trial in it.
func (f Folders) Add(name string, counted bool) {
	dir := filepath.Dir(name)
	if f[dir] == nil {
		f[dir] = map[string]bool{}
	}
	f[dir][packing.Cut(name)] = counted
}

// Around are the neighbours of an input; standard input has none.
func (f Folders) Around(in File, names Names) read.Neighbours {
	if in.Name == Standard {
		return nil
	}
	return neighbours{dir: filepath.Dir(in.Name), found: in.Found, counted: f, names: names}
}

// neighbours are the files around an input, see read.Neighbours.
type neighbours struct {
	dir     string // that of the input
	found   bool   // by looking through a directory, so that its parts were looked for, too
	counted Folders
	names   Names
}

func (n neighbours) path(path string) string {
	return filepath.Join(n.dir, filepath.FromSlash(path))
}

// Name implements read.Neighbours.
func (n neighbours) Name(path string) string { return n.names.Of(n.file(path)) }

// file is the file as it is there, packed or not.
func (n neighbours) file(path string) string {
	name := n.path(path)
	for _, ending := range append([]string{""}, packing.Endings...) {
		if info, err := os.Stat(name + ending); err == nil && info.Mode().IsRegular() {
			return name + ending
		}
	}
	return name
}

// Open implements read.Neighbours.
func (n neighbours) Open(path string) (io.ReadCloser, error) {
	file, err := Open(n.file(path))
	if err != nil {
		return nil, err
	}
	return read.UnpackFile(file)
}

// Counted implements read.Neighbours.
func (n neighbours) Counted(path string) bool {
	name := n.path(path)
	return n.counted[filepath.Dir(name)][name]
}

// CountedIn implements read.Neighbours.
func (n neighbours) CountedIn(folder string) bool {
	for _, counted := range n.counted[n.path(folder)] {
		if counted {
			return true
		}
	}
	return false
}

// Parts implements read.Neighbours.
func (n neighbours) Parts(folder string) bool { return n.found || len(n.counted[n.path(folder)]) > 0 }

// PartsFirst puts an input whose single trials may have files behind those files,
// so that it is known which of them could be read. Names tell them: an input that
// is none is only read later.
func PartsFirst(files []File) []File {
	var names []string
	for _, f := range read.Formats {
		if f.Parts != "" {
			names = append(names, f.Parts)
		}
	}
	wholes := map[string]bool{} // folders of inputs whose parts are among the files
	for _, f := range files {
		if dir := filepath.Dir(f.Name); slices.Contains(names, filepath.Base(dir)) {
			wholes[filepath.Dir(dir)] = true
		}
	}
	var first, last []File
	for _, f := range files {
		if f.Name != Standard && wholes[filepath.Dir(f.Name)] {
			last = append(last, f)
		} else {
			first = append(first, f)
		}
	}
	return append(first, last...)
}
