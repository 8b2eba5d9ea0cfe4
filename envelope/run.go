package envelope

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
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

// Tally is one test of a Run: its trials in canonical order.
type Tally struct {
	Key
	File   string
	Line   int
	Owners []string          // of its file, by CODEOWNERS
	Labels map[string]string // labels with the same value on every trial that has them
	Varies []string          // names of labels whose value varies over the trials
	Rows   *Rows
	// Details are the kept texts in the order of their rows.
	Details     []Detail
	Transcripts []Transcript // those kept, in the order of their rows
	// DetailsClear and ConversationsClear say that the texts of details and of transcripts, names
	// of runs and classes left out, were looked at while they were counted, and hold no
	// secret of those known to all, nor what stands for one.
	DetailsClear, ConversationsClear bool
	Endings                          []Ending // by run, what journals say
	History                          *Past    // what the envelope it was read from says
}

// Run is what was counted: trials in their canonical order, nothing judged.
// Only verdict.Seal makes an Envelope of it.
type Run struct {
	Header RunHeader
	// Steps are all tool calls that rows of tests name by their places here. Texts
	// are those that transcripts refer to; counting leaves none.
	Steps    []Step
	Texts    []string
	Reasons  []Reason // that rows of tests name by their places here
	Tests    []Tally  // by suite, test, variant
	Problems []Problem
}

// Trials is the number of trials of all tests.
func (r *Run) Trials() int {
	n := 0
	for i := range r.Tests {
		n += r.Tests[i].Rows.Len()
	}
	return n
}

// How is how a test of a run ended that starts its trials itself. It is said by
// the journal of the run, and never derived.
type How string

// The ends of a test. Of those up to EndedCheck the trials are fewer than were meant to be.
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

// byOutcome reports an end that outcomes decided.
func (h How) byOutcome() bool { return h == EndedAdaptive || h == EndedEarly || h == EndedDecided }

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

// CertainDigits is how many digits that clocks gave, each time without its first, have to be
// equal for trials to be the same: tests that take some milliseconds are equal by chance.
const CertainDigits = 6

// DigitsOfSecond is how many digits say which second of an hour it was, and as many which
// thousandth of it.
const DigitsOfSecond = 3

// MeasuredDigits is how many digits of a time say something: its first one is that of the
// test, whoever measures it.
func MeasuredDigits(ms float64) int {
	digits, _, _ := strings.Cut(strconv.FormatFloat(ms, 'e', -1, 64), "e")
	return max(0, len(digits)-strings.Count(digits, ".")-1)
}

// MeasuredDigits is how many digits clocks gave a run and its trials. Those that began at one
// instant, as those of a whole suite may, say so once.
func (r *Run) MeasuredDigits() (digits int) {
	begun := map[int64]bool{}
	if at, known := Instant(r.Header.StartedAt); known {
		begun[at] = true
	}
	for _, t := range r.Tests {
		for _, column := range []Column[float64]{t.Rows.DurationMS(), t.Rows.SetupMS()} {
			for _, ms := range column.Values() {
				if ms > 0 {
					digits += MeasuredDigits(ms)
				}
			}
		}
		for _, at := range t.Rows.StartedAt().Values() {
			begun[at] = true
		}
	}
	for at := range begun {
		digits += digitsOfInstant(at)
	}
	return digits
}

func digitsOfInstant(ns int64) int {
	if ns%int64(time.Second) == 0 {
		return DigitsOfSecond
	}
	return 2 * DigitsOfSecond
}
