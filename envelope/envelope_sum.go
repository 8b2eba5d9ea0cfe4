package envelope

import "slices"

// TrialsSum is that of all trials of the envelope, and of what of them could not be read.
func (e *Envelope) TrialsSum() TrialsSum {
	sum := e.sum
	if sum.Trials == 0 {
		var hashes []uint64
		for i := range e.Tests {
			sum, hashes = e.Tests[i].AddTo(sum, hashes)
		}
	}
	sum.Add(SumOfErrors(e.Problems))
	return sum
}

// KeepSum keeps the sum of all trials, for whoever made it while it had them in the
// processor's caches anyway.
func (e *Envelope) KeepSum(trials TrialsSum) { e.sum = trials }

// AddTo adds the trials of the test to a sum. It returns the memory of their hashes, to be
// used again.
func (t *Test) AddTo(sum TrialsSum, memory []uint64) (TrialsSum, []uint64) {
	hashes := slices.Grow(memory[:0], t.Rows.Len())[:t.Rows.Len()]
	test := t.Key.Hash()
	for n := range hashes {
		hashes[n] = test
	}
	t.Rows.Hash(hashes)
	for _, h := range hashes {
		sum.Add(SumOf(h))
	}
	return sum, hashes
}
