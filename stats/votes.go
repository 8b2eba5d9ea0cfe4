package stats

import "math"

// Part is an estimate and its interval, NaN where there is none.
type Part struct{ Value, Lo, Hi float64 }

// VoteNoise splits how repeated judgements of trials vary within the tests they are
// of: Judge is the variance of judging one trial again, Agent that of trying one
// test again, and Share what part of both is the judge's.
type VoteNoise struct {
	Trials, Votes       int
	Judge, Agent, Share Part
}

// VotesOf estimates them by the nested analysis of variance; a cluster of a test is a
// trial, passed of n judgements. With one test these are VarianceComponents. Trials
// without judgements are ignored. Judge is NaN where no trial is judged twice, Agent
// and Share where no test has two trials as well.
//
// Judgements are 0 and 1, and intervals of normal data miss the parts by far. The
// judge's is Wilson's for a mean of variances each of which lies between 0 and the most
// that its number of judgements can have. The others are by the jackknife over all
// trials, with Student's t, after a test of three trials more is added that are judged
// all passed, all failed, and half and half: without them, runs in which nothing
// varies by chance would have intervals without any width. It is not taken within
// each test, where few trials of two values vary less than they could. The share is
// taken on the scale of half the logarithm of the ratio of mean squares.
//
// S. R. Searle, G. Casella, C. E. McCulloch, Variance Components (1992), 3 and 5; J. N.
// Arvesen, Ann. Math. Stat. 40 (1969) 2076-2100 (the jackknife, and its scale).
func VotesOf(tests [][]Cluster, confidence float64) VoteNoise {
	nan := math.NaN()
	none := Part{nan, nan, nan}
	out := VoteNoise{Judge: none, Agent: none, Share: none}
	var all nested
	for _, trials := range tests {
		of := nestedTest{}
		for _, t := range trials {
			if !isCount(t.Passed, t.N) || t.N == 0 {
				continue
			}
			out.Trials++
			out.Votes += t.N
			of.add(t, 1)
		}
		all.add(&of, 1)
	}
	if all.againJudged == 0 || !isLevel(confidence) {
		return out
	}
	out.Judge = judgePart(tests, &all, confidence)
	if all.againTried == 0 {
		return out
	}
	agent, judge := all.components()
	out.Agent.Value, out.Share.Value = math.Max(0, agent), nan
	if agent = math.Max(0, agent); agent+judge > 0 {
		out.Share.Value = judge / (agent + judge)
	}
	out.jackknife(withThreeMore(tests, all.size()), all.againTried, confidence)
	return out
}

// nestedTest sums the judgements of the trials of a test.
type nestedTest struct {
	trials                 float64
	votes, passed          float64
	squaresOfN, ofMeans    float64 // sums of n² and of passed²/n
	within, againJudgedOne float64 // sums of n p(1-p) and of n-1
}

func (s *nestedTest) add(t Cluster, sign float64) {
	n, passed := float64(t.N), float64(t.Passed)
	s.trials += sign
	s.votes += sign * n
	s.passed += sign * passed
	s.squaresOfN += sign * n * n
	s.ofMeans += sign * passed * passed / n
	s.within += sign * passed * (n - passed) / n
	s.againJudgedOne += sign * (n - 1)
}

// nested sums tests.
type nested struct {
	within, againJudged float64 // sum of squares within trials, and its degrees of freedom
	between, againTried float64 // between trials of a test
	weight              float64 // expected multiple of the agent's part in the sum of squares between
}

func (s *nested) add(t *nestedTest, sign float64) {
	if t.trials < 0.5 {
		return
	}
	s.within += sign * t.within
	s.againJudged += sign * t.againJudgedOne
	s.between += sign * (t.ofMeans - t.passed*t.passed/t.votes)
	s.againTried += sign * (t.trials - 1)
	s.weight += sign * (t.votes - t.squaresOfN/t.votes)
}

// size is the mean number of judgements of a trial, as these sums weigh it.
func (s *nested) size() float64 { return s.weight / s.againTried }

