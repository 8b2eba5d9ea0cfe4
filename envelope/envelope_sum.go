package envelope

import "slices"

// TrialsSum is that of all trials of the envelope, and of what of them could not be read.
func (e *Envelope) TrialsSum() TrialsSum {
	sum := e.sum
	if sum.Trials == 0 {
		var hashes []uint64
		reasons := HashReasons(nil, e.Reasons)
		for i := range e.Tests {
			sum, hashes = e.Tests[i].AddTo(sum, reasons, hashes)
		}
	}
	sum.Add(SumOfErrors(e.Problems))
	return sum
}

// KeepSum keeps the sum of all trials, for whoever made it while it had them in the
// processor's caches anyway.
func (e *Envelope) KeepSum(trials TrialsSum) { e.sum = trials }

// HashReasons appends the hashes of reasons.
func HashReasons(to []uint64, reasons []Reason) []uint64 {
	for _, r := range reasons {
		to = append(to, r.Hash())
	}
	return to
}

// AddTo adds the trials of the test to a sum. It returns the memory of their hashes, to be
// used again.
func (t *Test) AddTo(sum TrialsSum, reasons, memory []uint64) (TrialsSum, []uint64) {
	hashes := slices.Grow(memory[:0], t.Rows.Len())[:t.Rows.Len()]
	test := t.Key.Hash()
	for n := range hashes {
		hashes[n] = test
	}
	t.Rows.Sums(hashes, reasons, func(_ int, one TrialsSum) { sum.Add(one) })
	return sum, hashes
}
