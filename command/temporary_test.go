//go:build unix && !aix && !solaris

package command

import (
	"os"
	"testing"
)

// TestLockedFilesAreNotStale: what another run is writing stays, and what nobody writes goes.
func TestLockedFilesAreNotStale(t *testing.T) {
	dir := t.TempDir()
	mine, err := createTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	removeStale(dir)
	if !isStillAt(mine, mine.Name()) {
		t.Error("a file that is being written was removed")
	}
	mine.Close()
	removeStale(dir)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v are left", entries, err)
	}
}
