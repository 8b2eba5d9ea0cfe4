package input

import (
	"path/filepath"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/read"
)

// Names are what inputs are called in reports, by the path that leads to each. A
// path from the root of the machine tells a reader nothing and is another one on
// every machine.
type Names struct {
	roots []string
	known map[string]string
}

// NamesOf names inputs. Below one of the roots (see [read.Roots]) an input is
// named from there on, else by the shortest end of its path that no other input
// has. A relative path is a name already.
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
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Name
	}
	slices.SortFunc(paths, func(a, b string) int {
		if filepath.IsAbs(a) != filepath.IsAbs(b) {
			return map[bool]int{false: -1, true: 1}[filepath.IsAbs(a)]
		}
		return envelope.CompareNames(a, b)
	})
	return slices.Compact(paths)
}

// shorten names each path by its shortest end that is the end of no other, and no
// name of another.
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

// ends are the ends of a path, from its last part on.
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
