package input

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/compression"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/read"
)

// Names are what inputs are called in reports, by the path that leads to each. A path from the root of the machine
// tells a reader nothing and is another one on every machine.
type Names struct {
	roots []string
	known map[string]string
}

// NamesOf names inputs. Below one of the roots (see [read.Roots]) an input is named from there on, else by the
// shortest end of its path that no other input has. A relative path is a name already.
func NamesOf(files []File, roots []string) Names {
	n := Names{roots: roots, known: map[string]string{}}
	owners := map[string]string{} // of each name, where the file is
	var far []string
	for _, path := range distinct(files) {
		name := read.Within(path, roots)
		if filepath.IsAbs(name) || filepath.IsAbs(path) && owners[name] != "" && owners[name] != path {
			far = append(far, path)
			continue
		}
		n.known[path] = name
		if owners[name], _ = filepath.Abs(path); owners[name] == "" { // there is no working directory
			owners[name] = path
		}
	}
	n.shorten(far, owners)
	return n
}

// distinct are the paths of files, relative ones first, each kind in order.
func distinct(files []File) []string {
	paths := each.Of(files, func(f File) string { return f.Name })
	slices.SortFunc(paths, func(a, b string) int {
		if filepath.IsAbs(a) != filepath.IsAbs(b) {
			return map[bool]int{false: -1, true: 1}[filepath.IsAbs(a)]
		}
		return envelope.CompareNames(a, b)
	})
	return slices.Compact(paths)
}

// shorten names each path by its shortest end that is the end of no other, and no name of another.
func (n Names) shorten(paths []string, owners map[string]string) {
	uses := map[string]int{}
	for _, path := range paths {
		for end := range ends(path) {
			uses[end]++
		}
	}
	for _, path := range paths {
		n.known[path] = path
		for end := range ends(path) {
			if uses[end] == 1 && owners[end] == "" {
				n.known[path] = end
				break
			}
		}
	}
}

func ends(path string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		path = filepath.ToSlash(path)
		for at := len(path); at > 0; {
			at = strings.LastIndexByte(path[:at], '/')
			if at < 0 || !yield(path[at+1:]) {
				return
			}
		}
	}
}

// Of is the name of the input that a path leads to.
func (n Names) Of(path string) string {
	if name, ok := n.known[path]; ok {
		return name
	}
	return read.Within(path, n.roots) // of the run of which only parts are read
}

// Folders is what has been read, by folder: for each file, by its path without the
// ending of its packing, whether there was a trial in it.
type Folders map[string]map[string]bool

// Add notes that an input was read, and whether there was a trial in it.
func (f Folders) Add(name string, counted bool) {
	dir := filepath.Dir(name)
	if f[dir] == nil {
		f[dir] = map[string]bool{}
	}
	f[dir][compression.TrimExtension(name)] = counted
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

func (n neighbours) path(path string) string { return filepath.Join(n.dir, filepath.FromSlash(path)) }

// Name implements read.Neighbours.
func (n neighbours) Name(path string) string { return n.names.Of(n.file(path)) }

func (n neighbours) file(path string) string {
	name := n.path(path)
	for _, ending := range append([]string{""}, compression.Extensions...) {
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
	return slices.Contains(slices.Collect(maps.Values(n.counted[n.path(folder)])), true)
}

// Parts implements read.Neighbours.
func (n neighbours) Parts(folder string) bool { return n.found || len(n.counted[n.path(folder)]) > 0 }

// PartsFirst puts an input whose single trials may have files behind those files, so that it is known which of them
// could be read. Names tell them: an input that is none is only read later.
func PartsFirst(files []File) []File {
	names := words.Present(each.Of(read.Formats, func(f read.Format) string { return f.Parts })...)
	wholes := map[string]bool{} // folders of inputs whose parts are among the files
	for _, f := range files {
		if dir := filepath.Dir(f.Name); slices.Contains(names, filepath.Base(dir)) {
			wholes[filepath.Dir(dir)] = true
		}
	}
	last := func(f File) bool { return f.Name != Standard && wholes[filepath.Dir(f.Name)] }
	return append(slices.DeleteFunc(slices.Clone(files), last), each.Where(files, last)...)
}

// Below opens the files that trials of an input name by their paths: below the folder of the input, or for standard
// input below one of the roots. It is nil where there is no such folder.
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
	named := each.Where(inputs, func(in File) bool { return in.Name != Standard })
	folders := append(each.Of(named, func(in File) string { return filepath.Dir(in.Name) }), roots...)
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
				return nil, errors.Join(errors.New("several inputs have this path; give only one of them"), found.Close(), file.Close())
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
