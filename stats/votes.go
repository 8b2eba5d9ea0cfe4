package stats

import (
	"math"
	"slices"

	"tribunal/internal/each"
)

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
// Judgements are 0 and 1, and intervals of normal data miss the parts by far; those in
// their place are in docs/statistics/judge.md. The jackknife is over all trials, for
// within a test few trials of two values vary less than they could.
//
// S. R. Searle, G. Casella, C. E. McCulloch, Variance Components (1992), 3 and 5; J. N.
// Arvesen, Ann. Math. Stat. 40 (1969) 2076-2100 (the jackknife, and its scale).
func VotesOf(tests [][]Cluster, confidence float64) VoteNoise {
	nan := math.NaN()
	none := Part{nan, nan, nan}
	out := VoteNoise{Judge: none, Agent: none, Share: none}
	_, all := summed(tests)
	for _, trials := range tests {
		for _, t := range trials {
			if isCount(t.Passed, t.N) && t.N > 0 {
				out.Trials++
				out.Votes += t.N
			}
		}
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

func summed(tests [][]Cluster) (sums []nestedTest, all nested) {
	sums = make([]nestedTest, len(tests))
	for i, trials := range tests {
		for _, t := range trials {
			if isCount(t.Passed, t.N) && t.N > 0 {
				sums[i].add(t, 1)
			}
		}
		all.add(&sums[i], 1)
	}
	return sums, all
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
	n := all.againJudged * all.againJudged / squares // need not be whole
	lo, hi := scoreInterval(value/most*n, n, Z(confidence))
	return Part{value, most * toRate(lo), most * toRate(hi)}
}

// withThreeMore are the tests and one of three trials that vary.
func withThreeMore(tests [][]Cluster, size float64) [][]Cluster {
	n := 2 * max(1, int(math.Round(size/2))) // even, so that one can be half and half
	return append(tests[:len(tests):len(tests)], []Cluster{{Passed: 0, N: n}, {Passed: n / 2, N: n}, {Passed: n, N: n}})
}

// jackknife sets the intervals of the agent's part and of the judge's share.
func (v *VoteNoise) jackknife(tests [][]Cluster, df, confidence float64) {
	sums, all := summed(tests)
	size := all.size()
	scaled := func(s *nested) (agent, logRatio float64) {
		agent, judge := s.components()
		return agent, math.Log((agent+judge/size)/judge) / 2
	}
	agent, ratio := scaled(&all)
	var agents, ratios []float64 // by what both change without one trial each
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
			agents, ratios = append(agents, a-agent), append(ratios, r-ratio)
		}
	}
	error := func(changes []float64) float64 {
		_, deviation := MeanDeviation(changes)
		n := float64(len(changes))
		return StudentT(confidence, int(df)) * (n - 1) / math.Sqrt(n) * deviation
	}
	half := error(agents)
	v.Agent.Lo, v.Agent.Hi = math.Max(0, math.Min(v.Agent.Value, agent-half)), math.Max(v.Agent.Value, agent+half)
	half = error(ratios)
	share := func(ratio float64) float64 { return 1 / (1 + math.Max(0, math.Exp(2*ratio)-1/size)) }
	v.Share.Lo, v.Share.Hi = share(ratio+half), share(ratio-half)
	if !math.IsNaN(v.Share.Value) {
		v.Share.Lo, v.Share.Hi = math.Min(v.Share.Lo, v.Share.Value), math.Max(v.Share.Hi, v.Share.Value)
	}
}

// Scale says how far two ratings are apart.
type Scale int

// The scales of ratings: equal or not, in an order, and as far as their difference.
const (
	Nominal Scale = iota
	Ordinal
	Interval
)

// KrippendorffAlpha is how far judges agree beyond chance: 1 where they always do, 0 as by
// chance. A unit has the ratings of one thing, by as many judges as rated it; units with
// fewer than two say nothing. NaN where all ratings are the same.
//
// K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011).
func KrippendorffAlpha(units [][]float64, scale Scale) float64 {
	units = slices.DeleteFunc(slices.Clone(units), func(u []float64) bool { return len(u) < 2 })
	all := slices.Concat(units...)
	slices.Sort(all)
	apart := func(ratings []float64) float64 { // over all ordered pairs
		counts, sum, squares, n := map[float64]float64{}, 0., 0., float64(len(ratings))
		for _, v := range ratings {
			counts[v]++
			if v -= all[0]; scale == Ordinal { // the middle rank of its equals
				first, _ := slices.BinarySearch(all, v+all[0])
				after, _ := slices.BinarySearch(all, math.Nextafter(v+all[0], math.Inf(1)))
				v = float64(first + after)
			}
			sum, squares = sum+v, squares+v*v
		}
		if scale != Nominal {
			return 2 * (n*squares - sum*sum)
		}
		for _, c := range counts {
			n -= c * c / float64(len(ratings))
		}
		return n * float64(len(ratings))
	}
	observed := each.Sum(units, func(u []float64) float64 { return apart(u) / float64(len(u)-1) })
	return 1 - float64(len(all)-1)*observed/apart(all)
}
