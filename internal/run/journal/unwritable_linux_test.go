package journal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tribunal/internal/run/journal"
)

// TestUnwritable: where nobody may write, root neither, it is said what to do about it,
// and once.
func TestUnwritable(t *testing.T) {
	_, err := journal.Create("/sys/run", header("a"))
	if err == nil || !strings.HasPrefix(err.Error(), "cannot begin the journal /sys/run: ") || !strings.HasSuffix(err.Error(), ": name a folder that you may write in, with --journal") {
		t.Errorf("%v", err)
	}
	dir := t.TempDir()
	if err := os.Symlink("/proc/sys/kernel/ostype", filepath.Join(dir, journal.FileName)); err != nil {
		t.Fatal(err)
	}
	_, err = journal.Open(dir)
	if want := "permission denied: make the folder and its files writable; to see what is in it: tribunal report " + filepath.Join(dir, journal.FileName); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestANameThatCannotBeWritten leaves nothing behind.
func TestANameThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	_, err := journal.Create(dir, header("a", "b\xff"))
	if err == nil || !strings.Contains(err.Error(), `the name "b\xff" is not UTF-8`) || strings.Contains(err.Error(), "--resume") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
}
