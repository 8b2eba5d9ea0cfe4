package redact

import (
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
