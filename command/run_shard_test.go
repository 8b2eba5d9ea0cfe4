package command

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/internal/run/runner"
	"tribunal/stats"
)

// TestShardOf: what machines tell their jobs, by their manuals: Slurm counts from
// where the array begins, GitLab from 1, CircleCI and Buildkite from 0, and
// Kubernetes does not say how many there are.
func TestShardOf(t *testing.T) {
	for _, c := range []struct {
		reason, word, environment, want string
	}{
		{"said", "2/5", "CI_NODE_INDEX=1 CI_NODE_TOTAL=3", "2/5"},
		{"Slurm, --array=0-3", "auto", "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_STEP=1", "1/4"},
		{"Slurm, --array=1-7:2", "auto", "SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_STEP=2", "4/4"},
		{"Slurm, an array with gaps", "auto", "SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3", "array without gaps"},
		{"Slurm, one task of four run again", "auto/4", "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=1", "3/4"},
		{"GitLab", "auto", "CI_NODE_INDEX=3 CI_NODE_TOTAL=3", "3/3"},
		{"GitLab without parallel", "auto", "CI_NODE_TOTAL=1", "no variable has the number"},
		{"CircleCI", "auto", "CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=2", "1/2"},
		{"Buildkite", "auto", "BUILDKITE_PARALLEL_JOB=1 BUILDKITE_PARALLEL_JOB_COUNT=2", "2/2"},
		{"Kubernetes", "auto", "JOB_COMPLETION_INDEX=1", "auto/N"},
		{"Kubernetes, told how many", "auto/8", "JOB_COMPLETION_INDEX=7", "8/8"},
		{"Kubernetes, more than told", "auto/8", "JOB_COMPLETION_INDEX=8", "not one of 8 shards, counted from 0: give I/N"},
		{"nothing", "auto", "", "no variable has the number"},
		{"no number", "auto", "CI_NODE_INDEX=x CI_NODE_TOTAL=3", "not a whole number from 0 on"},
		{"half of it", "auto", "BUILDKITE_PARALLEL_JOB=1", "BUILDKITE_PARALLEL_JOB_COUNT is not"},
		{"one inside of another that has one node", "auto", "CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=1 CI_NODE_INDEX=2 CI_NODE_TOTAL=3", "2/3"},
		{"two that contradict each other", "auto", "CI_NODE_INDEX=2 CI_NODE_TOTAL=3 BUILDKITE_PARALLEL_JOB=0 BUILDKITE_PARALLEL_JOB_COUNT=2", "GitLab says 2/3 and Buildkite 1/2"},
	} {
		set := map[string]string{}
		for _, v := range strings.Fields(c.environment) {
			name, value, _ := strings.Cut(v, "=")
			set[name] = value
		}
		s, err := shardOf(c.word, func(name string) string { return set[name] })
		got := fmt.Sprintf("%d/%d", s.number, s.of)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}

// TestShardsTakeEachTestOnce, and about as many each.
func TestShardsTakeEachTestOnce(t *testing.T) {
	const tests, parts = 3000, 5
	var counts [parts]int
	for i := range tests {
		k, in := envelope.Key{Suite: "s", Test: fmt.Sprint(i), Variant: "v"}, 0
		for part := range parts {
			if (shard{part + 1, parts}).has(k) {
				in++
				counts[part]++
			}
		}
		if in != 1 {
			t.Fatalf("%s is in %d parts", k, in)
		}
	}
	for part, n := range counts {
		if n < tests/parts*8/10 || n > tests/parts*12/10 {
			t.Errorf("part %d has %d of %d tests", part+1, n, tests)
		}
	}
}

// TestByTimeIsBalanced: no shard takes 5 % more than its share of the time, or than the
// longest test where that takes more, and every test is in one.
func TestByTimeIsBalanced(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 48))
	for _, of := range []int{1, 2, 3, 8, 20} {
		var tests []runner.Test
		took, total, longest := map[envelope.Key]time.Duration{}, time.Duration(0), time.Duration(0)
		for i := range 400 {
			k := envelope.Key{Suite: "s", Test: fmt.Sprint(i)}
			d := time.Duration(math.Exp(1.5*random.NormFloat64()) * float64(time.Second))
			tests, took[k] = append(tests, runner.Test{Key: k}), d
			total, longest = total+d, max(longest, d)
		}
		shards, loads := byTime(tests, took, of)
		sums := make([]time.Duration, of)
		for k, shard := range shards {
			sums[shard-1] += took[k]
		}
		share := max(total/time.Duration(of), longest)
		if len(shards) != len(tests) || !slices.Equal(sums, loads) || slices.Max(loads) > share*105/100 {
			t.Errorf("%d shards: %v, want at most %v", of, loads, share)
		}
		slices.Reverse(tests) // a machine may list them in another order
		again, _ := byTime(tests, took, of)
		for k, shard := range shards {
			if again[k] != shard {
				t.Fatalf("%s is in shard %d or %d", k, shard, again[k])
			}
		}
	}
}

