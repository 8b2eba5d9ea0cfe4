package promptfoo

import (
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// The values of failureReason. The text in error says nothing of it: promptfoo
// fills it for plain assertion failures too.
const (
	reasonNone   = 0
	reasonAssert = 1
	reasonError  = 2
)

func (rd *reader) row(v jsonwalk.Value) {
	t := &rd.trial
	*t = envelope.Trial{}
	var known bool
	if t.Status, known = status(v); !known {
		v.Reject("it has neither success nor failureReason")
		return
	}
	at := rd.cellOf(v)
	rd.checkOrder(v, &at)
	t.Score, t.DurationMS, t.CostUSD = v.Get("score").Number(), v.Get("latencyMs").Amount(), v.Get("cost").Amount()
	if tokens := v.Get("tokenUsage", "total").Count(); tokens.V > 0 { // 0 is a provider that does not say
		t.Tokens = tokens
	}
	now := rd.knows(&at)
	if now {
		rd.letGo(rd.knows)
		v.Passing(func() { rd.said(v) })
	} else {
		rd.said(v)
	}
	if t.Status == envelope.Error {
		forgetZeros(t)
		t.ErrorClass = failure.OfProvider(v.Get("error").String())
	}
	checks(t, v.Get("gradingResult"))
	label(t, v.Get("testCase", "metadata"))
	if now {
		rd.deliver(t, &at)
	} else {
		rd.hold(t, at)
	}
}

// deliver delivers a trial of which it is known what its test is called.
func (rd *reader) deliver(t *envelope.Trial, at *cell) {
	t.Key = envelope.Key{Test: rd.names.of(at.test), Variant: rd.variant(at)}
	rd.attempts.Send(t, rd.to)
}

// held is a trial that waits until it is known what its test is called.
type held struct {
	trial envelope.Trial
	at    cell
}

// mostHeld bounds the trials that wait: behind them, names go by what was seen.
const mostHeld = 1 << 10

func (rd *reader) knows(at *cell) bool {
	return (rd.prompt.OK || at.column < int64(len(rd.columns))) && rd.names.knows(at.test)
}

func (rd *reader) hold(t *envelope.Trial, at cell) {
	rd.held = append(rd.held, held{*t, at})
	if len(rd.held) == mostHeld {
		rd.letGo(all)
	}
}

func all(*cell) bool { return true }

// letGo delivers the trials that wait no longer.
func (rd *reader) letGo(of func(*cell) bool) {
	rd.held = slices.DeleteFunc(rd.held, func(h held) bool {
		known := of(&h.at)
		if known {
			rd.deliver(&h.trial, &h.at)
		}
		return known
	})
}

// said takes from a row what of its trial nobody keeps without a copy.
func (rd *reader) said(v jsonwalk.Value) {
	t := &rd.trial
	if t.Status != envelope.Pass {
		t.Message, t.Output = texts(v)
	}
	t.Transcript = transcript(v)
}

func status(v jsonwalk.Value) (envelope.Status, bool) {
	success := v.Get("success").Bool()
	reason := v.Get("failureReason").Count()
	switch {
	case reason.OK && reason.V == reasonError:
		return envelope.Error, true
	case reason.OK && reason.V == reasonAssert:
		return envelope.Fail, true
	case success.OK && success.V, !success.OK && reason.OK && reason.V == reasonNone:
		return envelope.Pass, true
	case !success.OK:
		return "", false
	case !reason.OK && !v.Get("gradingResult").Present() && v.Get("error").Present():
		return envelope.Error, true // before there was a failureReason: nothing was graded
	}
	return envelope.Fail, true
}

// forgetZeros drops what promptfoo writes for a trial that came to nothing.
func forgetZeros(t *envelope.Trial) {
	t.Score = envelope.Opt[float64]{}
	for _, n := range []*envelope.Opt[float64]{&t.DurationMS, &t.CostUSD} {
		if n.V == 0 {
			*n = envelope.Opt[float64]{}
		}
	}
}

// texts are the reason of a trial that did not pass, and what the provider said.
func texts(v jsonwalk.Value) (message, output string) {
	reason := v.Get("error").String()
	if reason == "" {
		reason = v.Get("gradingResult", "reason").String()
	}
	return told(reason, v.Get("response", "output").String())
}

// told is a reason in short, and a longer one behind what was answered.
func told(reason, answer string) (message, output string) {
	output = answer
	if strings.Contains(strings.TrimSpace(reason), "\n") {
		output = strings.TrimPrefix(output+"\n"+reason, "\n")
	}
	return failure.FirstLine(reason), output
}

func label(t *envelope.Trial, metadata jsonwalk.Value) {
	for name, value := range metadata.Members() {
		if value.IsText() || value.IsNumber() {
			trialfields.AddLabel(t, name, value.Text())
		}
	}
}

type trialsOf struct {
	test     *testCase
	provider string
	column   int64
}

// checkOrder tells once that rows do not stand in the order of testIdx: attempts
// are numbered as they stand.
func (rd *reader) checkOrder(v jsonwalk.Value, at *cell) {
	index := v.Get("testIdx").Count()
	of := trialsOf{at.test, at.provider, at.column}
	if last, seen := rd.last[of]; seen && index.OK && index.V < last && !rd.disorder {
		rd.disorder = true
		v.Warn("attempt-order", "testIdx decreases here: attempts are numbered in the order of the rows")
	}
	if index.OK {
		rd.last[of] = index.V
	}
}
