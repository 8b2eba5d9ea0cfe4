package github_test

import (
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/render/github"
	"tribunal/render/internal/rendertest"
)

type door func(io.Writer, *envelope.Envelope, github.Options) error

var doors = map[string]door{"annotations.txt": github.Write, "summary.md": github.WriteSummary}

func write(t *testing.T, through door, e *envelope.Envelope, o github.Options) string {
	t.Helper()
	return string(rendertest.Document(t, e, rendertest.With(through, o)))
}

func TestGoldens(t *testing.T) {
	for _, name := range []string{"plain", "broken", "empty"} {
		for ending, through := range doors {
			got := write(t, through, rendertest.Envelopes()[name], github.Options{})
			rendertest.Golden(t, name+"."+ending, got)
		}
	}
}

func TestContract(t *testing.T) {
	for name, e := range rendertest.Envelopes() {
		t.Run(name, func(t *testing.T) {
			for _, through := range doors {
				rendertest.Written(t, e, rendertest.With(through, github.Options{}))
			}
			commands, lines := run(t, write(t, github.Write, e, github.Options{}))
			compare(t, commands, lines, e)
			if _, lines := run(t, write(t, github.WriteSummary, e, github.Options{})); len(lines) == 0 {
				t.Error("an empty summary")
			}
		})
	}
}

// expected counts what is to be annotated.
func expected(e *envelope.Envelope) map[string]int {
	want := map[string]int{}
	for i := range e.Tests {
		switch t := &e.Tests[i]; {
		case t.Status == envelope.Fail || t.Status == envelope.Error:
			want["error"]++
		case t.Status == envelope.Pass && t.Flaky:
			want["warning"]++
		case t.Status == envelope.Inconclusive:
			want["notice"]++
		}
	}
	for _, g := range e.Gate.Gates {
		if g.Status == envelope.Fail {
			want["error"]++
		}
	}
	for _, p := range e.Problems {
		if p.Severity != envelope.SeverityInfo {
			want[string(p.Severity)]++
		}
	}
	return want
}

var leftOut = regexp.MustCompile(`(\d+) more (error|warning|notice)`)

func compare(t *testing.T, commands []command, lines []string, e *envelope.Envelope) {
	t.Helper()
	got, order := map[string]int{}, []string{"error", "warning", "notice"}
	last := 0
	for _, c := range commands {
		at := slices.Index(order, c.name)
		if at < last {
			t.Errorf("command %q behind %q", c.name, order[last])
		}
		last = at
		if got[c.name]++; got[c.name] > 10 {
			t.Errorf("%d annotations of the kind %s", got[c.name], c.name)
		}
		check(t, c)
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "tribunal: ") {
			t.Errorf("a line that is not ours: %q", line)
		}
		for _, m := range leftOut.FindAllStringSubmatch(line, -1) {
			n, _ := strconv.Atoi(m[1])
			got[m[2]] += n
		}
	}
	if diff := cmp.Diff(expected(e), got); diff != "" {
		t.Errorf("annotations and what is left out (-envelope +log):\n%s", diff)
	}
}

