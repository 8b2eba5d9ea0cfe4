package redact

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestRunsAreRememberedForTheirPlace: what a run of base64 was clear of in one place says
// nothing of another, where more encodings may be taken off, or where it was cut.
func TestRunsAreRememberedForTheirPlace(t *testing.T) {
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	twice := encode("then " + encode("password=hunter2hunter2"))
	half := len(twice) / 2
	inColours := twice[:half] + "\x1b[1m" + twice[half:] // a third encoding, of which two are taken off
	head := encode("-- ghp_16C7e42F292c6912E7710c838347Ae178")[:40]
	for name, texts := range map[string][2]string{
		"depth": {inColours, twice},
		"cut":   {head + " ", head + ellipsis},
	} {
		r := redactor(t, Rules{})
		if got := r.Text(texts[0]); got != texts[0] {
			t.Errorf("%s: %q became %q, so that it shows nothing here", name, texts[0], got)
		}
		if got := r.Text(texts[1]); got == texts[1] {
			t.Errorf("%s: the secret of %q is not found behind %q", name, texts[1], texts[0])
		}
	}
}

// TestRememberingChangesNoText: a redactor that has seen many texts does what a new one
// does, also where runs of base64 are kept in one place, one after the other.
func TestRememberingChangesNoText(t *testing.T) {
	used := redactor(t, Rules{})
	texts := append([]string{}, innocents...)
	for i := range 4 * rememberedRuns {
		path := strings.Repeat("/home/dev/shop", 1+i%10) + "/" + strings.Repeat(string(rune('a'+i%26)), i%9)
		texts = append(texts, path, "at "+path+"/run (", base64.StdEncoding.EncodeToString([]byte(path+" password=hunter2hunter2")))
	}
	for range 2 {
		for _, s := range texts {
			if got, want := used.Text(s), redactor(t, Rules{}).Text(s); got != want {
				t.Fatalf("%q became %q, and %q before anything was remembered", s, got, want)
			}
		}
	}
}
