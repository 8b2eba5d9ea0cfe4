package journal

import (
	"time"

	"tribunal/envelope"
)

// Line is a line of a journal behind its first: Tests, Start, Held, Trial, Beyond,
// Cut, Ended, Resume, Setup, Note or End.
type Line interface{ line() }

type (
	// Tests are the tests of the run: all of them, also those of other shards. What
	// a later one says of a test holds.
	Tests []Test

	// Start is a start, written before its process exists. One that starts trials of
	// several tests has a line for each, with the same ID and Number.
	Start struct {
		envelope.Key
		Attempt int       `json:"attempt"`
		Try     int       `json:"try"`
		At      time.Time `json:"at"`
		ID      string    `json:"id"`
		Slot    int       `json:"slot"`
		// Number is that of the start among those of its group, where one start is of
		// several tests.
		Number envelope.Opt[int] `json:"number,omitzero"`
		// Check is the check of the test and no trial.
		Check bool `json:"check,omitempty"`
	}

	// Held is a trial that ended before one that started earlier. It is a Trial when
	// that has ended.
	Held struct{ *envelope.Trial }
	// Trial is a trial in the order of the attempts of its test: one that is counted.
	Trial struct{ *envelope.Trial }
	// Beyond is a trial behind the end of its test.
	Beyond struct{ *envelope.Trial }

	// Cut is a start that was cut off and is no trial.
	Cut struct {
		envelope.Key
		Attempt int    `json:"attempt"`
		Try     int    `json:"try"`
		Why     string `json:"why"` // interrupt, time, lost or ended
	}
	// Ended is the end of a test.
	Ended struct {
		envelope.Key
		How envelope.How `json:"how"`
	}
	// Resume is where another process goes on with the run.
	Resume struct {
		At   time.Time `json:"at"`
		Boot string    `json:"boot,omitempty"`
	}
	// Setup is what setting up the run took, once for each process of it.
	Setup struct {
		At      time.Time             `json:"at"`
		MS      float64               `json:"setup_ms"`
		CostUSD envelope.Opt[float64] `json:"setup_cost_usd,omitzero"`
	}
	// Note is something that whoever reads the run must know of a test, or of the run
	// where it names none.
	Note struct {
		Code string `json:"code"`
		envelope.Key
		Count   int    `json:"count,omitempty"`
		Message string `json:"message"`
	}
	// End is the end of the run.
	End struct {
		How string `json:"how"`
	}
)

// Finished is how a run ended that a resumed one has nothing to add to.
const Finished = "finished"

func (Tests) line()  {}
func (Start) line()  {}
func (Held) line()   {}
func (Trial) line()  {}
func (Beyond) line() {}
func (Cut) line()    {}
func (Ended) line()  {}
func (Resume) line() {}
func (Setup) line()  {}
func (Note) line()   {}
func (End) line()    {}

// Test is one test of a run.
type Test struct {
	envelope.Key
	Labels map[string]string `json:"labels,omitempty"`
	Trials int               `json:"trials,omitempty"` // that count at most
	// Elsewhere marks a test that another shard runs.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Sequential is a test whose rule allows for more trials on resuming. It is not
	// written.
	Sequential bool `json:"-"`
}

// Header is the first line of a journal.
type Header struct {
	Run  envelope.Header // without planned trials, which a run that stops at verdicts does not know
	Plan Plan
	// Boot tells one start of the machine from another: processes of an earlier one
	// are gone.
	Boot string
}
