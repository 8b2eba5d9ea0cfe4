package ctrf

import (
	"math"
	"time"

	"tribunal/envelope"
)

// secondsBelow is what no time in milliseconds is below (1973), and no time in
// seconds above (5138).
const secondsBelow = 1e11

// instant is a time since 1970 in milliseconds, or in seconds when it must be.
func instant(v float64) (time.Time, bool) {
	const most = 1e15
	if !(v > 0 && v < most) {
		return time.Time{}, false
	}
	if v < secondsBelow {
		v *= 1000
	}
	return time.UnixMicro(int64(math.Round(v * 1000))).UTC(), true
}

// times fills in when a try started and how long it took. A skipped test took no
// time that is worth a number.
func (rd *reader) times(t *envelope.Trial, y *try) {
	if at, ok := instant(y.Start); ok {
		t.StartedAt = at
	}
	if y.Duration == nil || t.Status == envelope.Skip && *y.Duration == 0 {
		return
	}
	ms := *y.Duration
	if rd.seconds || inSeconds(y) {
		ms *= 1000
	}
	const digits = 1e6 // so that 0.007 s is 7 ms and not a little more
	if ms = math.Round(ms*digits) / digits; ms < 0 || math.IsInf(ms, 0) || math.IsNaN(ms) {
		rd.warn(envelope.CodeField, "some durations are not numbers of 0 or more: they count as unknown")
		return
	}
	t.DurationMS = envelope.Some(ms)
}

// inSeconds reports a duration that is a fraction and just the difference of two
// times in seconds.
func inSeconds(y *try) bool {
	const near = 0.002
	d := *y.Duration
	return d != math.Trunc(d) && y.Start > 0 && y.Start < secondsBelow && y.Stop >= y.Start && math.Abs(y.Stop-y.Start-d) < near
}
