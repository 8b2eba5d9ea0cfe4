package command

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestWidenHarmsNothing: what comes through is the same, of pipes and of files
// that are none.
func TestWidenHarmsNothing(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "before, "); err != nil {
		t.Fatal(err)
	}
	widen(r)
	if _, err := io.WriteString(w, "after"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("before, after"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	widen(file)
	for _, in := range []*os.File{r, file} {
		if text, err := io.ReadAll(in); err != nil || string(text) != "before, after" {
			t.Errorf("%q, %v", text, err)
		}
	}
}
