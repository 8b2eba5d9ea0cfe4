package contract_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tribunal/envelope"
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
