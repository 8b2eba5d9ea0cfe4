package plan

import (
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/stats"
)

// TestJudge: 50 labels of 250 trials of a judge 0.9:0.8 at 0.7 come out, on average, as
// 31.5, 3, 3.5 and 12: in whole ones 32 (the first of the equal halves), 3, 3 and 12. The
// judge passes 0.63 + 0.06 of trials, 138 of the other 200. The intervals are those that
// the report would have.
func TestJudge(t *testing.T) {
	p := answer(t, Question{Judge: &[2]float64{0.9, 0.8}, Labels: envelope.Some(50), Trials: envelope.Some(250), Expect: envelope.Some(0.7), PriceUSD: envelope.Some(0.1)})
	if p.Precision != nil || p.Judge == nil {
		t.Fatalf("%+v", p)
	}
	j := p.Judge
	if math.Abs(j.Seen-0.69) > 1e-12 || j.Rate != 0.7 {
		t.Errorf("%+v", j)
	}
	first := j.Designs[0]
	of := stats.Judged{BothPass: 32, JudgeOnly: 3, TruthOnly: 3, Neither: 12}
	x, y := stats.RoganGladenRate(138, 200, of, 0.95), stats.PPIRate(138, 200, of, 0.95)
	if first.Labels != 50 || first.Trials != 250 || first.Effort.CostUSD.V != 25 || math.Abs(first.RoganGladen.V-(x.Hi-x.Lo)/2) > 1e-8 || math.Abs(first.Powered.V-(y.Hi-y.Lo)/2) > 1e-8 {
		t.Errorf("%+v", first)
	}
	// 35 of 50: Wilson's interval is 0.5625 to 0.8090; 172 or 173 of 250 about 0.057.
	if math.Abs(first.LabelsAlone.V-0.1233) > 5e-4 || math.Abs(first.Own-0.0571) > 5e-4 {
		t.Errorf("%+v", first)
	}
	if none := j.Designs[1]; none.Labels != 0 || none.RoganGladen.OK || none.Powered.OK || none.LabelsAlone.OK {
		t.Errorf("without labels there is no correction: %+v", none)
	}
	for i, want := range [][2]int{{50, 250}, {0, 250}, {100, 250}, {200, 250}, {50, 500}, {50, 1000}} {
		d := j.Designs[i]
		if [2]int{d.Labels, d.Trials} != want {
			t.Errorf("design %d: %+v, want %v", i, d, want)
		}
		if i > 1 && !(d.RoganGladen.V < first.RoganGladen.V) && want[0] < 200 {
			t.Errorf("more tells no more: %+v, %+v", d, first)
		}
	}
}

func TestJudgeRefuses(t *testing.T) {
	for want, q := range map[string]Question{
		"no better than a coin":                    {Judge: &[2]float64{0.5, 0.5}, Labels: envelope.Some(50)},
		"out of range":                             {Judge: &[2]float64{1.5, 0.5}, Labels: envelope.Some(50)},
		"give how many trials people":              {Judge: &[2]float64{0.9, 0.9}},
		"sensitivity and specificity of the judge": {Labels: envelope.Some(50)},
		"labels 0 are out of range":                {Judge: &[2]float64{0.9, 0.9}, Labels: envelope.Some(0)},
		"more trials than labels":                  {Judge: &[2]float64{0.9, 0.9}, Labels: envelope.Some(50), Trials: envelope.Some(50)},
	} {
		q.Confidence, q.Power = 0.95, 0.8
		if _, err := New(q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
