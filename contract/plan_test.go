package contract_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tribunal/envelope"
	"tribunal/history/trend"
	"tribunal/internal/hostile"
	"tribunal/plan"
	"tribunal/render"
	"tribunal/verdict"
)

// plans are the questions whose answers are goldens, in every format of plans.
func plans(t *testing.T) map[string]plan.Question {
	t.Helper()
	rule := func(p envelope.Policy) *envelope.Effective {
		held, err := verdict.Resolve(p)
		if err != nil {
			t.Fatal(err)
		}
		return &held
	}
	some := envelope.Some[float64]
	undecided := golden{streams: []string{"weather-agent"}, policy: envelope.Policy{Rule: "sprt", Threshold: some(0.9)}}
	hostile := golden{streams: []string{"hostile"}, policy: envelope.Policy{Rule: "wilson", Threshold: some(0.9)}}
	return map[string]plan.Question{
		"precision":  {HalfWidth: some(0.05), Expect: some(0.9), PriceUSD: some(0.02), Trials: envelope.Some(100)},
		"wilson":     {Policy: rule(envelope.Policy{Rule: "wilson", Threshold: some(0.9)}), Trials: envelope.Some(20)},
		"sprt":       {Policy: rule(envelope.Policy{Rule: "sprt", Threshold: some(0.9)}), Expect: some(0.96), PriceUSD: some(0.03)},
		"all":        {Policy: rule(envelope.Policy{}), Trials: envelope.Some(5)},
		"difference": {Rates: &[2]float64{0.9, 0.8}, Discordant: some(0.14), Trials: envelope.Some(50), Sequential: true},
		"clustered":  {Tests: envelope.Some(20), Trials: envelope.Some(20), ICC: some(0.1), Rates: &[2]float64{0.9, 0.8}, PriceUSD: some(0.02)},
		"judge":      {Judge: &[2]float64{0.95, 0.9}, Labels: envelope.Some(50), Trials: envelope.Some(400), Expect: some(0.9), PriceUSD: some(0.02)},
		"settling":   {Envelope: undecided.envelope(t)},
		"hostile":    {Envelope: hostile.envelope(t), PriceUSD: some(0)},
		"everything": {HalfWidth: some(0.1), Policy: rule(envelope.Policy{Rule: "anytime", Threshold: some(0.8)}), Rates: &[2]float64{0.5, 0.6}, Envelope: undecided.envelope(t)},
	}
}

