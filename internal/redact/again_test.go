package redact

import (
	"encoding/base64"
	"strings"
	"sync"
	"testing"
)

// TestAgainIsText: a text becomes the same however often it comes and whichever
// redactor saw it first, also where more texts come than are remembered.
func TestAgainIsText(t *testing.T) {
	filler := strings.Repeat("be kind to everybody. ", 20)
	texts := []string{"", filler, filler + "password=hunter2hunter2", filler + "password=[redacted:password]", "password=hunter2hunter2"}
	for i := range 5 {
		texts = append(texts, strings.Repeat(filler, 100)+strings.Repeat("!", i))
	}
	r := redactor(t, Rules{})
	want := make([]string, len(texts))
	for i, s := range texts {
		want[i] = r.Text(s)
	}
	if strings.Contains(want[2], "hunter2") {
		t.Fatalf("the secret of %q is not found", texts[2])
	}
	var workers sync.WaitGroup
	for range 3 {
		own := r.Another()
		workers.Go(func() {
			for range 2 {
				for i, s := range texts {
					if got := own.Again(s); got != want[i] {
						t.Errorf("%.500q became %.500q, want %.500q", s, got, want[i])
					}
				}
			}
		})
	}
	workers.Go(func() {
		for i := range mostKnown + 1 {
			r.known.add(textSum{uint64(i)})
		}
	})
	workers.Wait()
	if n := len(r.known.texts); n > mostKnown {
		t.Errorf("%d texts are remembered, more than %d", n, mostKnown)
	}
}

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
