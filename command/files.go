package command

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"tribunal/internal/command/input"
)

// destination is where an output goes once links are followed: a file, or a
// descriptor that the program was started with.
type destination struct {
	path       string // absolute; "" for a descriptor
	descriptor int
}

// follow finds where a path leads. A file that is not there yet, and the end of a
// link that leads nowhere yet, are files to make.
func follow(name string) (destination, error) {
	path := name
	const mostLinks = 40 // how many links are followed, as many as Linux follows
	for range mostLinks {
		if n, ok := descriptorOf(path); ok {
			return given(n)
		}
		real, err := inRealFolder(path)
		if err != nil {
			return destination{}, err
		}
		if n, ok := descriptorOf(real); ok {
			return given(n)
		}
		if ofAnotherProcess(real) {
			return destination{}, errors.New("it is a descriptor of another process: name a file")
		}
		target, err := os.Readlink(real)
		switch {
		case err != nil: // no link, or nothing
			return destination{path: real}, nil
		case !filepath.IsAbs(target):
			target = filepath.Dir(real) + string(filepath.Separator) + target
		}
		path = target
	}
	return destination{}, errors.New("it is a link that leads back to itself: name a file")
}

// inRealFolder is a path from the root with the links of its folders followed, as
// far as they exist. Its last part stays.
func inRealFolder(path string) (string, error) {
	dir, base := filepath.Split(path)
	if base == "." || base == ".." || base == "" { // a folder, which writing refuses
		return filepath.Abs(path)
	}
	missing := base
	for dir = cmp.Or(dir, "."); ; dir = filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Abs(filepath.Join(real, missing))
		}
		dir = filepath.Clean(dir)
		if filepath.Dir(dir) == dir || !errors.Is(err, fs.ErrNotExist) {
			return filepath.Abs(path) // writing says what is wrong
		}
		missing = filepath.Join(filepath.Base(dir), missing)
	}
}

// descriptorOf reads a path that names a descriptor of this process. Linux opens the
// file of such a path again, at its first byte.
func descriptorOf(path string) (n int, ok bool) {
	if runtime.GOOS == "windows" {
		return 0, false
	}
	path = filepath.Clean(path)
	for n, name := range []string{"/dev/stdin", "/dev/stdout", "/dev/stderr"} {
		if path == name {
			return n, true
		}
	}
	dir, base := filepath.Split(path)
	n, err := strconv.Atoi(base)
	return n, err == nil && n >= 0 && (dir == "/dev/fd/" || ofProcess(dir, "self") || ofProcess(dir, "thread-self") ||
		ofProcess(dir, strconv.Itoa(os.Getpid())))
}

func ofProcess(dir, process string) bool {
	rest, ok := strings.CutPrefix(dir, "/proc/"+process+"/")
	if task, is := strings.CutPrefix(rest, "task/"); is {
		_, rest, _ = strings.Cut(task, "/")
	}
	return ok && rest == "fd/"
}

// ofAnotherProcess reports whether a path is a descriptor of another process, whose
// file is that one's to write.
func ofAnotherProcess(path string) bool {
	process, _, _ := strings.Cut(strings.TrimPrefix(path, "/proc/"), "/")
	return strings.HasPrefix(path, "/proc/") && ofProcess(filepath.Dir(path)+"/", process)
}

// given is a descriptor that the program was started with. The others are its own
// files, and none to write a report to.
func given(n int) (destination, error) {
	if !inherited(n) {
		return destination{}, fmt.Errorf("descriptor %d is not open: redirect it, as in %d> FILE", n, n)
	}
	return destination{descriptor: n}, nil
}

// standard is a path, or the name of standard output when it leads there.
func standard(path string) (string, error) {
	if path == input.Standard || path == "" {
		return path, nil
	}
	to, err := follow(path)
	if err == nil && to.path == "" && to.descriptor == 1 {
		return input.Standard, nil
	}
	return path, err
}

// writeWhole makes a file appear whole or not at all, packed if its name says so:
// it is written beside its place under another name and moved there at the end. A
// link is followed to what it names; descriptors, devices and pipes are written to
// as they are.
func writeWhole(name string, write func(io.Writer) error) error {
	to, err := follow(name)
	if err != nil {
		return err
	}
	if to.path == "" {
		file, err := duplicate(to.descriptor)
		if err != nil {
			return err
		}
		return errors.Join(packed(name, file, write), file.Close())
	}
	info, err := os.Stat(to.path)
	if err == nil && !info.Mode().IsRegular() {
		file, err := os.OpenFile(to.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(packed(name, file, write), file.Close())
	}
	return replace(to.path, name, info, write)
}

// replace writes a file and moves it to its place. info is of what is there, nil
// for nothing.
func replace(path, name string, info os.FileInfo, write func(io.Writer) error) error {
	temp, err := createTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	settled := stop.meanwhile(func() { os.Remove(temp.Name()) }) // which a panic leaves to be done
	err = packed(name, temp, write)
	if info != nil {
		err = errors.Join(err, temp.Chmod(info.Mode().Perm()))
	}
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(temp.Name()))
	}
	settled()
	return err
}

// A file is written under a name of this form, which is short enough for every
// folder that takes the name of the file itself, or nearly any other.
const (
	tempPrefix = ".tribunal-"
	tempSuffix = ".tmp"
	// tempFolder ends the name of a folder that is written: that of its file, which is
	// locked, is the rest.
	tempFolder = ".dir"
)

// createTemp makes a new file in a folder, which it makes as well, with the permissions that
// the umask leaves. It is locked until it is closed: that tells it from one that a killed run
// left behind, whichever container that ran in. Those it removes.
func createTemp(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	removeStale(dir)
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

// packed compresses what it writes if the name ends in .gz or .zst, always to the same bytes.
func packed(path string, w io.Writer, write func(io.Writer) error) error {
	var packer io.WriteCloser
	switch filepath.Ext(path) {
	case ".gz":
		packer = gzip.NewWriter(w)
	case ".zst":
		var err error
		if packer, err = zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)); err != nil {
			return err
		}
	default:
		return write(w)
	}
	return errors.Join(write(packer), packer.Close())
}
