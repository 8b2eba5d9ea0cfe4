package journal

import "os"

// syncDirectory brings to the disk that a file is in a directory. Not every system
// can do that; there the file is found all the same, or the run died with it.
func syncDirectory(path string) {
	d, err := os.Open(path)
	if err != nil {
		return
	}
	defer d.Close()
	_ = d.Sync()
}
