package input

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tooDeep makes a folder below dir that cannot be looked into, whoever asks: its
// path is longer than Linux takes, which the way there step by step is not.
func tooDeep(t *testing.T, dir string) {
	t.Helper()
	const pathMax, nameMax = 4096, 200
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	name := strings.Repeat("d", nameMax)
	for path := name; len(dir)+len(path) < pathMax+nameMax; path = filepath.Join(path, name) {
		if err := root.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnreadableFolder: one folder that cannot be looked into is told, and the
// files beside it count.
func TestUnreadableFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.ndjson"), []byte(`{"test":"a","status":"pass"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tooDeep(t, dir)
	files := within(dir, "")
	if len(files) != 2 || filepath.Base(files[0].Name) != "a.ndjson" || files[0].unread != nil {
		t.Fatalf("%d files, the first %+v", len(files), files[0])
	}
	if _, err := files[1].Open(); err == nil || !strings.Contains(err.Error(), "cannot look into this folder: file name too long") || strings.Contains(err.Error(), dir) {
		t.Errorf("error %v", err)
	}
}
