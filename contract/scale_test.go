package contract_test

import (
	"os"
	"strings"
	"testing"
)

// shardJobs are the jobs that docs/scale/ci.md shows, by what stands above each.
func shardJobs(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../docs/scale/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	jobs := map[string]string{}
	parts := strings.Split(string(page), "```yaml\n")
	for i, part := range parts[1:] {
		text, _, closed := strings.Cut(part, "```\n")
		if !closed {
			t.Fatal("docs/scale/ci.md has a block without an end")
		}
		above := strings.TrimSuffix(strings.TrimSpace(parts[i]), ":")
		name, _, _ := strings.Cut(above[strings.LastIndex(above, "\n")+1:], ",")
		jobs[name] = text
	}
	return jobs
}

// TestJobsOfShards: each shows a run of part I of N, where N is how many there are, and
// one seed; those that have a job behind the parts report their journals.
func TestJobsOfShards(t *testing.T) {
	jobs := shardJobs(t)
	for name, want := range map[string]struct {
		parts, shard string
		reports      bool
	}{
		"GitHub":     {"shard: [1, 2, 3, 4]", "--shard ${{ matrix.shard }}/4 --journal shards/${{ matrix.shard }} ", true},
		"GitLab":     {"parallel: 4", "--shard auto --journal shards/$CI_NODE_INDEX ", true},
		"CircleCI":   {"parallelism: 4", "--shard auto --journal shards/$CIRCLE_NODE_INDEX ", true},
		"Buildkite":  {"parallelism: 4", "--shard auto --journal shards/$$BUILDKITE_PARALLEL_JOB ", true},
		"Kubernetes": {"completions: 4\n  parallelism: 4\n  completionMode: Indexed", `--journal "$dir" --shard auto/4 `, false},
	} {
		job := jobs[name]
		delete(jobs, name)
		if !strings.Contains(job, want.parts) || !strings.Contains(job, want.shard+"--seed 7 ") {
			t.Errorf("%s: no %q with %q in\n%s", name, want.shard, want.parts, job)
		}
		if strings.Contains(job, "tribunal report 'shards/**/journal.ndjson'") != want.reports {
			t.Errorf("%s: its parts are reported, want %v", name, want.reports)
		}
	}
	if len(jobs) > 0 {
		t.Errorf("nobody looks at %v", jobs)
	}
}
