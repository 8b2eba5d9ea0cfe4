package command

import (
	"fmt"
	"strings"
	"testing"

	"tribunal/envelope"
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
		{"GitLab without parallel", "auto", "CI_NODE_TOTAL=1", "no variable names"},
		{"CircleCI", "auto", "CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=2", "1/2"},
		{"Buildkite", "auto", "BUILDKITE_PARALLEL_JOB=1 BUILDKITE_PARALLEL_JOB_COUNT=2", "2/2"},
		{"Kubernetes", "auto", "JOB_COMPLETION_INDEX=1", "auto/N"},
		{"Kubernetes, told how many", "auto/8", "JOB_COMPLETION_INDEX=7", "8/8"},
		{"Kubernetes, more than told", "auto/8", "JOB_COMPLETION_INDEX=8", "not one of 8 parts"},
		{"nothing", "auto", "", "no variable names"},
		{"no number", "auto", "CI_NODE_INDEX=x CI_NODE_TOTAL=3", "not a number"},
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
