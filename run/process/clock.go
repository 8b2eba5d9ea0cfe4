package process

import "time"

// clock counts the time in which the run was not suspended.
type clock struct {
	zero   time.Time
	lost   time.Duration // suspended so far
	frozen time.Time     // since when it is suspended, else zero
}

func newClock() clock { return clock{zero: time.Now()} }

func (c *clock) stopped() bool { return !c.frozen.IsZero() }

// now returns the time since the clock was made, without what was suspended.
func (c *clock) now() time.Duration {
	at := time.Now()
	if c.stopped() {
		at = c.frozen
	}
	return at.Sub(c.zero) - c.lost
}

func (c *clock) stop(on bool) {
	if on {
		c.frozen = time.Now()
		return
	}
	c.lost += time.Since(c.frozen)
	c.frozen = time.Time{}
}
