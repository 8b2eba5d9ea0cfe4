package command

import (
	"fmt"
	"strings"

	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/run/driver"
	"tribunal/run/runner"
)

// namedTests is how many tests a rehearsal names.
const namedTests = 10

// rehearse says what a run would start, how much of it and at what cost.
func (p *trialRun) rehearse(r *driver.Run, s *runner.Scheduler) error {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("command   %s", p.written(r.Command.Text()))
	say("read as   %s", r.ReadAs())
	say("form      %s", formInWords[r.Plan.Form])
	word := "limits"
	for _, limit := range limitsOf(r) {
		say("%-9s %s", word, limit)
		word = ""
	}
	tests := r.Plan.Tests
	if len(tests) == 0 && !r.Sharded {
		say("tests     told by the first output")
		say("\nHow many trials there are at most is known when the tests are.")
		return p.print(b.String())
	}
	if r.Sharded {
		say("tests     %d, and %d of other shards", len(tests), len(r.Elsewhere))
	} else {
		say("tests     %d", len(tests))
	}
	for i, t := range tests[:min(namedTests, len(tests))] {
		say("          %s, at most %s", t.Key, words.Plural(s.Progress(i).Trials, "trial", "trials"))
	}
	if more := len(tests) - namedTests; more > 0 {
		say("          and %d more", more)
	}
	if p.pairs != nil {
		return p.rehearsePairs(&b, s, len(tests))
	}
	most, means := 0, make([]float64, len(rehearsed))
	known := map[*runner.Stopping][]float64{}
	for id := range tests {
		most += s.Progress(id).Trials
		stop := s.StoppingOf(id)
		if known[stop] == nil {
			for _, rate := range rehearsed {
				known[stop] = append(known[stop], stop.Mean(rate))
			}
		}
		for i, mean := range known[stop] {
			means[i] += mean
		}
	}
	each := p.set.CostPerTrialUSD
	say("\n                         trials%s", map[bool]string{true: "       cost"}[each.OK])
	row := func(what string, trials float64) {
		line := fmt.Sprintf("%-22s %8.0f", what, trials)
		if each.OK {
			line += fmt.Sprintf("  %9s", words.Dollars(trials*each.V))
		}
		say("%s", line)
	}
	row("at most", float64(most))
	for i, rate := range rehearsed {
		row(fmt.Sprintf("mean at a rate of %.2f", rate), means[i])
	}
	say("\nNothing was started.")
	return p.print(b.String())
}

// limitsOf are the limits of a run, whoever set them.
func limitsOf(r *driver.Run) (limits []string) {
	add := func(is bool, of string, value any) {
		if is {
			limits = append(limits, fmt.Sprintf("%s: %v", of, value))
		}
	}
	l := r.Plan.Limits
	add(l.MaxCostPerTestUSD.OK, "cost of each test", words.Dollars(l.MaxCostPerTestUSD.V))
	add(l.MaxCostUSD.OK, "cost of the run", words.Dollars(l.MaxCostUSD.V))
	add(r.Timeout > 0, "time of each trial", r.Timeout)
	for _, t := range r.Plan.Tests {
		own, is := r.Timeouts[t.Key]
		add(is && len(r.Timeouts) <= namedTests, "time of each trial of "+t.Key.String(), own)
	}
	add(len(r.Timeouts) > namedTests, "time of each trial of "+words.Plural(len(r.Timeouts), "test", "tests"), "its own")
	add(r.MaxTime > 0, "time of the run", r.MaxTime)
	add(r.Rate > 0, "starts a minute", words.Number(float64(r.Rate)*60))
	return limits
}

// rehearsed are the true pass rates at which means are told.
var rehearsed = []float64{0.80, 0.90, 0.99}

var formInWords = map[runner.Form]string{
	runner.Each: "a start is one trial of one test", runner.Batch: "a start is one trial of each open test of a suite",
	runner.Sweep: "a start is one trial of every test",
}

func (p *trialRun) print(s string) error {
	_, err := p.env.Stdout.Write([]byte(text.Block(s)))
	return err
}
