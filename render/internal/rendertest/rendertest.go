// Package rendertest is what the tests of renderers share: envelopes to write, goldens
// beside the package, and the promises that a renderer keeps whatever its format is.
//
// It exists so that a new format has these tests by three calls. It leaves out what a
// document says: each format is held to that by a reader that is not ours.
package rendertest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/hostile"
)

var update = flag.Bool("update", false, "write the goldens anew")

// Envelopes are plain and hostile ones, by name.
func Envelopes() map[string]*envelope.Envelope {
	out := map[string]*envelope.Envelope{
		"plain": hostile.Plain(), "broken": hostile.Broken(), "hostile": hostile.All(), "empty": {Gate: envelope.Gate{Status: envelope.Pass}},
	}
	for seed := range uint64(6) {
		out[fmt.Sprintf("random%d", seed)] = hostile.Random(seed, 40)
	}
	return out
}

// Beside is what a report says beside its tests: that the run is broken, and that a gate
// does not hold, each once or not at all.
func Beside(e *envelope.Envelope) (broken, unheld int) {
	if e.Gate.Status == envelope.Error || e.Gate.InputErrors > 0 {
		broken = 1
	}
	for _, g := range e.Gate.Gates {
		if g.Status == envelope.Fail {
			unheld = 1
		}
	}
	return broken, unheld
}

// Golden compares a document with a file in testdata, which -update writes.
func Golden[T string | []byte](t *testing.T, name string, got T) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// Writer writes an envelope in one format, with options that it knows.
type Writer func(io.Writer, *envelope.Envelope) error

// With is the Writer of a format with options.
func With[O any](write func(io.Writer, *envelope.Envelope, O) error, o O) Writer {
	return func(w io.Writer, e *envelope.Envelope) error { return write(w, e, o) }
}

// Written is the document of an envelope: the same bytes each time, and the envelope
// is left as it was.
func Written(t *testing.T, e *envelope.Envelope, write Writer) []byte {
	t.Helper()
	before := JSON(t, e)
	document := Document(t, e, write)
	if !bytes.Equal(document, Document(t, e, write)) {
		t.Error("two writings differ")
	}
	if JSON(t, e) != before {
		t.Error("the envelope changed")
	}
	return document
}

// Document is what a renderer writes of an envelope.
func Document(t *testing.T, e *envelope.Envelope, write Writer) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, e); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// JSON is all that an envelope says.
func JSON(t *testing.T, e *envelope.Envelope) string {
	t.Helper()
	var b bytes.Buffer
	if err := wire.EncodeJSON(&b, e); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// SaysFull holds a renderer to the error of its writer, wherever in the document that one is
// full.
func SaysFull(t *testing.T, e *envelope.Envelope, write Writer) {
	t.Helper()
	const places = 400
	size := len(Document(t, e, write))
	for n := 0; n < size; n += 1 + size/places {
		if err := write(&fullAfter{n}, e); !errors.Is(err, errFull) {
			t.Fatalf("the writer fails after %d of %d bytes: error %v", n, size, err)
		}
	}
}

// fullAfter takes so many bytes and then fails.
type fullAfter struct{ left int }

var errFull = errors.New("disk full")

func (w *fullAfter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return w.left, errFull
	}
	w.left -= len(p)
	return len(p), nil
}
