package envelope

// Unplaced counts the trials that share run and attempt with others and do not
// all say when they began. Their order is canonical and has no meaning: one more
// such trial may come to stand before those that were there.
func (r *Rows) Unplaced() (n int) {
	for at := 0; at < len(r.Attempt()); {
		end, timed := at, true
		for end == at || end < len(r.Attempt()) && r.SamePosition(at, end) {
			_, ok := r.StartedAt().At(end)
			timed = timed && ok
			end++
		}
		if end > at+1 && !timed {
			n += end - at
		}
		at = end
	}
	return n
}

// SamePosition reports whether two trials have the same run and attempt.
func (r *Rows) SamePosition(i, j int) bool {
	a, aok := r.Attempt().At(i)
	b, bok := r.Attempt().At(j)
	return aok && bok && a == b && r.Run().At(i) == r.Run().At(j)
}
