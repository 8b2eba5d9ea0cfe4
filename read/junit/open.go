package junit

import (
	"slices"

	"tribunal/envelope"
)

// openLimit is how many tests may fail while one that failed is torn down.
const openLimit = 256

// openCases are the testcases of pytest whose teardown may follow: the last one,
// and those that failed, for with pytest-xdist the testcases of other workers may
// come between a failed test and its teardown.
type openCases struct {
	failed []heldCase
	last   []heldCase // one at most
}

// add opens a testcase and returns those that are complete now, in order: what
// comes before another testcase of the same name is.
func (o *openCases) add(h heldCase) (done []heldCase) {
	if before, ok := o.take(h.trials[0].Key); ok {
		done = append(done, before)
	}
	done = append(done, o.last...)
	o.last = nil
	switch h.trials[0].Status {
	case envelope.Fail:
		o.failed = append(o.failed, h)
	case envelope.Error: // its teardown is told in the same testcase
		return append(done, h)
	default:
		o.last = []heldCase{h}
	}
	if len(o.failed) > openLimit {
		done = append(done, o.failed[0])
		o.failed = slices.Delete(o.failed, 0, 1)
	}
	return done
}

// take closes the testcase of that key, if one is open.
func (o *openCases) take(k envelope.Key) (h heldCase, ok bool) {
	for _, among := range []*[]heldCase{&o.failed, &o.last} {
		if i := slices.IndexFunc(*among, func(h heldCase) bool { return h.trials[0].Key == k }); i >= 0 {
			h = (*among)[i]
			*among = slices.Delete(*among, i, i+1)
			return h, true
		}
	}
	return heldCase{}, false
}

// rest closes all.
func (o *openCases) rest() []heldCase {
	all := slices.Concat(o.failed, o.last)
	*o = openCases{}
	return all
}
