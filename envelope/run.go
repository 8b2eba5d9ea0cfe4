package envelope

import (
	"maps"
	"slices"
)

// Source is one input and what was found in it.
type Source struct {
	Input  string `json:"input"`
	Format string `json:"format,omitempty"`
	Trials int    `json:"trials"`           // trials delivered, before duplicates are put together
	Listed int    `json:"listed,omitempty"` // tests that the journal of a run lists
}

// RunHeader is the header of a counted run: what the processes that made it say
// of it, and where its trials came from.
type RunHeader struct {
	Header
	// Headers are the headers the run was merged from, when there are several.
	Headers []Header `json:"headers,omitempty"`
	Sources []Source `json:"sources"`
	// SharedSources are the sets of sources that delivered the same trial, as indexes into Sources.
	SharedSources [][]int `json:"shared_sources,omitempty"`
}

// Detail is the text of one trial that did not pass.
type Detail struct {
	Trial      int               `json:"trial"` // its row, 0-based
	Attempt    Opt[int32]        `json:"attempt,omitzero"`
	Run        string            `json:"run,omitempty"`
	Status     Status            `json:"status"`
	ErrorClass string            `json:"error_class,omitempty"`
	Message    string            `json:"message,omitempty"`
	Output     string            `json:"output,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	// Reasons are those of the checks, by name; Attachments those of the trial.
	Reasons     map[string]string `json:"reasons,omitempty"`
	Attachments []Attachment      `json:"attachments,omitempty"`
}

// How is how a test of a run ended that starts its trials itself. It is said by
// the journal of the run, and never derived.
type How string

// The ends of a test. Of those up to EndedCheck the trials are fewer than were meant to be.
const (
	EndedCut            How = "cut"            // the run was stopped
	EndedSetup          How = "setup"          // the setup of the run failed
	EndedTime           How = "time"           // the time limit was reached
	EndedCost           How = "cost"           // the cost limit was reached
	EndedInfrastructure How = "infrastructure" // too many trials had to be replaced
	EndedCheck          How = "check"          // it could not be tried, at all or any more: an error
	EndedFull           How = "full"           // all its trials count
	EndedAdaptive       How = "adaptive"       // outcomes decide how many trials it gets; it may get more
	EndedEarly          How = "early"          // no further trial could have changed the verdict
	EndedDecided        How = "decided"        // a sequential rule reached its verdict
)

// Hows are the ends of a test, the nearer to a verdict the later.
var Hows = []How{EndedCut, EndedSetup, EndedTime, EndedCost, EndedInfrastructure, EndedCheck, EndedFull, EndedAdaptive, EndedEarly,
	EndedDecided}

// Known reports one of the ends.
func (h How) Known() bool { return slices.Contains(Hows, h) }

// Again reports an end that a resumed run takes back.
func (h How) Again() bool {
	return h == EndedCost || h == EndedTime || h == EndedCut || h == EndedSetup
}

// Short reports that trials are missing that were meant to be.
func (h How) Short() bool { return h.Again() || h == EndedInfrastructure || h == EndedCheck }

// moreSpecific is the later of two ends of one run: what a limit had ended goes on, and
// not the other way.
func (h How) moreSpecific(o How) How {
	if slices.Index(Hows, h) < slices.Index(Hows, o) {
		return o
	}
	return h
}

// Ending is what the journal of one run says of a test: that it is to be run, and
// how that ended. A test without an end still runs, or its runner died.
type Ending struct {
	Run    string     `json:"run,omitempty"` // id of the run
	Trials Opt[int64] `json:"trials,omitzero"`
	How    How        `json:"how,omitempty"`
	// Elsewhere marks a test that another shard runs. Only one is kept of a test,
	// without a run, and none where the journal of that shard is there.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Beyond are trials that ended when the test had ended, as starts of several tests
	// go on, and BeyondUSD is what they cost. They never count, and were paid.
	Beyond    int64        `json:"beyond,omitempty"`
	BeyondUSD Opt[float64] `json:"beyond_usd,omitzero"`
}

// joined is what two say of a test in one run, or elsewhere.
func (e Ending) joined(o Ending) Ending {
	if !e.Trials.OK || o.Trials.OK && o.Trials.V > e.Trials.V {
		e.Trials = o.Trials
	}
	e.How = e.How.moreSpecific(o.How)
	if o.Beyond > e.Beyond {
		e.Beyond, e.BeyondUSD = o.Beyond, o.BeyondUSD
	}
	return e
}

// JoinEndings puts together what journals and envelopes say of a test. In whatever
// order they come and however often, the result is the same.
func JoinEndings(all []Ending) []Ending {
	if len(all) == 0 {
		return nil
	}
	runs, elsewhere := map[string]Ending{}, []Ending(nil)
	for _, e := range all {
		if e.Elsewhere {
			e.Run, e.How = "", ""
			elsewhere = append(elsewhere, e)
		} else if known, ok := runs[e.Run]; ok {
			runs[e.Run] = known.joined(e)
		} else {
			runs[e.Run] = e
		}
	}
	if len(runs) == 0 {
		for _, e := range elsewhere[1:] {
			elsewhere[0] = elsewhere[0].joined(e)
		}
		return elsewhere[:1]
	}
	return slices.SortedFunc(maps.Values(runs), func(a, b Ending) int { return CompareNames(a.Run, b.Run) })
}
