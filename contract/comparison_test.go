package contract_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tribunal/compare"
	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/render"
)

// comparisonGolden is one comparison of the matrix: the runs that are compared.
type comparisonGolden struct {
	name, reason string
	base         golden
	candidates   []golden
	by           string
	sequential   bool
}

var comparisonGoldens = []comparisonGolden{
	{"booking", "the sample of README: one test broke, one was mended, one renamed",
		golden{streams: []string{"booking-main"}}, []golden{{streams: []string{"booking-branch"}}}, "", false},
	{"policies", "the sides were judged differently",
		golden{streams: []string{"booking-main"}}, []golden{{streams: []string{"booking-branch"}, policy: wald}}, "", false},
	{"same", "nothing changed",
		golden{streams: []string{"many"}}, []golden{{streams: []string{"many"}}}, "", false},
	{"hostile", "every text is hostile, on both sides and on one",
		golden{streams: []string{"hostile"}}, []golden{{streams: []string{"hostile", "flaky"}}}, "", false},
	{"several", "three values of a label, one without a test of the others",
		golden{streams: []string{"flaky"}}, []golden{{streams: []string{"all-fail"}}, {streams: []string{"flaky"}}}, "model", false},
	{"empty", "a side without trials",
		golden{streams: []string{"one-pass"}}, []golden{{streams: []string{"empty"}}}, "", false},
	{"outage", "tests that lost all their trials, beside ones that did not",
		golden{streams: []string{"flaky"}}, []golden{{streams: []string{"outage"}}}, "", false},
	{name: "sequential", reason: "the sample of README, looked at after every pair",
		base: golden{streams: []string{"booking-main"}}, candidates: []golden{{streams: []string{"booking-branch"}}}, sequential: true},
	{"desk", "checks and conversations on both sides: a check and a tool of a test that broke, and its first difference",
		golden{streams: []string{"desk-main"}}, []golden{{streams: []string{"desk-branch"}}}, "", false},
	{"retries", "retries are left out, tests may be skipped",
		golden{streams: []string{"retries", "skipped", "excluded"}}, []golden{{streams: []string{"retries", "skipped", "excluded"}}}, "", false},
}

