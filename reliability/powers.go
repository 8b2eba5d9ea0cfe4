package reliability

import "sync"

// powers remembers how far the sums of logPower came. Metrics are asked for at
// depths that double, and each sum begins as the one before did: going on from
// there adds the same numbers in the same order, and a third as many.
type powers struct {
	mu    sync.Mutex
	known map[[2]float64]partialSum
}

// partialSum is the sum of the first terms.
type partialSum struct {
	terms int
	total float64
}

// log is logPower.
func (p *powers) log(a, b float64, k int) float64 {
	if p == nil {
		return logPower(a, b, k)
	}
	of := [2]float64{a, b}
	p.mu.Lock()
	sum := p.known[of]
	p.mu.Unlock()
	if sum.terms > k {
		sum = partialSum{}
	}
	sum.total, sum.terms = addLogPower(sum.total, a, b, sum.terms, k), k
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[[2]float64]partialSum{}
	}
	p.known[of] = sum
	return sum.total
}
