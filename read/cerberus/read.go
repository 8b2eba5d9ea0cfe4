// Package cerberus reads the runs that cerberus (orban/cerberus, MIT) keeps in
// .cerberus/runs, and what its --json prints.
//
// It exists because such a file has how often the contracts of a study were tried and
// held, and not one trial. The trials are made of these counts, so that rules, compare
// and history have numbers to work with; those that held are spread evenly over the
// others, and the last one is as the status says, as the file does not tell their order.
package cerberus

import (
	"fmt"
	"io"
	"math"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts such a run.
func Sniff(head []byte) bool { return jsonwalk.DocumentKeys(head).Has("status", "studies") }

// mostTrials bounds what a file is taken to have counted: it is a few thousand, and one
// number could ask for any.
const mostTrials = 100_000

const codeAggregated = "aggregated"

// Read reads one run.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to}
	err := jsonwalk.Read(r, to, jsonwalk.Members{"studies": jsonwalk.Objects(rd.study)})
	if rd.contracts > 0 {
		to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: codeAggregated, Line: rd.line, Column: rd.column, Count: rd.contracts,
			Message: fmt.Sprintf("cerberus keeps counts: the trials of contracts (%d) are derived from them, in an unknown order", rd.contracts)})
	}
	return err
}

type reader struct {
	to           envelope.Sink
	attempts     trialfields.Attempts
	trials       int
	contracts    int // of counts
	line, column int // of the first
}

func (rd *reader) study(v jsonwalk.Value) {
	name := v.Get("name").Text()
	if name == "" {
		v.Reject("it is not a study: its name is missing")
		return
	}
	given := v.Get("aborted").Bool()
	over := ""
	if given.V {
		over = fmt.Sprintf("the study was aborted: too many commands ended with another exit code than 0 (%s of %s)", counted(v, "errorCount"),
			counted(v, "totalTrials"))
	}
	for c := range v.Get("contracts").Items() {
		rd.contract(name, over, v, c)
	}
	v.Report()
}

func counted(v jsonwalk.Value, name string) string {
	if n := v.Get(name).Count(); n.OK {
		return fmt.Sprint(n.V)
	}
	return "?"
}

func (rd *reader) contract(study, over string, v, c jsonwalk.Value) {
	t := envelope.Trial{Key: envelope.Key{Suite: study, Test: c.Get("name").Text()}}
	passed, n, why := counts(c)
	if t.Test == "" {
		why = "its name is missing"
	}
	if n > mostTrials-rd.trials {
		why = fmt.Sprintf("%d trials: a run has %d at most", n, mostTrials)
	}
	if why != "" {
		v.Reject(fmt.Sprintf("contract %q: %s", jsonwalk.Short(t.Test), why))
		return
	}
	rd.trials += n
	if gating := c.Get("gating").Bool(); gating.OK && !gating.V {
		trialfields.AddLabel(&t, "gating", "false")
	}
	if rd.contracts++; rd.contracts == 1 {
		rd.line, rd.column = v.Place()
	}
	failedLast := c.Get("status").Text() == "fail" // the last one is as the contract, as far as there is one
	for i := range int64(n) {
		held := trialfields.Spread(i, int64(passed), int64(n))
		if failedLast {
			held = !trialfields.Spread(i, int64(n-passed), int64(n))
		}
		one := t
		if one.Status = envelope.Pass; !held {
			one.Status, one.Message = envelope.Fail, "it did not hold; cerberus keeps counts alone"
		}
		rd.attempts.Send(&one, rd.to)
	}
	switch {
	case over != "":
		t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassErrorRate, over
		rd.attempts.Send(&t, rd.to)
	case n == 0:
		t.Status, t.RawStatus, t.Message = envelope.Skip, c.Get("status").Text(), "no trial of it was made"
		rd.attempts.Send(&t, rd.to)
	}
}

// counts are how many trials of a contract passed. The rate of a judge that was
// corrected by people's labels is none of trials: the one that it judged is.
func counts(c jsonwalk.Value) (passed, n int, why string) {
	trials, rate := c.Get("trialsEvaluated").Count(), c.Get("observedRate").Number()
	if judged := c.Get("judgedRate").Number(); judged.OK {
		rate = judged
	}
	switch {
	case !trials.OK:
		return 0, 0, "trialsEvaluated is no count"
	case trials.V > math.MaxInt32:
		return 0, math.MaxInt32, ""
	case trials.V == 0:
		return 0, 0, ""
	case !rate.OK || rate.V < 0 || rate.V > 1:
		return 0, 0, "observedRate is no rate from 0 to 1"
	}
	const near = 1e-6 // a rate of doubles misses a count by far less
	all := rate.V * float64(trials.V)
	if math.Abs(all-math.Round(all)) > near*float64(trials.V) {
		return 0, 0, fmt.Sprintf("a rate of %v is not possible with %d trials", rate.V, trials.V)
	}
	return int(math.Round(all)), int(trials.V), ""
}
