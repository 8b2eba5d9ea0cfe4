package command

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"tribunal/envelope"
	"tribunal/history/trend"
	"tribunal/internal/words"
	"tribunal/run/runner"
)

const flagByTime = "by-time"

// timed is a test with the time of a trial. Whole microseconds add up to the same on
// every machine.
type timed struct {
	runner.Test
	took time.Duration
}

// byTime is the shard of each test: the longest test first, each to the shard with the
// least time so far (LPT, R. Graham, SIAM Journal on Applied Mathematics 17 (1969) 416-429).
// A test whose time is not known takes the median of the others.
func byTime(tests []runner.Test, took map[envelope.Key]time.Duration, of int) (shards map[envelope.Key]int, loads []time.Duration) {
	var known []time.Duration
	for _, t := range tests {
		if d, is := took[t.Key]; is {
			known = append(known, d)
		}
	}
	slices.Sort(known)
	var all []timed
	for _, t := range tests {
		d, is := took[t.Key]
		if !is && len(known) > 0 {
			d = known[len(known)/2]
		}
		all = append(all, timed{t, d})
	}
	slices.SortFunc(all, func(a, b timed) int { return cmp.Or(cmp.Compare(b.took, a.took), a.Key.Compare(b.Key)) })
	shards, loads = map[envelope.Key]int{}, make([]time.Duration, of)
	tests, counts := nil, make([]int, of)
	for _, t := range all {
		least := 0
		for i := range loads {
			if cmp.Or(cmp.Compare(loads[i], loads[least]), counts[i]-counts[least]) < 0 {
				least = i
			}
		}
		shards[t.Key] = least + 1
		loads[least], counts[least] = loads[least]+t.took, counts[least]+1
	}
	return shards, loads
}

// medians are the times of a trial of the tests that the history knows: the median of the
// medians of its runs.
func (r *historyLookup) medians() (map[envelope.Key]time.Duration, error) {
	t, err := r.stored()
	if err != nil {
		return nil, err
	}
	took := map[envelope.Key]time.Duration{}
	for i := range t.Tests {
		if d, ok := medianOf(&t.Tests[i]); ok {
			took[t.Tests[i].Key] = d
		}
	}
	if len(took) == 0 {
		return nil, errors.New("the history has no durations; leave out --by-time until it has")
	}
	return took, nil
}

func medianOf(t *trend.Test) (time.Duration, bool) {
	var all []time.Duration
	for _, p := range t.Points {
		if ms := p.DurationMS; ms >= 0 && ms < math.MaxInt64/1e9 { // neither NaN nor 292 years in all
			all = append(all, time.Duration(math.Round(ms*1000))*time.Microsecond)
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	slices.Sort(all)
	return all[len(all)/2], true
}

// dealer is which tests are of a part, and what is said of its time.
func (p *trialRun) dealer(part shard, tests []runner.Test) (has func(envelope.Key) bool, says string, err error) {
	if !p.c.Bool(flagByTime) {
		return part.has, "", nil
	}
	took, err := p.past.medians()
	if err != nil {
		return nil, "", fmt.Errorf("--by-time: %w", err)
	}
	shards, loads := byTime(tests, took, part.of)
	says = fmt.Sprintf(", %s of at most %s for a trial of each", loads[part.number-1].Round(time.Millisecond), slices.Max(loads).Round(time.Millisecond))
	if n := len(tests) - countKnown(tests, took); n > 0 {
		says += "; " + words.Plural(n, "test", "tests") + " without a time, counted as the median"
	}
	return func(k envelope.Key) bool { return shards[k] == part.number }, says, nil
}

func countKnown(tests []runner.Test, took map[envelope.Key]time.Duration) (n int) {
	for _, t := range tests {
		if _, known := took[t.Key]; known {
			n++
		}
	}
	return n
}
