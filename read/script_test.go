package read

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// around is what runners of scripts print in front of the results of a script and behind
// them: npm 11.19, pnpm 10, Yarn 1.22 and pnpm 12, of which both outputs went one way.
var around = []struct{ before, behind string }{
	{"\n> pkg@1.0.0 pretest\n> echo building\n\nbuilding\n\n> pkg@1.0.0 test\n> runner --report\n\n", ""},
	{"\n> pkg@1.0.0 test /home/ci/pkg\n> runner --report\n\n", "\u2009ELIFECYCLE\u2009 Test failed. See above for more details.\n"},
	{"yarn run v1.22.22\n$ runner --report\n", "info Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n"},
	{"yarn run v1.22.22\n$ runner --report\n", "Done in 0.52s.\n"},
	{"$ runner --report\n", "[ELIFECYCLE] Test failed. See above for more details.\n"},
}

// TestBehindABanner: a report of any format that is text is read behind the banner of a
// runner of scripts as it is without, and the banner is told.
func TestBehindABanner(t *testing.T) {
	eachRow(t, func(t *testing.T, f Format, text []byte, trials int) {
		if bytes.HasPrefix(text, []byte("PK")) {
			return // an archive
		}
		want := places(readStream(bytes.NewReader(text), "").problems, 0)
		for _, a := range around {
			got := readStream(strings.NewReader(a.before+string(text)+a.behind), "")
			if got.format != f.Name || got.trials != trials {
				t.Fatalf("read as %q behind %q: %d trials, want %d: %v", got.format, a.before, got.trials, trials, got.problems)
			}
			if !slices.ContainsFunc(got.problems, isNoise) {
				t.Errorf("%q is not told", a.before)
			}
			if told := places(got.problems, strings.Count(a.before, "\n")); told != want {
				t.Errorf("behind %q:\n%s\nwant as without it:\n%s", a.before, told, want)
			}
		}
	})
}

func isNoise(p envelope.Problem) bool { return p.Code == envelope.CodeNoise }

// places are the problems but noise in short, with places as they are behind so many lines.
func places(problems []envelope.Problem, behind int) string {
	var all strings.Builder
	for _, p := range problems {
		if isNoise(p) {
			continue
		}
		line := p.Line
		if line > 1 { // the first one stands for the whole report
			line -= behind
		}
		fmt.Fprintf(&all, "%d:%d: %s %s\n", line, p.Column, p.Severity, p.Code)
	}
	return all.String()
}

// TestASlowBanner: banners are told however they come, where a report follows, and
// nothing else is taken for one.
func TestASlowBanner(t *testing.T) {
	const tap = "TAP version 13\n1..1\nok 1 - a\n"
	for _, c := range []struct {
		text, format string
		noise        int
		reason       string
	}{
		{around[0].before + tap, "tap", 5, "npm, with a script before"},
		{around[2].before + tap + around[2].behind, "tap", 3, "Yarn, and what it says last"},
		{"\n> test\n> runner\n\n" + trial, "native", 2, "a package without a name"},
		{"> pkg@1.0.0 test\r\n> runner\r\n\r\n" + strings.ReplaceAll(tap, "\n", "\r\n"), "tap", 2, "line ends of Windows"},
		{around[0].before, "", 0, "nothing but a banner"},
		{"> quoted\n" + tap, "", 0, "one line, and no command"},
	} {
		b := count.NewBuilder(5, 0.5)
		format := Stream(b, "input", iotest.OneByteReader(strings.NewReader(c.text)), "")
		noise := 0
		for _, p := range b.Run(envelope.ConflictExtend, 5).Problems {
			if isNoise(p) {
				noise += max(1, p.Count)
			}
		}
		if format != c.format || noise != c.noise {
			t.Errorf("%s: read as %q with %d lines of noise, want %q with %d", c.reason, format, noise, c.format, c.noise)
		}
	}
}
