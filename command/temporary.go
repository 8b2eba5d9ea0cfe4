package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A file is written under a name of this form, which is short enough for every
// folder that takes the name of the file itself, or nearly any other.
const (
	tempPrefix = ".tribunal-"
	tempSuffix = ".tmp"
	// tempFolder ends the name of a folder that is written: that of its file, which is
	// locked, is the rest.
	tempFolder = ".dir"
)

// createTemp makes a new file in a folder, with the permissions that the umask
// leaves, as any new file has. It is locked until it is closed: that tells it from
// one that a killed run left behind, whichever container that ran in.
func createTemp(dir string) (*os.File, error) {
	for n := 0; ; n++ {
		name := filepath.Join(dir, fmt.Sprintf("%s%d-%d%s", tempPrefix, os.Getpid(), n, tempSuffix))
		file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		switch {
		case n > 100 || err != nil && !errors.Is(err, fs.ErrExist):
			return file, err
		case err != nil:
			continue
		}
		if held, _ := lock(file); !held && isStillAt(file, name) {
			return file, nil
		}
		file.Close() // another run takes it for stale, as it was not locked yet
	}
}

// isStillAt reports whether a file is under its name.
func isStillAt(file *os.File, name string) bool {
	mine, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(mine, there)
}

// removeStale removes what killed runs left in a folder. What cannot be removed
// harms nobody and stays.
func removeStale(dir string) {
	folder, err := os.Open(dir)
	if err != nil {
		return
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	var folders []string
	for _, name := range names {
		switch {
		case !strings.HasPrefix(name, tempPrefix):
		case strings.HasSuffix(name, tempSuffix):
			removeUnlocked(filepath.Join(dir, name))
		case strings.HasSuffix(name, tempSuffix+tempFolder):
			folders = append(folders, filepath.Join(dir, name))
		}
	}
	for _, name := range folders {
		if _, err := os.Lstat(strings.TrimSuffix(name, tempFolder)); errors.Is(err, fs.ErrNotExist) {
			os.RemoveAll(name)
		}
	}
}

func removeUnlocked(name string) {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	file, err := os.Open(name)
	if err != nil {
		return
	}
	defer file.Close()
	if _, err := lock(file); err == nil && isStillAt(file, name) {
		os.Remove(name)
	}
}
