// Package trialfields fills fields of a trial the same way for every format:
// what a test reports of itself by name and value, labels, attempts that are not
// numbered, durations.
//
// It exists because several runners have a channel for such reports (Attr in Go,
// record_property in pytest) and tests of agents use it for their cost and
// score: the same name should mean the same everywhere. A value that does not
// fit its field is kept as a label, so that nothing is lost and nothing is 0
// that was never said. It leaves out how a trial ended: package failure has what
// runners say of that.
package trialfields

import (
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
)

// Set puts the value into the field of that name, or into the labels. Given
// twice, the last value counts.
func Set(t *envelope.Trial, name, value string) {
	if name == "" || field(t, name, strings.TrimSpace(value)) {
		return
	}
	for i := range t.Labels {
		if t.Labels[i].Name == name {
			t.Labels[i].Value = value
			return
		}
	}
	addLabel(t, name, value, maxReported)
}

// AddLabel gives the trial a label from a member of a record whose name is free.
func AddLabel(t *envelope.Trial, name, value string) { addLabel(t, name, value, maxMembers) }

func addLabel(t *envelope.Trial, name, value string, most int) {
	if len(t.Labels) < most {
		t.Labels = append(t.Labels, envelope.Label{Name: name, Value: value})
	}
}

// How many labels a trial may have. Further ones are dropped: no test has them.
const (
	maxReported = 1000 // each costs a look at all before it
	maxMembers  = 64
)

// field reports whether the name is that of a field and the value fits it.
func field(t *envelope.Trial, name, value string) bool {
	switch name {
	case "score":
		return number(&t.Score, value, math.Inf(-1))
	case "cost_usd":
		return number(&t.CostUSD, value, 0)
	case "setup_cost_usd":
		return number(&t.SetupCostUSD, value, 0)
	case "setup_ms":
		return number(&t.SetupMS, value, 0)
	case "tokens":
		return count(&t.Tokens, value)
	case "tool_calls":
		return count(&t.ToolCalls, value)
	case "category":
		return count(&t.Category, value)
	case "truth":
		truth, ok := envelope.ParseTruth(value)
		if ok {
			t.Truth = truth
		}
		return ok
	case "variant":
		t.Variant = value
		return value != ""
	case "error_class":
		t.ErrorClass = value
		return value != ""
	}
	return false
}

// Finite is a number that a text is; absent where it is none.
func Finite(text string) (f envelope.Opt[float64]) {
	number(&f, text, math.Inf(-1))
	return f
}

func number(to *envelope.Opt[float64], value string, least float64) bool {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || f < least {
		return false
	}
	*to = envelope.Some(f)
	return true
}

func count[T int32 | int64](to *envelope.Opt[T], value string) bool {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 || int64(T(n)) != n {
		return false
	}
	*to = envelope.Some(T(n))
	return true
}

// Milliseconds is an amount of a unit of so many milliseconds, absent when it
// is negative or no finite number.
func Milliseconds(amount, unit float64) envelope.Opt[float64] {
	if ms := amount * unit; ms >= 0 && !math.IsInf(ms, 0) {
		return envelope.Some(ms)
	}
	return envelope.Opt[float64]{}
}
