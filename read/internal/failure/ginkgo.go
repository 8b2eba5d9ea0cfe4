package failure

import (
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
)

// ofAttempt matches a failure that Ginkgo puts into the timeline of a spec that it tries again.
var ofAttempt = regex.Of(`(?ms)^\[([A-Z]+)\] Failure recorded during attempt (\d+):\n(.*?)\nIn \[`)

// TriesOfGinkgo returns the earlier tries of a spec with FlakeAttempts, which only its timeline has, and makes the last
// one a retry.
func TriesOfGinkgo(last *envelope.Trial, timeline string) (earlier []envelope.Trial) {
	if !strings.Contains(timeline, "] Failure recorded during attempt ") {
		return nil
	}
	number := ""
	for _, m := range ofAttempt().FindAllStringSubmatch(timeline, -1) {
		if m[2] == number { // an AfterEach adds it
			continue
		}
		number = m[2]
		last.DurationMS = envelope.Opt[float64]{} // it is that of all tries
		try := *last
		try.Status, try.RawStatus, try.ErrorClass, try.Message, try.Output = envelope.Fail, "", "", Reason(m[3], 1), m[3]
		if m[1] == "TIMEDOUT" {
			try.ErrorClass = envelope.ClassTimeout
		}
		earlier, last.Retry = append(earlier, try), true
	}
	return earlier
}
