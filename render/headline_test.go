package render_test

import (
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read"
	"tribunal/render"
	"tribunal/render/internal/standing"
	"tribunal/verdict"
)

// TestHeadline finds the same sentence in every report that a person reads.
func TestHeadline(t *testing.T) {
	inputs, err := filepath.Glob("../testdata/streams/*.ndjson")
	if err != nil || len(inputs) < 20 {
		t.Fatal(len(inputs), err)
	}
	for _, input := range inputs {
		want := standing.HeadlineOf(judgedFile(t, input))
		for _, format := range []string{"pretty", "markdown", "github", "agent", "slack", "html"} {
			var b strings.Builder
			if err := render.Formats.Write(&b, format, judgedFile(t, input)); err != nil {
				t.Fatal(err)
			}
			got := html.UnescapeString(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(b.String()))
			sentence := want.String()
			if format == "html" { // its first word is a badge
				sentence = strings.Join(want.Facts, " · ")
			}
			if !strings.Contains(got, sentence) {
				t.Errorf("%s of %s: %q is missing in\n%s", format, input, want, got)
			}
			for _, more := range want.More {
				if format != "github" && !strings.Contains(got, more) {
					t.Errorf("%s of %s: %q is missing in\n%s", format, input, more, got)
				}
			}
		}
	}
}

func judgedFile(t *testing.T, path string) *envelope.Envelope {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := verdict.NewBuilder(envelope.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	read.Stream(b, path, f, "")
	e, err := verdict.Judge(b, envelope.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