func (g comparisonGolden) comparison(t *testing.T) *compare.Comparison {
	t.Helper()
	input := func(g golden) compare.Input {
		return compare.Input{Name: g.streams[0] + ".ndjson", Envelope: g.envelope(t)}
	}
	var candidates []compare.Input
	for _, candidate := range g.candidates {
		candidates = append(candidates, input(candidate))
	}
	o := compare.Defaults()
	o.Sequential = g.sequential
	c, err := compare.Runs(g.by, input(g.base), candidates, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func writeComparison(t *testing.T, f render.Of[*compare.Comparison], c *compare.Comparison) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := f.Write(&buf, c, render.Settings{Options: f.Defaults()}); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return buf.Bytes()
}

func TestComparisonGoldens(t *testing.T) {
	for _, g := range comparisonGoldens {
		c := g.comparison(t)
		for _, f := range render.Comparisons {
			t.Run(g.name+"/"+f.Name, func(t *testing.T) {
				compareGolden(t, filepath.Join("..", "testdata", "comparisons", g.name, f.Name), g.reason, withoutAssets(f.Name, writeComparison(t, f, c)))
			})
		}
	}
}

// comparisonParsers read each format with something the renderer does not know.
var comparisonParsers = map[string]func([]byte, *compare.Comparison) error{
	"pretty":   parseComparisonText,
	"json":     parseComparisonJSON,
	"markdown": parseComparisonText,
	"github":   parseComparisonText,
	"html":     parseComparisonHTML,
	"gitlab":   parseComparisonGitLab,
}

// parseComparisonText wants text that no terminal obeys, in which every test
// that regressed is counted.
func parseComparisonText(out []byte, c *compare.Comparison) error {
	for i := range c.Contrasts {
		if n := c.Contrasts[i].Summary.Regressed; n > 0 && !bytes.Contains(out, []byte("REGRESSED")) {
			return fmt.Errorf("%d regressed tests are not mentioned", n)
		}
	}
	return parseText(out, &envelope.Envelope{})
}

// parseComparisonHTML counts the tests of the page.
func parseComparisonHTML(out []byte, c *compare.Comparison) error {
	tests := 0
	for i := range c.Contrasts {
		tests += len(c.Contrasts[i].Tests)
	}
	if n := bytes.Count(out, []byte(`<details class="test"`)); n != tests {
		return fmt.Errorf("%d rows for %d tests", n, tests)
	}
	if n := bytes.Count(out, []byte("<script")); n != 2 {
		return fmt.Errorf("%d scripts: the page has two of its own", n)
	}
	return nil
}

// parseComparisonGitLab counts the entries by check.
func parseComparisonGitLab(out []byte, c *compare.Comparison) error {
	var entries []struct {
		CheckName   string `json:"check_name"`
		Fingerprint string
		Location    struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	if err := json.Unmarshal(out, &entries); err != nil {
		return err
	}
	got, want, seen := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, e := range entries {
		got[e.CheckName]++
		if seen[e.Fingerprint] || e.Location.Path == "" || e.Location.Lines.Begin < 1 {
			return fmt.Errorf("entry %+v: GitLab needs a fingerprint of its own and a place", e)
		}
		seen[e.Fingerprint] = true
	}
	for i := range c.Contrasts {
		x := &c.Contrasts[i]
		if x.Run.State == compare.Regressed {
			want["tribunal/regressed"]++
		}
		want["tribunal/regressed"] += x.Summary.Regressed
		want["tribunal/gone"] += x.Summary.Gone
	}
	for name, n := range want {
		if got[name] != n {
			return fmt.Errorf("%d entries of %s, want %d", got[name], name, n)
		}
	}
	return nil
}

// parseComparisonJSON holds the document against its schema and against what it
// was made of.
func parseComparisonJSON(out []byte, c *compare.Comparison) error {
	if err := validate("comparison", out); err != nil {
		return err
	}
	var back compare.Comparison
	if err := json.Unmarshal(out, &back); err != nil {
		return err
	}
	if diff := cmp.Diff(c, &back, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(compare.Comparison{}, compare.Contrast{}, compare.Difference{}, compare.Finding{})); diff != "" {
		return fmt.Errorf("it does not say all (-comparison +document):\n%s", diff)
	}
	if bytes.Contains(out, []byte(":null")) {
		return errors.New("null: absent is left out")
	}
	return nil
}

// TestComparisonRenderersKeepTheirContract holds every format of comparisons to
// the promises of the formats of envelopes.
func TestComparisonRenderersKeepTheirContract(t *testing.T) {
	for _, f := range render.Comparisons {
		parse := comparisonParsers[f.Name]
		if parse == nil {
			t.Errorf("%s: no independent parser in this test", f.Name)
			continue
		}
		for _, g := range comparisonGoldens {
			t.Run(f.Name+"/"+g.name, func(t *testing.T) {
				c := g.comparison(t)
				first := writeComparison(t, f, c)
				if !bytes.Equal(writeComparison(t, f, g.comparison(t)), first) {
					t.Error("other bytes the second time")
				}
				if diff := cmp.Diff(g.comparison(t), c, cmp.Exporter(exportAll), cmp.Comparer(sameFloat)); diff != "" {
					t.Errorf("the renderer changed its input:\n%s", diff)
				}
				saysFullWriters(t, f, c, len(first))
				if err := parse(first, c); err != nil {
					t.Error(err)
				}
				if err := f.Write(&bytes.Buffer{}, nil, render.Settings{Options: f.Defaults()}); err == nil {
					t.Error("no comparison is no error")
				}
			})
		}
	}
}

// TestHostileComparisons: what a test wrote or was called acts in no format, on
// either side or on both.
func TestHostileComparisons(t *testing.T) {
	for name, pair := range map[string][2]*envelope.Envelope{
		"both":  {hostile.Plain(), hostile.Plain()},
		"apart": {hostile.Plain(), hostile.Broken()},
	} {
		side := func(e *envelope.Envelope) compare.Input {
			return compare.Input{Name: "\x1b[31m</script>::error::|`\u202e" + strings.Repeat("x", 20_000), Envelope: e}
		}
		c, err := compare.Runs("</b>\x07\u202e", side(pair[0]), []compare.Input{side(pair[1])}, nil, compare.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range render.Comparisons {
			out := writeComparison(t, f, c)
			if err := parsedHostile(f.Name, out, c); err != nil {
				t.Errorf("%s, %s: %v", name, f.Name, err)
			}
		}
	}
}

// parsedHostile leaves out what hostile envelopes, which no input can make, do
// not hold to: the schema.
func parsedHostile(format string, out []byte, c *compare.Comparison) error {
	switch {
	case format == "json":
		if !json.Valid(out) {
			return errors.New("no JSON")
		}
		return nil
	case format == "html" && (bytes.Contains(out, []byte("<img")) || bytes.Contains(out, []byte("\x1b")) || bytes.Contains(out, []byte("\u202e"))):
		return errors.New("an image, an escape or a bidi control of the tests is in the page")
	case format == "github":
		for line := range bytes.Lines(out) {
			if !bytes.HasPrefix(line, []byte("tribunal: ")) && !bytes.HasPrefix(line, []byte("::")) || bytes.Count(line, []byte("::")) > 2 {
				return fmt.Errorf("line %.200q", line)
			}
		}
	}
	return comparisonParsers[format](out, c)
}
