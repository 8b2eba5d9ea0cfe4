package contract_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tribunal/compare"
	"tribunal/compare/rank"
	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/render"
)

// rankGoldens are rankings of the matrix: the runs that are the variants.
var rankGoldens = []struct {
	name, reason string
	variants     []golden
}{
	{"sides", "three variants of which two are the same", []golden{{streams: []string{"booking-main"}}, {streams: []string{"booking-branch"}}, {streams: []string{"booking-main"}}}},
	{"missing", "tests that one variant did not try, and one without a counted trial", []golden{{streams: []string{"many"}}, {streams: []string{"many", "flaky"}}, {streams: []string{"error"}}}},
	{"alone", "one variant", []golden{{streams: []string{"flaky"}}}},
	{"apart", "no test that both tried", []golden{{streams: []string{"flaky"}}, {streams: []string{"all-fail"}}}},
	{"hostile", "every text is hostile", []golden{{streams: []string{"hostile"}}, {streams: []string{"hostile", "flaky"}}}},
}

func rankingOf(t *testing.T, variants []golden) *rank.Ranking {
	t.Helper()
	var of []compare.Input
	for i, g := range variants {
		of = append(of, compare.Input{Name: fmt.Sprintf("%c-%s", 'a'+i, g.streams[0]), Envelope: g.envelope(t)})
	}
	r, err := rank.Variants("model", of, nil, rank.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func writeRanking(t *testing.T, f render.Of[*rank.Ranking], r *rank.Ranking, s render.Settings) []byte {
	t.Helper()
	s.Options = f.Defaults()
	var buf bytes.Buffer
	if err := f.Write(&buf, r, s); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return buf.Bytes()
}

func TestRankingGoldens(t *testing.T) {
	for _, g := range rankGoldens {
		r := rankingOf(t, g.variants)
		for _, f := range render.Rankings {
			t.Run(g.name+"/"+f.Name, func(t *testing.T) {
				compareGolden(t, filepath.Join("..", "testdata", "rankings", g.name, f.Name), g.reason, withoutAssets(f.Name, writeRanking(t, f, r, render.Settings{})))
			})
		}
	}
}

// rankingParsers read each format with something the renderer does not know.
var rankingParsers = map[string]func([]byte, *rank.Ranking) error{
	"pretty":   func(out []byte, _ *rank.Ranking) error { return parseText(out, &envelope.Envelope{}) },
	"markdown": func(out []byte, _ *rank.Ranking) error { return parseText(out, &envelope.Envelope{}) },
	"json":     parseRankingJSON,
	"html": func(out []byte, r *rank.Ranking) error {
		if n := bytes.Count(out, []byte("<script")); n != 2 {
			return fmt.Errorf("%d scripts: the page has two of its own", n)
		}
		if bytes.Contains(out, []byte("http://")) || bytes.Contains(out, []byte("https://")) {
			return errors.New("it asks something of another place")
		}
		return nil
	},
	"csv": func(out []byte, r *rank.Ranking) error {
		rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
		if err == nil && len(rows) != 1+len(r.Variants) {
			err = fmt.Errorf("%d rows for %d variants", len(rows)-1, len(r.Variants))
		}
		return err
	},
}

// parseRankingJSON holds the document against its schema and against what it was made
// of.
func parseRankingJSON(out []byte, r *rank.Ranking) error {
	if err := validate("ranking", out); err != nil {
		return err
	}
	var back rank.Ranking
	if err := json.Unmarshal(out, &back); err != nil {
		return err
	}
	if diff := cmp.Diff(r, &back, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(compare.Difference{}, rank.Ranking{})); diff != "" {
		return fmt.Errorf("it does not say all (-ranking +document):\n%s", diff)
	}
	return nil
}

func TestRankingRenderersKeepTheirContract(t *testing.T) {
	for _, f := range render.Rankings {
		parse := rankingParsers[f.Name]
		if parse == nil {
			t.Errorf("%s: no independent parser in this test", f.Name)
			continue
		}
		for _, g := range rankGoldens {
			t.Run(f.Name+"/"+g.name, func(t *testing.T) {
				r := rankingOf(t, g.variants)
				first := writeRanking(t, f, r, render.Settings{})
				if !bytes.Equal(writeRanking(t, f, rankingOf(t, g.variants), render.Settings{}), first) {
					t.Error("other bytes the second time")
				}
				saysFullWriters(t, f, r, len(first))
				if err := parse(first, r); err != nil {
					t.Error(err)
				}
				if err := f.Write(&bytes.Buffer{}, nil, render.Settings{Options: f.Defaults()}); err == nil {
					t.Error("no ranking is no error")
				}
			})
		}
	}
}

// TestRankingsFitTheTerminal: at any width no line goes over it, and ASCII is all there
// is when it is asked for.
func TestRankingsFitTheTerminal(t *testing.T) {
	for _, g := range rankGoldens {
		r := rankingOf(t, g.variants)
		for _, width := range []int{40, 60, 80, 100, 140} {
			out := writeRanking(t, render.Rankings[0], r, render.Settings{Terminal: render.Terminal{Width: width, ASCII: true}})
			for _, line := range strings.Split(string(out), "\n") {
				if g.name != "hostile" && (len(line) > width || strings.ContainsFunc(line, func(r rune) bool { return r > 126 || r < ' ' })) {
					t.Errorf("%s at %d columns: %q", g.name, width, line)
				}
			}
		}
	}
}

// TestHostileRankings: what a test or a variant is called acts in no format.
func TestHostileRankings(t *testing.T) {
	bad := "\x1b[31m</script>=1+1::error::|`\u202e"
	of := []compare.Input{{Name: bad, Envelope: hostile.Plain()}, {Name: bad + strings.Repeat("x", 20_000), Envelope: hostile.Plain()}}
	r, err := rank.Variants(bad, of, nil, rank.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range render.Rankings {
		out := writeRanking(t, f, r, render.Settings{})
		if bytes.ContainsAny(out, "\x1b\u202e") || f.Name == "html" && bytes.Contains(out, []byte("</script>=")) {
			t.Errorf("%s: an escape, a bidi control or a tag of a name is in it", f.Name)
		}
		if f.Name != "json" {
			if err := rankingParsers[f.Name](out, r); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
}
