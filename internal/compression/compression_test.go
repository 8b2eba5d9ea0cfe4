package compression

import "testing"

func TestTrimExtension(t *testing.T) {
	for name, want := range map[string]string{
		"a.xml": "a.xml", "a.xml.gz": "a.xml", "a.xml.zst": "a.xml", "a.gz.xml": "a.gz.xml", "gz": "gz", "a.GZ": "a.GZ", "": "",
	} {
		if got := TrimExtension(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
