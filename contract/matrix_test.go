package contract_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tribunal/envelope"
	"tribunal/render"
)

// matrix is one kind of document that commands make beside the report: its formats, and
// samples of it.
type matrix[T any] struct {
	folder  string // of the goldens, below testdata
	formats render.Table[*T]
	schema  string       // of json
	unsaid  cmp.Option   // what json leaves out; nil where nobody reads it back
	rows    func(*T) int // of csv
	// parsers read formats in another way than those of all kinds.
	parsers map[string]func(out []byte, d *T) error
	samples []sample[T]
}

type sample[T any] struct {
	name, reason string
	make         func(t *testing.T) *T
}

// hostileSample is the name of a sample of which every text is hostile.
const hostileSample = "hostile"

// hold holds every format to its golden and to what a format promises: the same bytes
// for the same document, which it does not change, errors of its writer and of no document, and a text that
// an independent parser reads. In a terminal no line is wider than that, ASCII is all
// there is if it is asked for, and colour changes no sign.
func (m matrix[T]) hold(t *testing.T) {
	for _, s := range m.samples {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			d, again := s.make(t), s.make(t)
			for _, f := range m.formats {
				t.Run(f.Name, func(t *testing.T) {
					out := m.written(t, f, d)
					compareGolden(t, filepath.Join("..", "testdata", m.folder, s.name, f.Name), s.reason, withoutAssets(f.Name, out))
					if !bytes.Equal(written(t, f, again, render.Settings{}), out) {
						t.Error("other bytes for the same document")
					}
					saysFullWriters(t, f, d, len(out))
					if err := f.Write(&bytes.Buffer{}, nil, render.Settings{Options: f.Defaults()}); err == nil {
						t.Error("no document is no error")
					}
				})
			}
			if diff := unchanged(s.make(t), d); diff != "" {
				t.Errorf("a renderer changed its input:\n%s", diff)
			}
			m.fits(t, d, s.name != hostileSample)
		})
	}
}

// fits holds the text for a terminal to its width and its characters; texts of tests have ° and ….
func (m matrix[T]) fits(t *testing.T, d *T, printable bool) {
	t.Helper()
	for n := range 10 {
		width := []int{40, 60, 80, 100, 140}[n/2]
		terminal := render.Terminal{Width: width, ASCII: true, Detailed: n%2 == 1}
		plain := written(t, m.formats[0], d, render.Settings{Terminal: terminal})
		for line := range strings.Lines(string(plain)) {
			line = strings.TrimSuffix(line, "\n")
			command := strings.HasPrefix(line, "Next  ") // which is one line, to copy
			if printable && !command && (utf8.RuneCountInString(line) > width || strings.ContainsFunc(line, func(r rune) bool { return r > 126 && !strings.ContainsRune("°…", r) || r < ' ' })) {
				t.Errorf("at %d columns: %q", width, line)
			}
		}
		terminal.Color = true
		if colored := written(t, m.formats[0], d, render.Settings{Terminal: terminal}); !bytes.Equal(ink.ReplaceAll(colored, nil), plain) {
			t.Errorf("at %d columns: colour changes the text", width)
		}
	}
}

// holdAll holds every format of a document, of which same is another one.
func (m matrix[T]) holdAll(t *testing.T, d, same *T) {
	t.Helper()
	for _, f := range m.formats {
		m.written(t, f, d)
	}
	if diff := unchanged(same, d); diff != "" {
		t.Errorf("a renderer changed its input:\n%s", diff)
	}
}

// written is a document in a format, as its parser reads it and nothing obeys it.
func (m matrix[T]) written(t *testing.T, f render.Of[*T], d *T) []byte {
	t.Helper()
	out := written(t, f, d, render.Settings{})
	err := m.parse(f.Name, out, d)
	if f.Name != "args" { // words of a command as they are, for xargs
		err = errors.Join(err, acts(f.Name, out))
	}
	if err != nil {
		t.Errorf("%s: %v", f.Name, err)
	}
	if f.Append != nil {
		checkAppended(t, f.Name, func(w io.Writer) error { return f.Append.Write(w, d, render.Settings{}) })
	}
	return out
}

// parse reads a format with something that its renderer does not know.
func (m matrix[T]) parse(format string, out []byte, d *T) error {
	if own := m.parsers[format]; own != nil {
		return own(out, d)
	}
	switch format {
	case "pretty", "markdown", "github":
		return parseText(out, &envelope.Envelope{})
	case "json":
		var back T
		if err := validate(m.schema, out); err != nil || m.unsaid == nil {
			return err
		}
		if err := json.Unmarshal(out, &back); err != nil {
			return err
		}
		if diff := cmp.Diff(d, &back, cmpopts.EquateEmpty(), m.unsaid); diff != "" {
			return fmt.Errorf("it does not say all (-document +json):\n%s", diff)
		}
		return nil
	case "html":
		return parsePage(out)
	case "csv":
		rows, err := csvRows(out)
		if err == nil && rows != m.rows(d) {
			err = fmt.Errorf("%d rows for %d", rows, m.rows(d))
		}
		return err
	}
	return errors.New("no independent parser in this test")
}

// parsePage wants a page without anything from elsewhere: neither a script nor a picture nor a link.
func parsePage(out []byte) error {
	if n := bytes.Count(out, []byte("<script")); n != 2 {
		return fmt.Errorf("%d scripts: the page has two of its own", n)
	}
	for _, word := range []string{"http://", "https://", "<img"} {
		if bytes.Contains(out, []byte(word)) {
			return fmt.Errorf("%s: it has something of another place", word)
		}
	}
	return nil
}
