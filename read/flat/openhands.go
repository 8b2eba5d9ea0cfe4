package flat

import (
	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/jsonwalk"
)

// OpenHands is the outcomes of single instances in the OpenHands Index
// (OpenHands/openhands-index-results), a file of instance_results a benchmark: SWE-bench,
// SWT-bench, Commit0, GAIA and others by one form, with what each instance cost.
//
// It exists because the scores of the index are averages, and these files have every
// instance. Whether it was resolved is all they say: an instance that broke or was never
// handed in is false like one that failed, and one of which the archive says nothing is
// null, which the index counts as not resolved. Each file is a run of its own.
var OpenHands = Format{
	Sniff:   func(head []byte) bool { return firstInstance().Match(head) },
	records: members, cost: "cost", once: true,
	unnamed: unresolved,
	judge: func(t *envelope.Trial, v jsonwalk.Value) string {
		resolved := v.Get("resolved")
		if !resolved.There() {
			return unresolved
		}
		switch outcome := resolved.Bool(); {
		case !outcome.OK:
			t.Status, t.Message = envelope.Error, "nobody said whether it was resolved"
		case outcome.V:
			t.Status, t.RawStatus = envelope.Pass, "resolved"
		default:
			t.Status, t.RawStatus, t.Message = envelope.Fail, "unresolved", "not resolved"
		}
		return ""
	},
}

const unresolved = "it does not say whether it was resolved"

// firstInstance is how a file begins: an id, and of it cost and outcome and nothing else.
var firstInstance = regex.Of(`^\s*\{\s*"[^"\\]+"\s*:\s*\{\s*("cost"\s*:\s*[-+.\deEnul]+\s*,\s*"resolved"\s*:\s*(true|false|null)|"resolved"\s*:\s*(true|false|null)\s*,\s*"cost"\s*:\s*[-+.\deEnul]+)\s*\}`)