// TestByTimeOfUnknown: a test without a time takes the median, and tests without any are dealt out.
func TestByTimeOfUnknown(t *testing.T) {
	var tests []runner.Test
	for _, name := range []string{"a", "b", "c", "new"} {
		tests = append(tests, runner.Test{Key: envelope.Key{Test: name}})
	}
	key := func(name string) envelope.Key { return envelope.Key{Test: name} }
	shards, loads := byTime(tests, map[envelope.Key]time.Duration{key("a"): 9, key("b"): 4, key("c"): 1}, 2)
	if loads[0] != 9 || loads[1] != 4+4+1 || shards[key("new")] != 2 {
		t.Errorf("%v, %v", shards, loads)
	}
	if shards, _ := byTime(tests, map[envelope.Key]time.Duration{key("gone"): 1}, 4); len(shards) != 4 || shards[key("a")]+shards[key("b")]+shards[key("c")]+shards[key("new")] != 1+2+3+4 {
		t.Errorf("%v", shards)
	}
}

// TestPowerOfNewTests: the table of docs/run/new-tests.md is what the rule decides, over all
// numbers of failures, each with its probability.
func TestPowerOfNewTests(t *testing.T) {
	a, err := stats.NewAnytime(newThreshold, newGap, 0.05, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, rate := range []float64{0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1} {
		undecided := map[int]float64{0: 1} // by failures
		ended, mean := map[stats.Decision]float64{}, 0.
		for n := 1; n <= newTrials; n++ {
			next := map[int]float64{}
			for failures, weight := range undecided {
				mean += weight
				for more, chance := range []float64{rate, 1 - rate} {
					failed := failures + more
					if d := a.Decide(a.LogE(n-failed, failed)); d == stats.Undecided {
						next[failed] += weight * chance
					} else {
						ended[d] += weight * chance
					}
				}
			}
			undecided = next
		}
		fmt.Fprintf(&want, "| %g %% | %.1f %% | %.1f %% | %.0f |\n", 100*rate, 100*ended[stats.Fail], 100*ended[stats.Pass], mean)
	}
	page, err := os.ReadFile("../docs/run/new-tests.md")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(regexp.MustCompile(`(?m)^\| [0-9].*\n`).FindAllString(string(page), -1), ""); got != want.String() {
		t.Errorf("docs/run/new-tests.md has\n%s\nwant\n%s", got, want.String())
	}
}

// TestSecretValues: values of variables that are called like secrets are taken out whole, whichever of them the environment has first.
func TestSecretValues(t *testing.T) {
	const text = "12345678 12345678-private short 9876543210"
	for _, c := range []struct {
		reason  string
		environ []string
		wanted  bool
		want    string
	}{
		{"one begins another", []string{"A_KEY=12345678", "B_TOKEN=12345678-private"}, true, "[redacted:environment] [redacted:environment] short 9876543210"},
		{"and comes first", []string{"B_TOKEN=12345678-private", "A_KEY=12345678"}, true, "[redacted:environment] [redacted:environment] short 9876543210"},
		{"short values stand in texts by chance", []string{"MY_SECRET=short"}, true, text},
		{"another name", []string{"ID=9876543210"}, true, text},
		{"in small letters", []string{"password=9876543210"}, true, "12345678 12345678-private short [redacted:environment]"},
		{"not wanted", []string{"A_KEY=12345678"}, false, text},
	} {
		if got := secretValues(c.environ, c.wanted).Replace(text); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
