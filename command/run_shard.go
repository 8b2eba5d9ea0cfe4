package command

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/history/trend"
	"tribunal/internal/run/driver"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/runner"
	"tribunal/internal/words"
)

// shard is part number of so many parts of the tests of a run, from 1 on.
type shard struct{ number, of int }

// has reports whether a test is in the part. It depends on the names of the test and
// on the number of parts alone, so that machines that know nothing of each other run
// each test once.
func (s shard) has(k envelope.Key) bool {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n", k.Suite, k.Test, k.Variant))
	return binary.BigEndian.Uint64(sum[:8])%uint64(s.of) == uint64(s.number-1)
}

// deal leaves the tests of the part that is asked for.
func (p *trialRun) deal(r *driver.Run) error {
	if p.set.Shard == "" && p.c.Bool(flagByTime) {
		return errors.New("--by-time splits the tests of a run: give --shard I/N as well")
	}
	if r.Sharded = p.set.Shard != ""; !r.Sharded || len(r.Plan.Tests) == 0 { // Settle refuses --shard without tests
		return nil
	}
	part, err := shardOf(p.set.Shard, p.env.Getenv)
	if err != nil {
		return fmt.Errorf("--shard %s: %w", p.set.Shard, err)
	}
	has, says, err := p.dealer(part, r.Plan.Tests)
	if err != nil {
		return err
	}
	var here []runner.Test
	for _, t := range r.Plan.Tests {
		if has(t.Key) {
			here = append(here, t)
		} else {
			r.Elsewhere = append(r.Elsewhere, t)
		}
	}
	p.note("shard %d of %d: %s%s", part.number, part.of, words.Of(len(here), len(r.Plan.Tests), "test", "tests"), says)
	r.Plan.Tests = here
	return nil
}

// sameShard rejects --shard with the journal of another shard. With --by-time it cannot
// check: the history, and so the split, may have changed since.
func (p *trialRun) sameShard(r *driver.Run, j *journal.Journal) error {
	if p.set.Shard == "" || p.c.Bool(flagByTime) {
		return nil
	}
	part, err := shardOf(p.set.Shard, p.env.Getenv)
	if err != nil {
		return fmt.Errorf("--shard %s: %w", p.set.Shard, err)
	}
	for _, t := range r.Plan.Tests {
		if !part.has(t.Key) {
			return fmt.Errorf("--shard %s: the journal %s is of another shard: it has the test %s, which shard %d of %d does not "+
				"have; leave out --shard to resume it", p.set.Shard, j.Dir(), t.Key, part.number, part.of)
		}
	}
	return nil
}

// machine is a system that tells its jobs which of several they are.
type machine struct {
	name, index, total string
	from               int    // the number of the first one
	first, step        string // variables that say that otherwise
}

// machines are those whose variables are known. Kubernetes does not tell a Pod how many there are.
var machines = []machine{
	{name: "Slurm", index: "SLURM_ARRAY_TASK_ID", total: "SLURM_ARRAY_TASK_COUNT", first: "SLURM_ARRAY_TASK_MIN",
		step: "SLURM_ARRAY_TASK_STEP"},
	{name: "GitLab", index: "CI_NODE_INDEX", total: "CI_NODE_TOTAL", from: 1},
	{name: "CircleCI", index: "CIRCLE_NODE_INDEX", total: "CIRCLE_NODE_TOTAL"},
	{name: "Buildkite", index: "BUILDKITE_PARALLEL_JOB", total: "BUILDKITE_PARALLEL_JOB_COUNT"},
	{name: "Kubernetes", index: "JOB_COMPLETION_INDEX"},
}

// shardOf is the part that a word means, which was checked: I/N, auto or auto/N.
func shardOf(word string, getenv func(string) string) (shard, error) {
	part, of, _ := strings.Cut(word, "/")
	total, _ := strconv.Atoi(of)
	if part != settings.ShardAuto {
		number, _ := strconv.Atoi(part)
		return shard{number, total}, nil
	}
	var found shard
	by := ""
	for _, m := range machines {
		s, told, err := m.shard(total, getenv)
		switch {
		case err != nil:
			return found, err
		case !told || s.of == 1 && by != "":
		case by != "" && found.of > 1 && found != s:
			return found, fmt.Errorf("%s says %d/%d and %s %d/%d: give one of them as I/N", by, found.number, found.of, m.name, s.number, s.of)
		default:
			found, by = s, m.name
		}
	}
	if by == "" {
		names := each.Of(machines, func(m machine) string { return m.index })
		return found, fmt.Errorf("no variable has the number of this shard (%s): give I/N", strings.Join(names, ", "))
	}
	return found, nil
}

// shard is what the system tells, where it tells anything; total is how many parts there are, where that is known.
func (m machine) shard(total int, getenv func(string) string) (s shard, told bool, err error) {
	if getenv(m.index) == "" {
		return s, false, nil
	}
	number := func(name string, otherwise int) int {
		n, wrong := strconv.Atoi(getenv(name))
		switch {
		case name == "" || getenv(name) == "":
			return otherwise
		case wrong != nil || n < 0:
			err = errors.Join(err, fmt.Errorf("%s is %q, not a whole number from 0 on; give I/N", name, getenv(name)))
		}
		return n
	}
	index, first, step, counted := number(m.index, 0), number(m.first, m.from), max(1, number(m.step, 1)), number(m.total, 0)
	total = cmp.Or(total, counted)
	s = shard{(index-first)/step + 1, total}
	switch {
	case err != nil:
		return s, false, err
	case total == 0 && m.total == "":
		return s, false, fmt.Errorf("%s does not say how many shards there are: give auto/N, where N is the completions of the Job", m.name)
	case total == 0:
		return s, false, fmt.Errorf("%s is set, and %s is not: give auto/N", m.index, m.total)
	case index < first || s.number > total || (index-first)%step != 0:
		return s, false, fmt.Errorf("%s=%d is not one of %s, counted from %d: give I/N%s", m.index, index,
			words.Plural(total, "shard", "shards"), first, words.If(m.step != "", ", or an array without gaps"))
	}
	return s, true, nil
}

const flagByTime = "by-time"

// timed is a test with the time of a trial. Whole microseconds add up to the same on every machine.
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

// medians are the times of a trial of the tests that the history knows: the median of the medians of its runs.
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
		return nil, errors.New("the history has no durations yet; leave out --by-time")
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
	says = fmt.Sprintf(", %s for one trial of each, %s in the longest shard", loads[part.number-1].Round(time.Millisecond),
		slices.Max(loads).Round(time.Millisecond))
	untimed := slices.DeleteFunc(slices.Clone(tests), func(t runner.Test) bool { _, known := took[t.Key]; return known })
	if n := len(untimed); n == len(tests) {
		says = "; the history has no time of these tests, so the split is by number"
	} else if n > 0 {
		says += "; " + words.Plural(n, "test without a time counts", "tests without a time count") + " as the median"
	}
	return func(k envelope.Key) bool { return shards[k] == part.number }, says, nil
}