func check(t *testing.T, c command) {
	t.Helper()
	if n := len(utf16.Encode([]rune(c.data))); n > 4096 || n == 0 || !utf8.ValidString(c.data) {
		t.Errorf("a message of %d characters", n)
	}
	for key, value := range c.properties {
		if !slices.Contains([]string{"file", "line", "title"}, key) || strings.ContainsAny(value, "\n\r") {
			t.Errorf("property %s=%q", key, value)
		}
	}
	if f, ok := c.properties["file"]; ok && (path.Clean(f) != f || strings.HasPrefix(f, "..") || strings.Contains(f, `\`)) {
		t.Errorf("file %q", f)
	}
}

// only is a run of one failing test.
func only(change func(*envelope.Test)) *envelope.Envelope {
	e := hostile.Plain()
	e.Tests, e.Problems = e.Tests[2:3], nil
	change(&e.Tests[0])
	return e
}

func TestLine(t *testing.T) {
	const start, end = "::error file=tests/weather_test.py,line=42,title=FAIL weather/fails::4× ", "%0A1 of 5 trials passed\n"
	for _, c := range []struct {
		reason string
		change func(*envelope.Test)
		want   string
	}{
		{"data: percent first, then line feeds", func(x *envelope.Test) { x.Details[0].Message = "50%0A" }, start + "50%250A" + end},
		{"colons and commas stay in data", func(x *envelope.Test) { x.Details[0].Message = "a: b, c::d" }, start + "a: b, c::d" + end},
		{"properties: colons and commas", func(x *envelope.Test) { x.Test, x.Details[0].Message = "a,b::c=d%", "r" },
			"::error file=tests/weather_test.py,line=42,title=FAIL weather/a%2Cb%3A%3Ac=d%25::4× r" + end},
		{"no file, no line", func(x *envelope.Test) { x.File, x.Details[0].Message = "", "r" }, "::error title=FAIL weather/fails::4× r" + end},
		{"no line", func(x *envelope.Test) { x.Line, x.Details[0].Message = 0, "r" }, "::error file=tests/weather_test.py,title=FAIL weather/fails::4× r" + end},
		{"Windows", func(x *envelope.Test) { x.File, x.Details[0].Message = `C:\repo\..\a.py`, "r" }, "::error file=C%3A/a.py,line=42,title=FAIL weather/fails::4× r" + end},
		{"rooted, for the runner to make relative", func(x *envelope.Test) { x.File, x.Details[0].Message = "/home/runner/work/p/p/./a.py", "r" }, "::error file=/home/runner/work/p/p/a.py,line=42,title=FAIL weather/fails::4× r" + end},
		{"out of the workspace", func(x *envelope.Test) { x.File, x.Details[0].Message = "../../etc/passwd", "r" }, "::error file=etc/passwd,line=42,title=FAIL weather/fails::4× r" + end},
		{"a quarantined test warns", func(x *envelope.Test) { x.Quarantined, x.Details[0].Message = true, "r" },
			"::warning file=tests/weather_test.py,line=42,title=QUARANTINED weather/fails::4× r" + end},
		{"inconclusive is a notice", func(x *envelope.Test) { x.Status, x.Verdict.Reason = envelope.Inconclusive, "r" },
			"::notice file=tests/weather_test.py,line=42,title=UNDECIDED weather/fails::1 of 5 trials passed: about 13 more trials would decide%0A4× expected rain, got <sun>\n"},
	} {
		_, got, _ := strings.Cut(write(t, github.Write, only(c.change), github.Options{}), "\n")
		if got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.reason, got, c.want)
		}
	}
}

// TestMessageLimit fills a message with text that escaping makes longer.
func TestMessageLimit(t *testing.T) {
	for _, piece := range []string{"x", "%", "é", "👩", "\n:"} {
		e := only(func(x *envelope.Test) { x.Verdict.Reason, x.Details[0].Message = "", strings.Repeat(piece, 20_000) })
		commands, _ := run(t, write(t, github.Write, e, github.Options{}))
		n := len(utf16.Encode([]rune(commands[0].data)))
		if n > 4096 || n < 4090 || !strings.HasSuffix(commands[0].data, "\n[... cut ...]") {
			t.Errorf("%q: %d characters, the end is %q", piece, n, commands[0].data[len(commands[0].data)-20:])
		}
	}
	whole := strings.Repeat("x", 4096-utf8.RuneCountInString("4× \n1 of 5 trials passed"))
	for more, cut := range map[string]bool{"": false, "x": true} {
		e := only(func(x *envelope.Test) { x.Verdict.Reason, x.Details[0].Message = "", whole+more })
		if got := write(t, github.Write, e, github.Options{}); strings.Contains(got, "cut ...") != cut {
			t.Errorf("%d characters: cut %t, want %t", 4096+len(more), !cut, cut)
		}
	}
}

func TestWorstFirst(t *testing.T) {
	e := hostile.Plain()
	e.Problems = nil
	fail, broken, unsure := e.Tests[2], e.Tests[1], e.Tests[6]
	e.Tests = nil
	for range 9 {
		e.Tests = append(e.Tests, unsure, fail)
	}
	for range 3 {
		e.Tests = append(e.Tests, broken)
	}
	e.Gate.Gates = []envelope.GateResult{{Name: "g", Expr: "x == 0", Status: envelope.Fail, Saw: "1"}}
	log := write(t, github.Write, e, github.Options{})
	if first := strings.Index(log, "title=ERROR"); first < 0 || first > strings.Index(log, "title=FAIL") {
		t.Errorf("errored tests are not first:\n%s", log)
	}
	if want := "\ntribunal: and 3 more errors, not annotated: see the step summary\n"; !strings.HasSuffix(log, want) || strings.Contains(log, "gate does not hold") {
		t.Errorf("the last line is not %q:\n%s", want, log)
	}
	for want, o := range map[string]github.Options{"is full": {Existing: 1 << 20}, "no file for a step summary is named": {NoSummary: true}} {
		if log := write(t, github.Write, e, o); strings.Contains(log, "see the step summary") || !strings.Contains(log, want) {
			t.Errorf("%+v: the log points to a summary that is not there:\n%s", o, log)
		}
	}
	e.Tests = e.Tests[:2]
	if want := "::error title=gate does not hold%3A g::x == 0: 1\n"; !strings.Contains(write(t, github.Write, e, github.Options{}), want) {
		t.Errorf("%q is missing", want)
	}
}

// TestSummaryBudget fills the file of the summary up to and over its budget.
func TestSummaryBudget(t *testing.T) {
	for name, e := range map[string]*envelope.Envelope{"plain": hostile.Plain(), "many": many()} {
		for _, existing := range []int64{0, 1, 500 << 10, 899 << 10, 900<<10 - 700, 900<<10 - 514, 900<<10 - 513, 900<<10 - 1, 900 << 10, 2 << 20} {
			got := write(t, github.WriteSummary, e, github.Options{Existing: existing})
			if total := existing + int64(len(got)); got != "" && total > 900<<10 {
				t.Errorf("%s: %d bytes after %d are %d", name, len(got), existing, total)
			}
			if got != "" && strings.HasPrefix(got, "\n\n## ") != (existing > 0) {
				t.Errorf("%s: after %d bytes it starts with %q", name, existing, got[:min(len(got), 10)])
			}
			if strings.Count(got, "<details>") != strings.Count(got, "</details>") {
				t.Errorf("%s: details left open after %d bytes", name, existing)
			}
			log := write(t, github.Write, e, github.Options{Existing: existing})
			if full := strings.Contains(log, "summary is full"); full != (existing > 900<<10-514) || full != (got == "") {
				t.Errorf("%s: %d bytes in the file: full %t", name, existing, full)
			}
		}
	}
}

func many() *envelope.Envelope {
	e := hostile.Plain()
	pass := e.Tests[0]
	for i := range 20_000 {
		pass.Test = fmt.Sprintf("test number %d", i)
		e.Tests = append(e.Tests, pass)
	}
	return e
}

func TestLargeTexts(t *testing.T) {
	big := strings.Repeat("\n::error::x", 1<<20)
	e := only(func(x *envelope.Test) {
		x.Test, x.File, x.Verdict.Reason, x.Details[0].Message = big, big, big, big
	})
	commands, lines := run(t, write(t, github.Write, e, github.Options{}))
	compare(t, commands, lines, e)
}

func TestNegativeSize(t *testing.T) {
	for name, through := range doors {
		if err := through(io.Discard, hostile.Plain(), github.Options{Existing: -1}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// command is a line that the runner obeys, read by the rules of its source (ActionCommand.cs):
// `::name key=value,key=value::data` after blanks at the start of a line.
type command struct {
	name       string
	properties map[string]string
	data       string
}

var (
	dataRules     = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%")
	propertyRules = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
)

// run reads a job's log as the runner does: the commands in it, and the other
// lines. The old form ##[name] is a command anywhere in a line.
func run(t *testing.T, log string) (commands []command, lines []string) {
	t.Helper()
	if !strings.HasSuffix(log, "\n") {
		t.Errorf("the last line has no end")
	}
	for _, line := range strings.FieldsFunc(log, func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u0085' }) {
		elsewhere(t, line)
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "::")
		if !ok {
			lines = append(lines, line)
			continue
		}
		info, data, ok := strings.Cut(rest, "::")
		if !ok {
			t.Errorf("half a command: %q", line)
		}
		c := command{data: dataRules.Replace(data), properties: map[string]string{}}
		name, properties, _ := strings.Cut(info, " ")
		c.name = name
		for pair := range strings.SplitSeq(properties, ",") {
			key, value, ok := strings.Cut(pair, "=")
			if !ok || value == "" {
				t.Errorf("property %q in %q", pair, line)
			}
			if _, twice := c.properties[key]; twice {
				t.Errorf("%s twice in %q", key, line)
			}
			c.properties[key] = propertyRules.Replace(value)
		}
		commands = append(commands, c)
	}
	return commands, lines
}

// elsewhere reports what GitHub's old form, Azure, TeamCity and GitLab obey.
func elsewhere(t *testing.T, line string) {
	t.Helper()
	lower := strings.ToLower(line)
	for _, command := range []string{"##[", "##vso[", "##teamcity[", "section_start:", "section_end:", "\x1b", "\x07", "\u202e", "\u009b"} {
		if strings.Contains(line, command) || command[0] == '#' && strings.Contains(lower, command) { // GitLab heeds case
			t.Errorf("%q in %q", command, line)
		}
	}
}
