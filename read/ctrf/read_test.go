package ctrf

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// sink also takes our own reports.
type sink struct {
	readtest.Sink
	recorded []*envelope.Recorded
}

func (s *sink) Recorded(r *envelope.Recorded) { s.recorded = append(s.recorded, r) }

func readText(t testing.TB, text string) *sink {
	t.Helper()
	s := &sink{}
	if err := Read(strings.NewReader(text), s); err != nil {
		t.Fatal(err)
	}
	return s
}

const sampleFile = "testdata/gen_playwright_retries2.ctrf.json"

func sample(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(sampleFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func in(tests string) string {
	return `{"results":{"tool":{"name":"x"},"summary":{},"tests":[` + tests + `]}}`
}

func TestCut(t *testing.T) {
	text := sample(t)
	for n := 0; n < len(text)-3; n += 97 {
		s := readText(t, text[:n])
		if len(s.Problems) != 1 || s.Problems[0].Line < 1 || s.Problems[0].Column < 1 || len(s.Trials) > 31 {
			t.Errorf("cut to %d bytes: %d trials, problems %v", n, len(s.Trials), s.Problems)
		}
	}
}

func TestReadError(t *testing.T) {
	cable := errors.New("the cable is broken")
	for _, text := range []string{in(`{"name":"a","status":"passed"},`), ourReport(t)} {
		s := &sink{}
		err := Read(io.MultiReader(strings.NewReader(text[:len(text)-4]), iotest.ErrReader(cable)), s)
		if !errors.Is(err, cable) || len(s.recorded) > 0 {
			t.Errorf("error %v, %d envelopes", err, len(s.recorded))
		}
	}
}

// TestHostile: nothing panics, hangs or goes without a place.
func TestHostile(t *testing.T) {
	for _, text := range []string{
		"", "null", "[]", "5", `{"results":5}`, `{"results":{"tests":{}}}`, `{"results":{"tests":` + strings.Repeat("[", 50000),
		`{"results":{"tool":5,"summary":[],"environment":"x","extra":7,"tests":[]}}`,
		`{"results":{"extra":{"tribunal":{"schema":"` + envelope.Schema + `"}},"tests":[{"name":"a","extra":{"tribunal":{"test":""}}}]}}`,
		`{"results":{"extra":{"tribunal":{"schema":"` + envelope.Schema + `"},"tribunal":{"schema":"` + envelope.Schema + `"}},"tests":[1,{"extra":{"tribunal":7}},{"extra":{"tribunal":{}}}]}}`,
	} {
		s := readText(t, text)
		if len(s.Trials) > 0 || len(s.recorded) > 0 {
			t.Errorf("%.80q: %v, %v", text, s.Trials, s.recorded)
		}
		for _, p := range s.Problems {
			if p.Line < 1 || p.Column < 1 {
				t.Errorf("%.80q: %+v", text, p)
			}
		}
	}
}

// ourReport is the golden of render/ctrf with everything in it.
func ourReport(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../render/ctrf/testdata/plain.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