func (s *nested) components() (agent, judge float64) {
	judge = s.within / s.againJudged
	return (s.between/s.againTried - judge) / s.size(), judge
}

// judgePart is the mean of what the judgements of each trial vary.
func judgePart(tests [][]Cluster, all *nested, confidence float64) Part {
	most, squares := 0., 0.
	for _, trials := range tests {
		for _, t := range trials {
			if t.N < 2 || !isCount(t.Passed, t.N) {
				continue
			}
			n, half := float64(t.N), float64(t.N/2)
			most = math.Max(most, half*(n-half)/n/(n-1))
			squares += (n - 1) * (n - 1)
		}
	}
	value := all.within / all.againJudged
	lo, hi := wilsonOf(value/most, all.againJudged*all.againJudged/squares, Z(confidence))
	return Part{value, most * lo, most * hi}
}

// wilsonOf is Wilson's interval of a share of n, which need not be whole.
func wilsonOf(share, n, z float64) (lo, hi float64) {
	middle := (share + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(math.Max(0, share*(1-share)/n)+z*z/(4*n*n))
	return math.Max(0, middle-half), math.Min(1, middle+half)
}

// withThreeMore are the tests and one of three trials that vary.
func withThreeMore(tests [][]Cluster, size float64) [][]Cluster {
	n := 2 * max(1, int(math.Round(size/2))) // even, so that one can be half and half
	return append(tests[:len(tests):len(tests)], []Cluster{{Passed: 0, N: n}, {Passed: n / 2, N: n}, {Passed: n, N: n}})
}

// jackknife sets the intervals of the agent's part and of the judge's share.
func (v *VoteNoise) jackknife(tests [][]Cluster, df, confidence float64) {
	sums, all := make([]nestedTest, len(tests)), nested{}
	for i, trials := range tests {
		for _, t := range trials {
			if isCount(t.Passed, t.N) && t.N > 0 {
				sums[i].add(t, 1)
			}
		}
		all.add(&sums[i], 1)
	}
	size := all.size()
	scaled := func(s *nested) (agent, logRatio float64) {
		agent, judge := s.components()
		return agent, math.Log((agent+judge/size)/judge) / 2
	}
	agent, ratio := scaled(&all)
	var of changes
	for i, trials := range tests {
		for _, t := range trials {
			if !isCount(t.Passed, t.N) || t.N == 0 {
				continue
			}
			without, rest := all, sums[i]
			rest.add(t, -1)
			without.add(&sums[i], -1)
			without.add(&rest, 1)
			a, r := scaled(&without)
			of.add(a-agent, r-ratio)
		}
	}
	t := StudentT(confidence, int(df))
	half := t * math.Sqrt(of.variance(0))
	v.Agent.Lo, v.Agent.Hi = math.Max(0, math.Min(v.Agent.Value, agent-half)), math.Max(v.Agent.Value, agent+half)
	half = t * math.Sqrt(of.variance(1))
	share := func(ratio float64) float64 { return 1 / (1 + math.Max(0, math.Exp(2*ratio)-1/size)) }
	v.Share.Lo, v.Share.Hi = share(ratio+half), share(ratio-half)
	if !math.IsNaN(v.Share.Value) {
		v.Share.Lo, v.Share.Hi = math.Min(v.Share.Lo, v.Share.Value), math.Max(v.Share.Hi, v.Share.Value)
	}
}

// changes are what both estimates change by without one trial each.
type changes struct {
	n             float64
	total, square [2]float64
}

func (c *changes) add(agent, ratio float64) {
	c.n++
	for k, x := range [2]float64{agent, ratio} {
		c.total[k] += x
		c.square[k] += x * x
	}
}

// variance is that of one of both, as the jackknife has it.
func (c *changes) variance(k int) float64 {
	return (c.n - 1) / c.n * math.Max(0, c.square[k]-c.total[k]*c.total[k]/c.n)
}
