package contract_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"tribunal/envelope"
	"tribunal/internal/audit"
	"tribunal/internal/compare"
	"tribunal/internal/compare/rank"
	"tribunal/internal/hostile"
	"tribunal/render"
)

var comparisons = matrix[compare.Comparison]{
	folder: "comparisons", formats: render.Comparisons, schema: "comparison",
	unsaid: cmpopts.IgnoreUnexported(compare.Comparison{}, compare.Contrast{}, compare.Difference{}, compare.Finding{}),
	parsers: map[string]func([]byte, *compare.Comparison) error{"pretty": parseComparisonText, "markdown": parseComparisonText,
		"github": parseComparisonText, "html": parseComparisonHTML, "gitlab": parseComparisonGitLab},
	samples: []sample[compare.Comparison]{
		comparisonOf("booking", "the sample of README: one test broke, one was mended, one renamed", "", runs("booking-main", "booking-branch"), false),
		comparisonOf("policies", "the sides were judged differently", "", []golden{{streams: []string{"booking-main"}}, {streams: []string{"booking-branch"}, policy: wald}}, false),
		comparisonOf("same", "nothing changed", "", runs("many", "many"), false),
		comparisonOf("hostile", "every text is hostile, on both sides and on one", "", runs("hostile", "hostile flaky"), false),
		comparisonOf("several", "three values of a label, one without a test of the others", "model", runs("flaky", "all-fail", "flaky"), false),
		comparisonOf("empty", "a side without trials", "", runs("one-pass", "empty"), false),
		comparisonOf("outage", "tests that lost all their trials, beside ones that did not", "", runs("flaky", "outage"), false),
		comparisonOf("sequential", "the sample of README, looked at after every pair", "", runs("booking-main", "booking-branch"), true),
		comparisonOf("desk", "checks and conversations on both sides: a check and a tool of a test that broke, and its first difference", "",
			runs("desk-main", "desk-branch"), false),
		comparisonOf("retries", "retries are left out, tests may be skipped", "", runs("retries skipped excluded", "retries skipped excluded"), false),
	},
}

// comparisonOf compares the first run with the others.
func comparisonOf(name, reason, by string, of []golden, sequential bool) sample[compare.Comparison] {
	return sample[compare.Comparison]{name, reason, func(t *testing.T) *compare.Comparison {
		sides := inputs(t, of, func(_ int, stream string) string { return stream + ".ndjson" })
		o := compare.Defaults()
		o.Sequential = sequential
		return must(compare.Runs(by, sides[0], sides[1:], nil, o))(t)
	}}
}

// runs are runs of the default policy, each of the streams between spaces.
func runs(streams ...string) (all []golden) {
	for _, names := range streams {
		all = append(all, golden{streams: strings.Fields(names)})
	}
	return all
}

// inputs are runs under the names that a function gives to their first streams.
func inputs(t *testing.T, of []golden, name func(i int, stream string) string) (all []compare.Input) {
	t.Helper()
	for i, g := range of {
		all = append(all, compare.Input{Name: name(i, g.streams[0]), Envelope: g.envelope(t)})
	}
	return all
}

// must is a result of which an error ends the test.
func must[T any](result T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

func TestComparisons(t *testing.T) { comparisons.hold(t) }

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
		tests += len(c.Contrasts[i].Ranked())
	}
	if n := bytes.Count(out, []byte(`<details class="test"`)); n != tests {
		return fmt.Errorf("%d rows for %d tests", n, tests)
	}
	return parsePage(out)
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

// TestHostileDocuments: what a test wrote and what a test, a run or a label is called acts
// in no format. No input can make these runs, so that their JSON follows no schema.
func TestHostileDocuments(t *testing.T) {
	bad := "\x1b[31m</script>=1+1::error::|`\u202e"
	side := func(e *envelope.Envelope) compare.Input { return compare.Input{Name: bad, Envelope: e} }
	long := compare.Input{Name: bad + strings.Repeat("x", 20_000), Envelope: hostile.Plain()}
	both := []compare.Input{side(hostile.Plain()), long}
	actsNowhere(t, comparisons, must(compare.Runs("</b>\x07\u202e", long, both[:1], nil, compare.Defaults()))(t))
	actsNowhere(t, comparisons, must(compare.Runs("</b>\x07\u202e", long, []compare.Input{side(hostile.Broken())}, nil, compare.Defaults()))(t))
	actsNowhere(t, rankings, must(rank.Variants(bad, both, nil, rank.Defaults()))(t))
	actsNowhere(t, testsAudits, must(audit.OfTests(bad, both, nil, 0.95))(t))
	actsNowhere(t, gateAudits, must(audit.OfGate([]*envelope.Envelope{hostile.Plain(), hostile.Plain()}, audit.GateOptions{AtMost: 0.05}))(t))
}

func actsNowhere[T any](t *testing.T, m matrix[T], d *T) {
	t.Helper()
	for _, f := range m.formats {
		out := written(t, f, d, render.Settings{})
		err := acts(f.Name, out)
		if f.Name != "json" {
			err = errors.Join(err, m.parse(f.Name, out, d))
		}
		if err != nil {
			t.Errorf("%s, %s: %v", m.folder, f.Name, err)
		}
	}
}
