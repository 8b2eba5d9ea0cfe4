package input

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/run/journal"
)

// within is the files of a directory and those below it, in order; hidden ones
// are left out, but for folders in which a runner keeps its results, and so is what npm
// installed. Anything else is itself.
func within(name, fence string) []File {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []File{{Name: name}}
	}
	t := tree{root: name, seen: map[string]bool{}}
	if fence != "" {
		t.fence, _ = whereIs(fence) // which is there, as it is where this runs
	}
	err := t.look()
	if ofRuns(t.real) {
		t.files = slices.DeleteFunc(t.files, func(f File) bool { return f.unread == nil && filepath.Base(f.Name) != journal.FileName })
	}
	if err != nil || len(t.files) == 0 {
		return []File{{Name: name}} // opening it says what is wrong
	}
	slices.SortFunc(t.files, func(a, b File) int { return envelope.CompareNames(a.Name, b.Name) })
	return t.files
}

// installed is the folder in which npm keeps the packages of others. Some of them have
// reports of their own tests, and Playwright an empty page for those that it makes.
const installed = "node_modules"

// tree is what is found in a directory. Links are followed once everything that
// needs none has been found: what they lead to counts once, whichever lead there.
// A folder that cannot be listed stands among the files, so that reading
// says what is missing and the others count.
type tree struct {
	root, real string // the directory as it was named, and where it is
	fence      string // no link leads out of it; "" is none
	files      []File
	links      []string
	seen       map[string]bool // where the files and folders are that were found
}

// look finds what is in the directory, and where the links in it lead.
func (t *tree) look() (err error) {
	if t.real, err = whereIs(t.root); err != nil {
		return err
	}
	t.enter(t.root, t.real)
	for len(t.links) > 0 {
		link := t.links[0]
		t.links = t.links[1:]
		t.follow(link)
	}
	return nil
}

// whereIs is where a file or folder is: the same for all ways that lead there.
func whereIs(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

func (t *tree) follow(link string) {
	info, err := os.Stat(link)
	if err != nil {
		t.files = append(t.files, File{Name: link, Found: true}) // reading it says that it leads nowhere
		return
	}
	real, err := whereIs(link)
	switch {
	case err != nil:
		t.miss(link, err)
	case t.fence != "" && !liesIn(real, t.fence):
		t.files = append(t.files, File{Name: link, Found: true, outside: true,
			unread: errors.New("a link leads out of the folder: it is not read")})
	case info.IsDir() && !liesIn(t.real, real):
		t.enter(link, real)
	case info.Mode().IsRegular():
		t.add(link, real)
	}
}

// miss notes what cannot be looked into.
func (t *tree) miss(path string, err error) {
	var reason *os.PathError
	if errors.As(err, &reason) {
		err = reason.Err // whoever reports it says the name first
	}
	t.files = append(t.files, File{Name: path, Found: true,
		unread: fmt.Errorf("cannot look into this folder: %w; what is in it is not counted; make it readable and run again", err)})
}

// liesIn reports whether a directory is, or lies in, a folder: a link from there
// to the folder is a way back, and not one to further files.
func liesIn(dir, folder string) bool {
	rest, err := filepath.Rel(folder, dir)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}

// enter finds what is in a directory and below it, and puts links aside.
func (t *tree) enter(dir, real string) {
	if t.seen[real] {
		return
	}
	t.seen[real] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.miss(dir, err) // and what could be listed counts
	}
	for _, entry := range entries {
		path, real := filepath.Join(dir, entry.Name()), filepath.Join(real, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), ".") && !(entry.IsDir() && hides(entry.Name())):
		case entry.Name() == installed:
		case entry.Type()&os.ModeSymlink != 0:
			t.links = append(t.links, path)
		case entry.IsDir():
			t.enter(path, real)
		case entry.Type().IsRegular():
			t.add(path, real)
		}
	}
}

func (t *tree) add(file, real string) {
	if !t.seen[real] {
		t.seen[real] = true
		t.files = append(t.files, File{Name: file, Found: true})
	}
}

// ofRuns reports the folder of all runs, or one below it, in which only journals are read.
func ofRuns(path string) bool {
	return slices.Contains(strings.Split(path, string(filepath.Separator)), filepath.Dir(journal.Runs))
}

// withoutKept leaves out what a run keeps beside its journal: the outputs in it tell the
// trials of the journal again. What somebody named is said to be passed over.
func withoutKept(files []File) (kept []File) {
	runs := map[string]bool{}
	for _, f := range files {
		if dir, name := filepath.Split(f.absolute()); name == journal.FileName && journal.IsRun(dir) {
			runs[filepath.Clean(dir)] = true
		}
	}
	for _, f := range files {
		switch path := f.absolute(); {
		case f.Name == Standard || !isBelow(runs, path):
		case filepath.Base(path) == journal.FileName && !isBelow(runs, filepath.Dir(path)):
		case f.Found:
			continue
		default:
			f.beside = true
		}
		kept = append(kept, f)
	}
	return kept
}

func (f File) absolute() string {
	path, err := filepath.Abs(f.Name)
	if err != nil { // there is no working directory
		return f.Name
	}
	return path
}
