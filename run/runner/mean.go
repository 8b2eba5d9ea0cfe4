package runner

// Mean is the expected number of counted trials of a test with a true pass rate,
// exactly: probability moves from each count of passes to its two successors, and
// leaves where the test stops. All trials count.
func (s *Stopping) Mean(rate float64) float64 {
	mean := 0.0
	at := []float64{1} // the chance of each number of passes
	for n := 0; n < s.trials && len(at) > 0; n++ {
		next := make([]float64, n+2)
		going := 0.0
		for passed, chance := range at {
			if chance == 0 || s.Near(passed, n-passed) == 0 {
				continue
			}
			going += chance
			next[passed+1] += chance * rate
			next[passed] += chance * (1 - rate)
		}
		mean += going // each of them takes one more trial
		at = next
	}
	return mean
}

// StoppingOf is the stopping of a test.
func (s *Scheduler) StoppingOf(id int) *Stopping { return s.tests[id].stop }