func planOf(t *testing.T, q plan.Question) *plan.Plan {
	t.Helper()
	q.Power, q.Confidence = 0.8, 0.95
	p, err := plan.New(q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanGoldens(t *testing.T) {
	for name, q := range plans(t) {
		p := planOf(t, q)
		for _, f := range render.Plans {
			t.Run(name+"/"+f.Name, func(t *testing.T) {
				var buf bytes.Buffer
				if err := f.Write(&buf, p, render.Settings{}); err != nil {
					t.Fatal(err)
				}
				page := buf.Bytes()
				if f.Name == "html" {
					page = assets.ReplaceAll(page, []byte("$1$3$5…$6$4$2"))
				}
				compareGolden(t, filepath.Join("..", "testdata", "plans", name, f.Name), "the plan "+name, page)
			})
		}
	}
}

func TestPlansFollowTheirSchema(t *testing.T) {
	schema, err := embedded("plan")
	if err != nil {
		t.Fatal(err)
	}
	json, err := render.Plans.ByName("json")
	if err != nil {
		t.Fatal(err)
	}
	for name, q := range plans(t) {
		var buf bytes.Buffer
		if err := json.Write(&buf, planOf(t, q), render.Settings{}); err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(&buf)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPlansFitTheTerminal: at any width no line goes over it, and ASCII is all
// there is when it is asked for.
func TestPlansFitTheTerminal(t *testing.T) {
	for name, q := range plans(t) {
		p := planOf(t, q)
		for _, width := range []int{40, 60, 80, 100, 140} {
			var buf bytes.Buffer
			if err := render.Plans[0].Write(&buf, p, render.Settings{Terminal: render.Terminal{Width: width, ASCII: true}}); err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(buf.String(), "\n") {
				if len(line) > width && name != "hostile" {
					t.Errorf("%s at %d columns: %d in %q", name, width, len(line), line)
				}
				if strings.ContainsFunc(line, func(r rune) bool { return r > 126 || r < ' ' }) && name != "hostile" {
					t.Errorf("%s at %d columns: %q is not ASCII", name, width, line)
				}
			}
		}
	}
}

// trendGolden is one trend of the matrix: what each test did in each run, in
// words such as 4/5 (passed of counted), - for not there, x for no trial counted
// and s for skipped.
type trendGolden struct {
	name, reason string
	tests        []trendSeries
	bare         bool // runs say nothing of themselves
	texts        func(i int) string
}

type trendSeries struct{ suite, test, variant, runs string }

func series(words ...string) string { return strings.Join(words, " ") }

func times(word string, n int) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }

var everyState = []trendSeries{
	{"forecast", "names the right city", "", times("5/5", 20)},
	{"forecast", "names the right city", "haiku", series(times("5/5", 14), "3/5 5/5 4/5 3/5 4/5 2/5")},
	{"forecast", "converts units", "", "10/10 10/10 9/10 10/10 9/10 9/10 8/10 9/10 8/10 8/10 7/10 8/10 7/10 7/10 6/10 7/10 6/10 5/10 6/10 5/10"},
	{"forecast", "explains uncertainty", "", "8/10 9/10 - 10/10 8/10 9/10 9/10 x 10/10 8/10 9/10 s 10/10 9/10 8/10 9/10 10/10 8/10 9/10 9/10"},
	{"tools", "recovers from a timeout", "", series(times("5/5", 17), times("0/5", 3))},
	{"tools", "refuses without a key", "", series(times("1/5 2/5", 4), times("5/5", 12))},
	{"tools", "learns", "", "2/10 3/10 2/10 4/10 3/10 5/10 4/10 5/10 6/10 5/10 7/10 6/10 7/10 8/10 7/10 8/10 9/10 8/10 9/10 9/10"},
	{"tools", "never worked", "", times("0/5", 20)},
	{"tools", "has no trial that counts", "", times("x", 20)},
}

var trendGoldens = []trendGolden{
	{name: "states", reason: "a test in every state", tests: everyState},
	{name: "one-run", reason: "one run shows no change", tests: []trendSeries{{"s", "a", "", "3/5"}, {"s", "b", "", "5/5"}}},
	{name: "steady", reason: "nothing to tell: short list, stable tests in it", tests: []trendSeries{{"s", "a", "", times("5/5", 8)}, {"s", "b", "", times("5/5", 8)}}},
	{name: "many", reason: "stable tests of a long list are counted", tests: manySeries(40)},
	{name: "bare", reason: "runs without name, commit and start", tests: everyState[:5], bare: true},
	{name: "hostile", reason: "every text is hostile", tests: everyState[:4], texts: func(i int) string { return hostile.Texts[i%len(hostile.Texts)].Text }},
	{name: "empty", reason: "no run"},
}

func manySeries(n int) []trendSeries {
	all := []trendSeries{{"s", "broken", "", series(times("5/5", 6), times("0/5", 6))}}
	for i := range n {
		all = append(all, trendSeries{"s", fmt.Sprintf("case %02d", i), "", times("5/5", 12)})
	}
	return all
}

func (g trendGolden) trend() *trend.Trend {
	b := trend.NewBuilder(0.95)
	b.Ever()
	n := 0
	for _, s := range g.tests {
		n = max(n, len(strings.Fields(s.runs)))
	}
	b.Selected(50, n+2)
	for r := range n {
		header, policy, summary := g.run(r)
		b.Run(strings.Repeat(fmt.Sprintf("%08x", uint32(r+1)*0x9e3779b1), 8), header, envelope.Effective{Policy: policy}, summary)
		for i, s := range g.tests {
			words := strings.Fields(s.runs)
			if p, ok := trendPoint(words[r%len(words)], r); ok {
				b.Point(b.Test(g.key(i)), p)
			}
		}
	}
	return b.Trend()
}

func (g trendGolden) key(i int) envelope.Key {
	k := envelope.Key{Suite: g.tests[i].suite, Test: g.tests[i].test, Variant: g.tests[i].variant}
	if g.texts != nil {
		k = envelope.Key{Suite: g.texts(3 * i), Test: g.texts(3*i + 1), Variant: g.texts(3*i + 2)}
	}
	return k
}

func (g trendGolden) run(r int) (envelope.RunHeader, envelope.Policy, envelope.Summary) {
	var h envelope.RunHeader
	var s envelope.Summary
	if !g.bare {
		h.Name, h.ID, h.Commit = "nightly", fmt.Sprint(100+r), fmt.Sprintf("%08x", (r+1)*0x1234567)
		h.StartedAt = time.Date(2026, 3, 1+r, 4, 0, 0, 0, time.UTC).Format(time.RFC3339)
		h.Labels = map[string]string{"branch": "main"}
		s.CostUSD, s.DurationMS = envelope.Some(1.5+0.05*float64(r)), envelope.Some(60000+1000*float64(r%4))
	}
	if g.texts != nil {
		h.Name, h.ID, h.Commit, h.Labels = g.texts(r), g.texts(r+9), g.texts(r+5), map[string]string{g.texts(r + 2): g.texts(r + 3)}
	}
	for _, t := range g.tests {
		words := strings.Fields(t.runs)
		p, ok := trendPoint(words[r%len(words)], r)
		if !ok {
			continue
		}
		s.Add(p.Status.Status())
		s.Trials.Counted, s.Trials.Passed = s.Trials.Counted+int(p.Counted), s.Trials.Passed+int(p.Passed)
		if p.Flaky {
			s.Flaky++
		}
	}
	policy := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.5)}
	if r > 10 {
		policy.Rule = "all"
	}
	return h, policy, s
}

func trendPoint(word string, r int) (trend.Point, bool) {
	p := trend.Point{CostUSD: math.NaN(), DurationMS: math.NaN()}
	switch word {
	case "-":
		return p, false
	case "x":
		p.Excluded, p.Status = 5, trend.CodeOf(envelope.Error)
		return p, true
	case "s":
		p.Excluded, p.Status = 5, trend.CodeOf(envelope.Skip)
		return p, true
	}
	fmt.Sscanf(word, "%d/%d", &p.Passed, &p.Counted)
	p.CostUSD, p.DurationMS = 0.01*float64(p.Counted)+0.001*float64(r), 1200+40*float64(r%5)
	p.Flaky = p.Passed > 0 && p.Passed < p.Counted
	switch share := float64(p.Passed) / float64(p.Counted); {
	case share > 0.8:
		p.Status = trend.CodeOf(envelope.Pass)
	case share < 0.2:
		p.Status = trend.CodeOf(envelope.Fail)
	default:
		p.Status = trend.CodeOf(envelope.Inconclusive)
	}
	return p, true
}

// ink is what colours a line.
var ink = regexp.MustCompile("\x1b\\[[0-9;]*m")

func writeTrend(t *testing.T, f render.Of[*trend.Trend], tr *trend.Trend, s render.Settings) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := f.Write(&buf, tr, s); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestTrendGoldens(t *testing.T) {
	for _, g := range trendGoldens {
		tr := g.trend()
		for _, f := range render.Trends {
			t.Run(g.name+"/"+f.Name, func(t *testing.T) {
				text := writeTrend(t, f, tr, render.Settings{})
				if f.Name == "html" {
					text = assets.ReplaceAll(text, []byte("$1$3$5…$6$4$2"))
				}
				compareGolden(t, filepath.Join("..", "testdata", "trends", g.name, f.Name), g.reason, text)
			})
		}
	}
}

func TestTrendsFollowTheirSchema(t *testing.T) {
	schema, err := embedded("trend")
	if err != nil {
		t.Fatal(err)
	}
	json, err := render.Trends.ByName("json")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range trendGoldens {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(writeTrend(t, json, g.trend(), render.Settings{})))
		if err != nil {
			t.Fatal(g.name, err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", g.name, err)
		}
	}
}

// TestTrendsFitTheTerminal: at any width no line goes over it, ASCII is all there
// is when it is asked for, and no colour loses a sign.
func TestTrendsFitTheTerminal(t *testing.T) {
	for _, g := range trendGoldens {
		for _, width := range []int{40, 60, 80, 100, 140} {
			plain := writeTrend(t, render.Trends[0], g.trend(), render.Settings{Terminal: render.Terminal{Width: width, ASCII: true}})
			for _, line := range strings.Split(string(plain), "\n") {
				if g.texts == nil && len(line) > width {
					t.Errorf("%s at %d columns: %d in %q", g.name, width, len(line), line)
				}
				if g.texts == nil && strings.ContainsFunc(line, func(r rune) bool { return r > 126 || r < ' ' }) {
					t.Errorf("%s at %d columns: %q is not ASCII", g.name, width, line)
				}
			}
			colored := writeTrend(t, render.Trends[0], g.trend(), render.Settings{Terminal: render.Terminal{Width: width, ASCII: true, Color: true}})
			if stripped := ink.ReplaceAll(colored, nil); !bytes.Equal(stripped, plain) {
				t.Errorf("%s at %d columns: colour changes the text", g.name, width)
			}
		}
	}
}

func TestTrendTablesAreRectangles(t *testing.T) {
	for _, g := range trendGoldens {
		for _, name := range []string{"csv", "csv-runs"} {
			f, err := render.Trends.ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(bytes.NewReader(writeTrend(t, f, g.trend(), render.Settings{}))).ReadAll()
			if err != nil || len(rows) == 0 {
				t.Errorf("%s, %s: %v", g.name, name, err)
			}
		}
	}
}
