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

	"tribunal/audit"
	"tribunal/compare"
	"tribunal/compare/rank"
	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/render"
	"tribunal/verdict"
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

// gateAudits are audits of gates of the matrix: the runs of each.
var gateAudits = []struct {
	name, reason string
	runs         []golden
}{
	{"sides", "two runs that differ, and one again", []golden{{streams: []string{"booking-main"}}, {streams: []string{"booking-branch"}}, {streams: []string{"booking-main"}}}},
	{"retries", "retries, which counts do not predict, and a test that errors", []golden{{streams: []string{"retries-timed"}}, {streams: []string{"error"}}}},
	{"hostile", "every text is hostile", []golden{{streams: []string{"hostile"}}}},
	{"alone", "no runs: the plan alone", nil},
}

func gateAuditOf(t *testing.T, of []golden) *audit.Gate {
	t.Helper()
	var runs []*envelope.Envelope
	for _, g := range of {
		runs = append(runs, g.envelope(t))
	}
	g, err := audit.OfGate(runs, audit.GateOptions{AtMost: audit.DefaultAtMost, Policy: allRule(t), Tests: 40, Trials: 3, Expect: 0.99})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func writeAudit[D any](t *testing.T, f render.Of[D], d D, s render.Settings) []byte {
	t.Helper()
	s.Options = f.Defaults()
	var buf bytes.Buffer
	if err := f.Write(&buf, d, s); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return buf.Bytes()
}

func TestGateAuditGoldens(t *testing.T) {
	for _, c := range gateAudits {
		g := gateAuditOf(t, c.runs)
		for _, f := range render.GateAudits {
			t.Run(c.name+"/"+f.Name, func(t *testing.T) {
				out := writeAudit(t, f, g, render.Settings{})
				compareGolden(t, filepath.Join("..", "testdata", "audits", "gate", c.name, f.Name), c.reason, withoutAssets(f.Name, out))
				if !bytes.Equal(writeAudit(t, f, gateAuditOf(t, c.runs), render.Settings{}), out) {
					t.Error("other bytes the second time")
				}
				if err := f.Write(&bytes.Buffer{}, nil, render.Settings{Options: f.Defaults()}); err == nil {
					t.Error("no audit is no error")
				}
				if err := parseAudit(f.Name, out, "gate-audit", g, new(audit.Gate), len(g.Tests)); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// parseAudit reads a format with something the renderer does not know.
func parseAudit[D any](format string, out []byte, schema string, d, back *D, rows int) error {
	switch format {
	case "json":
		if err := validate(schema, out); err != nil {
			return err
		}
		if err := json.Unmarshal(out, back); err != nil {
			return err
		}
		if diff := cmp.Diff(d, back, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(audit.Option{}, audit.Item{})); diff != "" {
			return fmt.Errorf("it does not say all (-audit +document):\n%s", diff)
		}
		return nil
	case "html":
		if bytes.Contains(out, []byte("http://")) || bytes.Contains(out, []byte("https://")) {
			return fmt.Errorf("it asks something of another place")
		}
		return nil
	case "csv":
		all, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
		if err == nil && len(all) != 1+rows {
			err = fmt.Errorf("%d rows for %d", len(all)-1, rows)
		}
		return err
	}
	return parseText(out, &envelope.Envelope{})
}

// testsAudits are audits of tests of the matrix: the runs that are the variants.
var testsAudits = []struct {
	name, reason string
	variants     []golden
}{
	{"benchmark", "eight variants, and a defect of every kind", []golden{{streams: []string{"../benchmark/cirrus"}}, {streams: []string{"../benchmark/cirrus-mini"}},
		{streams: []string{"../benchmark/cumulus"}}, {streams: []string{"../benchmark/cumulus-mini"}}, {streams: []string{"../benchmark/nimbus"}},
		{streams: []string{"../benchmark/nimbus-mini"}}, {streams: []string{"../benchmark/stratus"}}, {streams: []string{"../benchmark/stratus-mini"}}}},
	{"same", "four variants of which two are the same", []golden{{streams: []string{"booking-main"}}, {streams: []string{"booking-branch"}}, {streams: []string{"booking-main"}}}},
	{"few", "two variants with checks, and tests that one did not try", []golden{{streams: []string{"weather-agent"}}, {streams: []string{"weather-agent", "flaky"}}}},
	{"apart", "no test that both tried", []golden{{streams: []string{"flaky"}}, {streams: []string{"all-fail"}}}},
	{"hostile", "every text is hostile", []golden{{streams: []string{"hostile"}}, {streams: []string{"hostile"}}}},
}

func testsAuditOf(t *testing.T, variants []golden) *audit.Tests {
	t.Helper()
	var of []compare.Input
	for i, g := range variants {
		of = append(of, compare.Input{Name: fmt.Sprintf("%c-%s", 'a'+i, filepath.Base(g.streams[0])), Envelope: g.envelope(t)})
	}
	a, err := audit.OfTests("variant", of, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTestsAuditGoldens(t *testing.T) {
	for _, c := range testsAudits {
		a := testsAuditOf(t, c.variants)
		for _, f := range render.TestsAudits {
			t.Run(c.name+"/"+f.Name, func(t *testing.T) {
				out := writeAudit(t, f, a, render.Settings{})
				compareGolden(t, filepath.Join("..", "testdata", "audits", "tests", c.name, f.Name), c.reason, withoutAssets(f.Name, out))
				if !bytes.Equal(writeAudit(t, f, testsAuditOf(t, c.variants), render.Settings{}), out) {
					t.Error("other bytes the second time")
				}
				if err := f.Write(&bytes.Buffer{}, nil, render.Settings{Options: f.Defaults()}); err == nil {
					t.Error("no audit is no error")
				}
				if err := parseAudit(f.Name, out, "tests-audit", a, new(audit.Tests), len(a.Tests)); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestAuditsFitTheTerminal: at any width no line goes over it, and ASCII is all there is
// when it is asked for.
func TestAuditsFitTheTerminal(t *testing.T) {
	for _, width := range []int{40, 60, 80, 100, 140} {
		s := render.Settings{Terminal: render.Terminal{Width: width, ASCII: true}}
		for _, c := range gateAudits {
			if c.name != "hostile" {
				fits(t, c.name, width, writeAudit(t, render.GateAudits[0], gateAuditOf(t, c.runs), s))
			}
		}
		for _, c := range testsAudits {
			if c.name != "hostile" {
				fits(t, c.name, width, writeAudit(t, render.TestsAudits[0], testsAuditOf(t, c.variants), s))
			}
		}
	}
}

func fits(t *testing.T, name string, width int, out []byte) {
	t.Helper()
	for _, line := range strings.Split(string(out), "\n") {
		if len(line) > width || strings.ContainsFunc(line, func(r rune) bool { return r > 126 || r < ' ' }) {
			t.Errorf("%s at %d columns: %q", name, width, line)
		}
	}
}

// TestHostileAudits: what a test is called acts in no format.
func TestHostileAudits(t *testing.T) {
	g, err := audit.OfGate([]*envelope.Envelope{hostile.Plain(), hostile.Plain()}, audit.GateOptions{AtMost: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range render.GateAudits {
		if out := writeAudit(t, f, g, render.Settings{}); bytes.ContainsAny(out, "\x1b\u202e") {
			t.Errorf("%s: an escape or a bidi control of a name is in it", f.Name)
		}
	}
	bad := "\x1b[31m</script>=1+1::error::|`\u202e"
	a, err := audit.OfTests(bad, []compare.Input{{Name: bad, Envelope: hostile.Plain()}, {Name: bad + "x", Envelope: hostile.Plain()}}, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range render.TestsAudits {
		if out := writeAudit(t, f, a, render.Settings{}); bytes.ContainsAny(out, "\x1b\u202e") || f.Name == "html" && bytes.Contains(out, []byte("</script>=")) {
			t.Errorf("%s: an escape, a bidi control or a tag of a name is in it", f.Name)
		}
	}
}

func allRule(t *testing.T) envelope.Effective {
	t.Helper()
	held, err := verdict.Resolve(envelope.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return held
}
