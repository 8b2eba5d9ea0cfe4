package verdict

import "slices"

// quantiles are two quantiles, p <= q. The second lies in what is not before the
// first.
func quantiles(values []float64, p, q float64) (float64, float64) {
	first := quantile(values, p)
	return first, quantileFrom(values, int(p*float64(len(values)-1)), q)
}

// quantile interpolates between the neighbours in order of values, as R's type 7
// (Hyndman and Fan, The American Statistician 50, 1996). It puts the values in
// another order.
func quantile(values []float64, q float64) float64 { return quantileFrom(values, 0, q) }

// quantileFrom is quantile where no value before from is larger than one behind.
func quantileFrom(values []float64, from int, q float64) float64 {
	at := q * float64(len(values)-1)
	i := int(at)
	below := smallest(values[from:], i-from)
	if i+1 >= len(values) {
		return below
	}
	above := slices.Min(values[i+1:])
	part := float64((at - float64(i)) * (above - below)) // rounded before it is added, on every processor
	return below + part
}

// Fewer values than fewValues are sorted rather than parted, and what is left
// after mostRounds of parting.
const (
	fewValues  = 12
	mostRounds = 64
)

// smallest finds the value that has i smaller ones before it when the values are
// in order, and moves no smaller one behind it and no larger one before it
// (C. A. R. Hoare, Algorithm 65: Find, 1961). Where the parting makes no headway,
// it sorts, so that no order of values makes it slow.
func smallest(values []float64, i int) float64 {
	lo, hi := 0, len(values)
	for rounds := 0; hi-lo > fewValues && rounds < mostRounds; rounds++ {
		pivot := middle(values[lo], values[lo+(hi-lo)/2], values[hi-1])
		border := lo + partBelow(values[lo:hi], pivot)
		if i < border {
			hi = border
			continue
		}
		lo = border
		if border += partUpTo(values[lo:hi], pivot); i < border {
			return pivot
		}
		lo = border
	}
	slices.Sort(values[lo:hi])
	return values[i]
}

// partBelow moves the values below a pivot to the front and returns how many they
// are. There is no branch to be guessed in it: half of the guesses would be wrong,
// and each wrong one costs more than all the rest (E. Lomuto's partition).
func partBelow(values []float64, pivot float64) int {
	n := 0
	for i, v := range values {
		values[i], values[n] = values[n], v
		below := 0
		if v < pivot {
			below = 1
		}
		n += below
	}
	return n
}

// partUpTo is partBelow for values up to the pivot.
func partUpTo(values []float64, pivot float64) int {
	n := 0
	for i, v := range values {
		values[i], values[n] = values[n], v
		upTo := 0
		if v <= pivot {
			upTo = 1
		}
		n += upTo
	}
	return n
}

func middle(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
