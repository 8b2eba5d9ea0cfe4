package deepeval

import (
	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// check makes a check of a metric. One that could not be measured is an error, and
// one that was left out for want of its inputs a skip; DeepEval writes both down as
// not successful, or not at all.
func check(t *envelope.Trial, metric jsonwalk.Value) {
	c := envelope.Check{Name: metric.Get("name").Text(), Status: trialfields.PassFail(metric.Get("success").Bool()),
		Score: metric.Get("score").Number(), Reason: metric.Get("reason").String()}
	skipped := metric.Get("skipped").Bool()
	switch broken := metric.Get("error").String(); {
	case broken != "":
		c.Status, c.Reason = envelope.Error, broken
	case skipped.OK && skipped.V:
		c.Status = envelope.Skip
	case c.Status == "" && !c.Score.OK:
		c.Status = envelope.Skip
	}
	trialfields.AddCheck(t, c, "metric")
}
