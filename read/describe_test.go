package read_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
	"tribunal/read/internal/readtest"
)

// described is all that a reader said: a line for each trial, header and problem, with the
// fields that are not empty, and below a trial what is inside of it.
func described(s *readtest.Sink) string {
	var b strings.Builder
	for i, h := range s.Headers {
		describe(&b, "", "header", h)
		if s.Policies[i] != nil {
			policy, _ := json.Marshal(s.Policies[i])
			fmt.Fprintf(&b, "  policy %s\n", policy)
		}
	}
	for _, t := range s.Trials {
		line := fmt.Sprintf("trial %s #%d %s", onOneLine(t.Key.String()), t.Attempt.Or(-1), t.Status)
		if strings.Count(t.Key.String(), "/") > 1 || strings.Contains(t.Suite+t.Test, " [") || t.Suite == "" && strings.Contains(t.Test, "/") {
			line += fmt.Sprintf(" Suite=%q Test=%q", t.Suite, t.Test) // the key alone may be read in two ways
		}
		t.Key, t.Attempt, t.Status = envelope.Key{}, envelope.Opt[int32]{}, ""
		describe(&b, "", line, t)
	}
	if s.Reports > 0 {
		fmt.Fprintf(&b, "%d reports of ours\n", s.Reports)
	}
	for _, p := range s.Problems {
		line := fmt.Sprintf("%s %s %d:%d: %s", p.Severity, p.Code, p.Line, p.Column, onOneLine(p.Message))
		p.Severity, p.Code, p.Line, p.Column, p.Message = "", "", 0, 0, ""
		describe(&b, "", line, p)
	}
	return b.String()
}

// describe writes the fields of a struct that say anything: on the line what is short, and
// below it the rest.
func describe(b *strings.Builder, indent, line string, value any) {
	v, below := reflect.ValueOf(value), []func(){}
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if !v.Type().Field(i).IsExported() || f.IsZero() || isAbsent(f.Interface()) {
			continue
		}
		switch f.Kind() {
		case reflect.Slice:
			if f.Type().Elem().Kind() != reflect.Struct {
				line += fmt.Sprintf(" %s=%q", name, f.Interface())
				continue
			}
			below = append(below, func() {
				for n := range f.Len() {
					describe(b, indent+"  ", strings.ToLower(strings.TrimSuffix(name, "s")), f.Index(n).Interface())
				}
			})
		default:
			if text := scalar(f.Interface()); len(text) <= 60 || indent != "" {
				line += " " + name + "=" + text
			} else {
				below = append(below, func() { fmt.Fprintf(b, "%s  %s=%s\n", indent, name, text) })
			}
		}
	}
	fmt.Fprintln(b, indent+strings.TrimRight(line, " "))
	for _, write := range below {
		write()
	}
}

func isAbsent(value any) bool {
	opt, is := value.(interface{ IsZero() bool })
	return is && opt.IsZero()
}

func scalar(value any) string {
	switch v := reflect.ValueOf(value); {
	case v.Type() == reflect.TypeFor[time.Time]():
		return value.(time.Time).UTC().Format(time.RFC3339Nano)
	case v.Kind() == reflect.Struct: // envelope.Opt
		return fmt.Sprint(v.Field(0).Interface())
	case v.Kind() == reflect.String:
		return quoted(v.String())
	}
	return fmt.Sprint(value)
}

// quoted is a text, of a long one the beginning and what tells it from others.
func quoted(text string) string {
	const long = 400
	if len(text) <= long {
		return strconv.Quote(text)
	}
	return fmt.Sprintf("%q… of %d bytes, %.4x", text[:long], len(text), sha256.Sum256([]byte(text)))
}

// onOneLine is a text on one line.
func onOneLine(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return quoted(s)
	}
	return s
}

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
	eachRow(t, func(t *testing.T, f read.Format, text []byte, trials int) {
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
			if reported := places(got.problems, strings.Count(a.before, "\n")); reported != want {
				t.Errorf("behind %q:\n%s\nwant as without it:\n%s", a.before, reported, want)
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
		format := read.Stream(b, "input", iotest.OneByteReader(strings.NewReader(c.text)), "")
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

// ofLines are the formats with a JSON record a line.
var ofLines = []string{"native", "go-test", "promptfoo", "agentv", "cucumber", "pytest-reportlog", "libtest", "lm-eval", "openai-evals", "bfcl", "garak",
	"gaia", "mcptest", "meson", "dart", "bazel-bep", "playwright-blob", "every-eval-ever"}

// TestRecordsBehindOtherBytes: what stands before a record in its line costs no trial.
func TestRecordsBehindOtherBytes(t *testing.T) {
	eachRow(t, func(t *testing.T, f read.Format, text []byte, trials int) {
		if !slices.Contains(ofLines, f.Name) {
			return
		}
		want := places(readStream(bytes.NewReader(text), f.Name).problems, 0)
		for _, before := range []string{"\x00\x00\x00\x00", "\x1b[0m", "2026-11-28T04:27:55.123Z ", "data: ", `INFO {"retry":{"Action":"x"}} `, "text without an end"} {
			lines := bytes.SplitAfter(text, []byte("\n"))
			for i := 1; i < len(lines); i += 2 {
				if bytes.HasPrefix(lines[i], []byte("{")) {
					lines[i] = append([]byte(before), lines[i]...)
				}
			}
			got := readStream(bytes.NewReader(bytes.Join(lines, nil)), f.Name)
			if got.trials != trials {
				t.Errorf("%d trials behind %q, want %d", got.trials, before, trials)
			}
			if !slices.ContainsFunc(got.problems, isNoise) {
				t.Errorf("%q is not told", before)
			}
			if reported := strings.Count(places(got.problems, 0), "\n"); reported != strings.Count(want, "\n") {
				t.Errorf("behind %q:\n%s\nwant:\n%s", before, places(got.problems, 0), want)
			}
		}
	})
}

// TestCutRecordsBehindOtherBytes: a trial whose record is cut, too, is an error at its place.
func TestCutRecordsBehindOtherBytes(t *testing.T) {
	const before = "\x00\x00\x00\x00"
	eachRow(t, func(t *testing.T, f read.Format, text []byte, trials int) {
		if !slices.Contains(ofLines, f.Name) {
			return
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		for i := 1; i < len(lines); i++ {
			line := lines[i]
			if !bytes.HasPrefix(line, []byte("{")) || i > 30 {
				continue
			}
			lines[i] = slices.Concat([]byte(before), line[:len(line)*2/3], []byte("\n"))
			got := readStream(bytes.NewReader(bytes.Join(lines, nil)), f.Name)
			lines[i] = line
			if got.trials < trials && !slices.ContainsFunc(got.problems, func(p envelope.Problem) bool {
				return p.Severity == envelope.SeverityError && p.Line == i+1 && p.Column > len(before)
			}) {
				t.Errorf("%d trials without line %d, want %d: %s", got.trials, i+1, trials, line)
			}
		}
	})
}
