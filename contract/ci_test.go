package contract_test

import (
	"os"
	"path/filepath"
	"testing"

	"tribunal/command/ci"
)

// TestDocumentsOfCI: the action and the component of this repository are made of the
// parts of the jobs. With -update they are written.
func TestDocumentsOfCI(t *testing.T) {
	made, err := ci.Files()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range made {
		path = filepath.Join("..", path)
		got, err := os.ReadFile(path)
		switch {
		case err == nil && string(got) == want:
		case !*update:
			t.Errorf("%s is not what package ci makes: write it with go test ./contract -run Documents -update", path)
		default:
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
