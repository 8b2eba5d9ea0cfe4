// Package record writes down what a benchmark found: whether promises were kept,
// and on which machine. It exists so that all benchmarks of the repository judge
// and tell alike; it measures nothing itself.
package record

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Promise is one figure that was promised, and what was measured of it.
type Promise struct {
	What    string
	Value   float64 // NaN when it was not measured
	Limit   float64
	AtLeast bool   // the limit is a lower one
	Unit    string // of value and limit
}

// Kept judges; measured is false when there is nothing to judge.
func (p Promise) Kept() (kept, measured bool) {
	if math.IsNaN(p.Value) {
		return false, false
	}
	if p.AtLeast {
		return p.Value >= p.Limit, true
	}
	return p.Value <= p.Limit, true
}

func (p Promise) String() string {
	sign := "at most"
	if p.AtLeast {
		sign = "at least"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", sign, number(p.Limit), p.Unit))
}

// Promises writes a table of Markdown, a row a promise, and tells how many of
// those that were measured were not kept.
func Promises(w io.Writer, all []Promise) (missed int) {
	fmt.Fprint(w, "| target | measured | promised | |\n| --- | ---: | ---: | --- |\n")
	for _, p := range all {
		switch kept, measured := p.Kept(); {
		case !measured:
			fmt.Fprintf(w, "| %s | not measured | %s | |\n", p.What, p)
		case kept:
			fmt.Fprintf(w, "| %s | %s | %s | met |\n", p.What, number(p.Value), p)
		default:
			missed++
			fmt.Fprintf(w, "| %s | %s | %s | **not met** |\n", p.What, number(p.Value), p)
		}
	}
	return missed
}

func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
