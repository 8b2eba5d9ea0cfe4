package html

import (
	"slices"

	"tribunal/envelope"
)

// variantLines is how each variant is drawn, and so how many are.
var variantLines = []depthMetric{
	{class: "one", shape: "circle"}, {class: "two", shape: "square", dash: dashed},
	{class: "three", shape: "diamond", dash: "2 3"}, {class: "four", shape: "triangle", dash: "9 3 2 3"},
}

// variantPicture draws pass^k of each variant against k, which tells variants
// apart that pass@1 does not; nil when there are no two with the same values of
// k, or more than can be told apart.
func variantPicture(metrics []envelope.Metric) *picture {
	names := metricVariants(metrics)
	if len(names) < 2 || len(names) > len(variantLines) {
		return nil
	}
	var all []depthMetric
	for i, variant := range names {
		m := variantLines[i]
		m.title = shorten(name(variant, "no variant"), variantName)
		m = depthsOf(metrics, m, "pass_hat_k", variant)
		if len(m.k) < 2 || i > 0 && !slices.Equal(m.k, all[0].k) {
			return nil
		}
		all = append(all, m)
	}
	p := &picture{Title: "pass^k by variant", Chart: blank("Chance that all of k trials pass, by variant")}
	p.Note = "The chance that all of k trials pass, mean of the tests of each variant. Points are what was seen; bands and their thin lines are the posterior."
	p.Chart.overDepths(all, variantLabels)
	p.Data = newTable("pass^k by variant", "", "variant", "#k", "#pass^k", "#interval", "#tests")
	for i, m := range all {
		for j, at := range m.at {
			p.Data.row(name(names[i], "no variant"), count(int64(m.k[j])), percent(at.Value.V), metricInterval(at), count(int64(at.TestsUsed))+" of "+count(int64(at.TestsTotal)))
		}
	}
	return p
}

// variantName is how much of a name fits beside a line, in runes.
const variantName = 16

func metricVariants(metrics []envelope.Metric) []string {
	var names []string
	for i := range metrics {
		if v := metrics[i].Variant; v != "" && !slices.Contains(names, v) {
			names = append(names, v)
			if len(names) > len(variantLines) {
				break
			}
		}
	}
	return names
}
