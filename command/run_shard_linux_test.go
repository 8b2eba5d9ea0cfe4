package command_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// drawnAnew are the lines of a report that say how many trials were started again, and
// the sum of the trials, which is one over their times as well.
var drawnAnew = regexp.MustCompile(`(?m)^# (problem: warning: .* started again|trials sum ).*\n`)

// TestShardsKilledAtAnyMoment: two shards that take their tests by value, each killed
// at a random line of its journal and gone on with, are together the report of one
// machine that nobody disturbed, but for what was started again and the times.
func TestShardsKilledAtAnyMoment(t *testing.T) {
	path, dir := programs(t), t.TempDir()
	random := rand.New(rand.NewPCG(22, 5))
	call := func(journal string, more ...string) []string {
		args := []string{"run", "--threshold", "0.9", "-j", "4", "--order", "value", "--journal", journal, "--seed", "7", "-q"}
		for i := range 6 {
			args = append(args, "--test", fmt.Sprint("t", i))
		}
		args = append(args, more...)
		return append(args, "--", "sh", "-c", `case {test}{attempt} in t[14]*[135]) exit 1;; t21) exit 1;; esac`)
	}
	finish := func(args []string) {
		t.Helper()
		cmd, stderr := begin(t, path, dir, args...)
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 1 { // t1 and t4 fail
			t.Fatalf("exit %d: %s", cmd.ProcessState.ExitCode(), stderr)
		}
	}
	report := func(inputs ...string) string {
		t.Helper()
		cmd := exec.Command(strings.Split(path, ":")[0]+"/tribunal", append([]string{"report", "--no-config", "-f", "tap"}, inputs...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "CI=true")
		out, _ := cmd.Output() // 1: tests fail
		return string(out)
	}
	finish(call("one"))
	killed := 0
	for shard := 1; shard <= 2; shard++ {
		journal := fmt.Sprintf("shards/%d", shard)
		args := call(journal, "--shard", fmt.Sprintf("%d/2", shard))
		cmd, stderr := begin(t, path, dir, args...)
		at := 3 + random.IntN(40)
		text := func() []byte {
			text, _ := os.ReadFile(filepath.Join(dir, journal, "journal.ndjson"))
			return text
		}
		await(t, func() bool {
			return bytes.Count(text(), []byte("\n")) >= at || bytes.Contains(text(), []byte(`{"type":"end"`))
		})
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if !bytes.Contains(text(), []byte(`{"type":"end"`)) {
			killed++
			if strings.Contains(stderr.String(), "rror") {
				t.Error(stderr)
			}
		}
		nothingLives(t, text()[:bytes.LastIndexByte(text(), '\n')+1])
		finish(call(journal, "--shard", fmt.Sprintf("%d/2", shard), "--resume"))
	}
	if killed == 0 {
		t.Error("no shard was killed while it ran")
	}
	want := drawnAnew.ReplaceAllString(report("one/journal.ndjson"), "")
	if got := drawnAnew.ReplaceAllString(report("shards/2/journal.ndjson", "shards/1/journal.ndjson"), ""); got != want {
		t.Errorf("the shards say\n%s\none machine says\n%s", got, want)
	}
}
