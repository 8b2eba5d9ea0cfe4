// Package gauges has the numbers of a run and of its suites as monitoring systems take
// them: gauges with a name, a unit and labels.
//
// It exists so that Prometheus and OpenTelemetry get the same numbers, under names
// that one makes of the other's: tribunal.run.pass_rate with the unit ratio is
// tribunal_run_pass_rate_ratio. All are gauges, as a run is no counter. What is
// unknown has no sample. There are series of the first 200 suites, and a gauge that
// says how many more there are.
//
// It leaves out single tests and trials, and how anything is written.
package gauges

import (
	"math"

	"tribunal/envelope"
)

const suiteLimit = 200 // suites with series of their own

// SuiteLabel is the label whose value a test wrote: the name of its suite.
const SuiteLabel = "suite"

// Gauge is a metric and its samples. Unit is seconds, ratio, usd or empty.
type Gauge struct {
	Name, Unit, Help string
	Decimals         int // that tell two runs apart
	Samples          []Sample
}

// Sample is one series.
type Sample struct {
	Labels []Label
	Value  float64
}

// Label is a name, which is ours, and a value, which is ours unless the name is
// SuiteLabel.
type Label struct{ Name, Value string }

// add adds a sample, unless the value is not a number.
func (g *Gauge) add(v float64, labels ...Label) {
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		g.Samples = append(g.Samples, Sample{labels, v + 0}) // + 0 makes -0 a 0
	}
}

func (g *Gauge) optional(v envelope.Opt[float64], factor float64, labels ...Label) {
	if v.OK {
		g.add(v.V*factor, labels...)
	}
}
