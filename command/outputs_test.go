package command

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"tribunal/envelope"
	"tribunal/render"
)

// TestExisting: the report that is written is told how much is in the file of
// its second part, before that one is added.
func TestExisting(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	if err := os.WriteFile(full, make([]byte, 12), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int64{full: 12, filepath.Join(dir, "new"): 0, "": -1} {
		told := int64(7)
		format := render.Format{
			Write: func(_ io.Writer, _ *envelope.Envelope, s render.Settings) error {
				told = s.Existing
				return nil
			},
			Append: &render.Append[*envelope.Envelope]{Env: "SUMMARY"},
		}
		o := output[*envelope.Envelope]{path: stdinName, format: format}
		if err := o.write(Env{Stdout: io.Discard, Getenv: func(string) string { return path }}, nil); err != nil || told != want {
			t.Errorf("%q: told %d (%v), want %d", filepath.Base(path), told, err, want)
		}
	}
}
