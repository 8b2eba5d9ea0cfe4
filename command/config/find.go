package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// repositories are the entries that the root of a repository has.
var repositories = []string{".git", ".hg", ".jj"}

// Find looks for a configuration in a folder and, within a repository, in those above
// it up to the repository's root; the nearest is found, or "". Outside of a repository
// nobody knows where a project ends, so that no folder above is looked at: a file left
// in a temporary or home folder would judge everything below it.
func Find(folder string) (string, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("looking for the configuration: %w", err)
	}
	path := folder
	for root := rootOf(absolute); ; path, absolute = filepath.Join(path, ".."), filepath.Dir(absolute) {
		found, err := In(path)
		if found != "" || err != nil || root == "" || absolute == root {
			return found, err
		}
	}
}

// In is the configuration in a folder, "" where there is none.
func In(folder string) (string, error) {
	var found []string
	for _, name := range Names {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			found = append(found, path)
		}
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s are both configurations: keep one, or name it by --config", strings.Join(found, " and "))
}

// rootOf is the root of the repository that a folder is in, "" where there is none.
func rootOf(folder string) string {
	for {
		for _, name := range repositories {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				return folder
			}
		}
		above := filepath.Dir(folder)
		if above == folder {
			return ""
		}
		folder = above
	}
}

// shown is a configuration as reports name it: from the root of its repository, so
// that no path of a machine stands in them, else as it was given.
func shown(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	root := rootOf(filepath.Dir(absolute))
	if from, err := filepath.Rel(root, absolute); root != "" && err == nil && filepath.IsLocal(from) {
		return filepath.ToSlash(from)
	}
	if filepath.IsAbs(path) {
		return filepath.Base(path)
	}
	return filepath.ToSlash(path)
}
