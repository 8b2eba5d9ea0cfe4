package envelope

import (
	"maps"
	"slices"
)

// How is how a test of a run ended that starts its trials itself. It is said by
// the journal of the run, and never derived.
type How string

// The ends of a test. Of those up to EndedCheck the trials are fewer than
// were meant to be.
const (
	EndedCut            How = "cut"            // the run was stopped
	EndedSetup          How = "setup"          // the setup of the run failed
	EndedTime           How = "time"           // the time of the run was over
	EndedCost           How = "cost"           // the cost limit was reached
	EndedInfrastructure How = "infrastructure" // too many trials had to be replaced
	EndedCheck          How = "check"          // it could not be tried, at all or any more: an error
	EndedFull           How = "full"           // all its trials count
	EndedAdaptive       How = "adaptive"       // outcomes decide how many trials it gets; it may get more
	EndedEarly          How = "early"          // no further trial could have changed the verdict
	EndedDecided        How = "decided"        // a sequential rule reached its verdict
)

// Hows are the ends of a test, the nearer to a verdict the later.
var Hows = []How{EndedCut, EndedSetup, EndedTime, EndedCost, EndedInfrastructure, EndedCheck, EndedFull, EndedAdaptive, EndedEarly, EndedDecided}

// Known reports one of the ends.
func (h How) Known() bool { return slices.Contains(Hows, h) }

// Again reports an end that a resumed run takes back.
func (h How) Again() bool {
	return h == EndedCost || h == EndedTime || h == EndedCut || h == EndedSetup
}

// Short reports that trials are missing that were meant to be.
func (h How) Short() bool { return h.Again() || h == EndedInfrastructure || h == EndedCheck }

// byOutcome reports an end that outcomes decided.
func (h How) byOutcome() bool { return h == EndedAdaptive || h == EndedEarly || h == EndedDecided }

// nearer is the later of two ends of one run: what a limit had ended goes on, and
// not the other way.
func (h How) nearer(o How) How {
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
	e.How = e.How.nearer(o.How)
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
