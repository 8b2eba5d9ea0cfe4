// Package openhands reads the outcomes of single instances in the OpenHands Index
// (OpenHands/openhands-index-results), a file of instance_results a benchmark: SWE-bench,
// SWT-bench, Commit0, GAIA and others by one form, with what each instance cost.
//
// It exists because the scores of the index are averages, and these files have every
// instance. Whether it was resolved is all they say: an instance that broke or was never
// handed in is false like one that failed, and one of which the archive says nothing is
// null, which the index counts as not resolved. Each file is a run of its own.
package openhands

import (
	"io"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/jsonwalk"
)

// firstMember is how a file begins: an id, and of it cost and outcome and nothing else.
var firstMember = regex.Of(`^\s*\{\s*"[^"\\]+"\s*:\s*\{\s*("cost"\s*:\s*[-+.\deEnul]+\s*,\s*"resolved"\s*:\s*(true|false|null)|"resolved"\s*:\s*(true|false|null)\s*,\s*"cost"\s*:\s*[-+.\deEnul]+)\s*\}`)

// Sniff reports whether head starts with the outcome of an instance.
func Sniff(head []byte) bool { return firstMember().Match(head) }

// Read reads one file. What is wrong with an instance is a problem in the sink; the error
// is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	return jsonwalk.Document(r, to, func(t *jsonwalk.Text) error {
		return t.Object(func(id string) error {
			v, err := t.Value()
			if err == nil {
				v.Deliver(func(v jsonwalk.Value) { instance(id, v, to) })
			}
			return err
		})
	})
}

func instance(id string, v jsonwalk.Value, to envelope.Sink) {
	resolved := v.Get("resolved")
	if id == "" || !resolved.There() {
		v.Reject("it does not say whether it was resolved")
		return
	}
	t := envelope.Trial{Key: envelope.Key{Test: id}, Attempt: envelope.Some[int32](0), CostUSD: v.Get("cost").Amount()}
	switch outcome := resolved.Bool(); {
	case !outcome.OK:
		t.Status, t.Message = envelope.Error, "nobody said whether it was resolved"
	case outcome.V:
		t.Status, t.RawStatus = envelope.Pass, "resolved"
	default:
		t.Status, t.RawStatus, t.Message = envelope.Fail, "unresolved", "not resolved"
	}
	to.Trial(&t)
}
