// Command rates measures the error rates of the statistics by simulation, and
// writes them as one table: what is promised, what comes out, and what comes out
// without the method. It is seeded: the same numbers every time.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"gonum.org/v1/gonum/mathext"
)

func main() {
	page := flag.String("write", "", "write the table into this `PAGE`, between the lines that mark its place")
	only := flag.String("only", "", "measure only methods with this in their `NAME`")
	scale := flag.Float64("scale", 1, "how many simulations, as a share of the full number")
	flag.Parse()
	var table strings.Builder
	out := io.MultiWriter(os.Stdout, &table)
	fmt.Fprint(out, "| method | situation | promise | measured | without it |\n| --- | --- | --- | --- | --- |\n")
	for _, m := range methods {
		if !strings.Contains(m.name, *only) {
			continue
		}
		for _, r := range m.measure(&simulation{rand.New(rand.NewPCG(7, uint64(len(m.name)))), *scale}) {
			fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", m.name, r.situation, r.promise, r.measured, r.without)
		}
	}
	if *page != "" {
		if err := write(*page, table.String()); err != nil {
			log.Fatalf("rates: writing the table: %v", err)
		}
	}
}

// The lines between which the table stands on its page.
const begin, end = "<!-- measured -->\n", "<!-- end of measured -->"

func write(page, table string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		return fmt.Errorf("%s has no place for it: %s … %s", page, strings.TrimSpace(begin), end)
	}
	return os.WriteFile(page, []byte(before+begin+table+end+after), 0o644)
}

// method is a method and how it is measured.
type method struct {
	name    string
	measure func(*simulation) []row
}

type row struct{ situation, promise, measured, without string }

var methods = []method{
	{"`compare`, several runs", severalRuns},
	{"`compare --cluster-by`", clustered},
	{"`compare` of scores", scores},
	{"drift over runs", drift},
	{"changed over all runs", changed},
	{"`release`", releases},
	{"`rank`", rankings},
	{"`rank_ci`", ranks},
	{"labels: Rogan-Gladen, prediction-powered", judges},
	{"votes: judge, agent, share", votes},
	{"`paired_e`", pairedE},
	{"`gsprt`", gsprt},
	{"`compare --sequential`", sequential},
	{"`--sequential-test gsprt`", ratios},
	{"`power_clustered`", power},
}

// simulation is a source of chance, and how much of it.
type simulation struct {
	*rand.Rand
	scale float64
}

func (s *simulation) times(n int) int { return max(10, int(s.scale*float64(n))) }

// rate is a pass rate of a run whose trials correlate by icc: beta, at a quantile u.
func rate(p, icc, u float64) float64 {
	if icc == 0 {
		return p
	}
	a := 1/icc - 1
	return mathext.InvRegIncBeta(p*a, (1-p)*a, math.Min(1-1e-12, math.Max(1e-12, u)))
}

func (s *simulation) passes(n int, p float64) int {
	passed := 0
	for range n {
		if s.Float64() < p {
			passed++
		}
	}
	return passed
}

func share(n, of int) string { return fmt.Sprintf("%.3f", float64(n)/float64(of)) }
