package runner

import "time"

const (
	rowPauses = 5  // starts in a row that ended by infrastructure, and pause the run
	rowEnds   = 10 // those that end it
	longPause = time.Minute
)

// outage counts starts in a row that ended by infrastructure, over all tests.
// Those that ran already when a pause began say nothing new: they are not counted.
type outage struct {
	row    int
	pauses int
	paused bool
}

// add takes an ended start that began after so many pauses. It returns the
// longest time of a pause that begins with it, 0 for none, and whether the
// infrastructure is taken to be down.
func (o *outage) add(broken bool, pauses int) (pause time.Duration, down bool) {
	switch {
	case !broken:
		o.row = 0
		return 0, false
	case pauses < o.pauses:
		return 0, false
	}
	o.row++
	if o.row < rowPauses {
		return 0, false
	}
	o.pauses++
	o.paused = true
	return min(time.Second<<(o.row-rowPauses), longPause), o.row >= rowEnds
}
