package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// within is the files of a directory and those below it, in order; hidden ones
// are left out. Anything else is itself.
func within(name string) []inputFile {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []inputFile{{name: name}}
	}
	t := tree{root: name, seen: map[string]bool{}}
	if err := t.look(); err != nil || len(t.files) == 0 {
		return []inputFile{{name: name}} // opening it says what is wrong
	}
	slices.Sort(t.files)
	var files []inputFile
	for _, path := range t.files {
		files = append(files, inputFile{name: path, found: true})
	}
	return files
}

// tree is what is found in a directory. Links are followed once everything that
// needs none has been found: what they lead to counts once, whichever lead there.
type tree struct {
	root         string
	files, links []string
	seen         map[string]bool // files and folders, without the links on the way to them
}

// look finds what is in the directory, and where the links in it lead.
func (t *tree) look() error {
	if err := t.enter(t.root); err != nil {
		return err
	}
	for len(t.links) > 0 {
		link := t.links[0]
		t.links = t.links[1:]
		if err := t.follow(link); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) follow(link string) error {
	info, err := os.Stat(link)
	switch {
	case err != nil:
		t.files = append(t.files, link) // reading it says that it leads nowhere
	case info.IsDir() && !t.isBelow(info):
		return t.enter(link)
	case info.Mode().IsRegular():
		return t.add(link)
	}
	return nil
}

// enter finds what is in a directory and below it, and puts links aside.
func (t *tree) enter(dir string) error {
	if news, err := t.isNew(dir); err != nil || !news {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case entry.Type()&os.ModeSymlink != 0:
			t.links = append(t.links, path)
		case entry.IsDir():
			err = t.enter(path)
		case entry.Type().IsRegular():
			err = t.add(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isBelow reports whether the directory is, or lies in, a folder: a link to it is
// a way back, and not one to further files.
func (t *tree) isBelow(folder os.FileInfo) bool {
	dir, err := filepath.EvalSymlinks(t.root)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	for above := ""; err == nil && dir != above; above, dir = dir, filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, folder) {
			return true
		}
	}
	return false
}

func (t *tree) add(file string) error {
	news, err := t.isNew(file)
	if news {
		t.files = append(t.files, file)
	}
	return err
}

// isNew reports whether a file or folder was not come upon before.
func (t *tree) isNew(path string) (bool, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || t.seen[real] {
		return false, err
	}
	t.seen[real] = true
	return true, nil
}
