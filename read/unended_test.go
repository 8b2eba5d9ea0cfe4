package read

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"tribunal/envelope"
)

// TestUnended: of a stream that is cut off behind any of its lines, readers of runners that
// tell when a test begins say which did not end. Of a whole one no test is so.
func TestUnended(t *testing.T) {
	for format, sample := range map[string]string{
		"go-test": "gotest/testdata/gen_count7.jsonl", "libtest": "libtest/testdata/gen_libtest.jsonl", "dart": "dart/testdata/retries.jsonl",
		"cucumber": "cucumber/testdata/cck__retry.ndjson", "teamcity": "teamcity/testdata/gen_phpunit9.6.txt",
		"test-unit": "testunit/testdata/gen_test-unit3.5.xml", "pytest-reportlog": "reportlog/testdata/gen_reruns2.jsonl",
	} {
		text, err := os.ReadFile(sample)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ByName(format)
		if err != nil {
			t.Fatal(err)
		}
		running := map[string]bool{}
		lines := bytes.SplitAfter(bytes.TrimRight(text, "\n"), []byte("\n"))
		for n := range len(lines) + 1 {
			for _, trial := range Trials(bytes.NewReader(bytes.Join(lines[:n], nil)), Options{As: &f}).Trials {
				switch {
				case trial.Unended == 0:
				case n == len(lines):
					t.Errorf("%s: %s did not end in a whole stream", format, trial.Key)
				case trial.Unended == envelope.Running:
					running[trial.Key.String()] = true
				}
			}
		}
		if len(running) < 2 {
			t.Errorf("%s: of all beginnings of the stream, only %v were running at the end", format, running)
		}
	}
}

// TestOnlyTheRunningOneIsToBlame: a test of Go that waits for its turn does not end its
// process, and where one failed with a panic it was that one and none that ran beside it.
func TestOnlyTheRunningOneIsToBlame(t *testing.T) {
	const event = `{"Action":%q,"Package":"p","Test":%q}` + "\n"
	said := func(test, text string) string {
		return fmt.Sprintf(`{"Action":"output","Package":"p","Test":%q,"Output":%q}`+"\n", test, text)
	}
	begun := fmt.Sprintf(event+event+event+event, "run", "W", "pause", "W", "run", "A", "run", "B")
	failed := fmt.Sprintf(event, "fail", "B") + `{"Action":"fail","Package":"p"}` + "\n"
	stack := said("B", "panic: no such order\n") + said("B", "\n") + said("B", "goroutine 7 [running]:\n")
	for _, c := range []struct{ reason, stream, want string }{
		{"the stream was cut off", begun, "A1 B1 W2"},
		{"the process died of nobody knows which", begun + `{"Action":"fail","Package":"p"}` + "\n", "A1 B1 W2"},
		{"B panicked", begun + stack + failed, "A2 B0 W2"},
		{"B failed before, and printed the word", begun + said("B", "panic: is what it printed\n") + failed, "A1 B0 W2"},
	} {
		f, err := ByName("go-test")
		if err != nil {
			t.Fatal(err)
		}
		far := map[string]envelope.Unended{}
		for _, trial := range Trials(bytes.NewReader([]byte(c.stream)), Options{As: &f}).Trials {
			far[trial.Test] = trial.Unended
		}
		if got := fmt.Sprintf("A%d B%d W%d", far["A"], far["B"], far["W"]); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}
