package contract_test

import (
	"testing"

	"tribunal/read"
	"tribunal/run/preset"
)

// TestPresetsReadKnownFormats: what a start of a preset writes is read as a format
// that there is.
func TestPresetsReadKnownFormats(t *testing.T) {
	for _, name := range preset.Names() {
		p, err := preset.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := read.ByName(p.From); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
