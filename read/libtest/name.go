package libtest

import (
	"cmp"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
)

// maxRuns is the largest number behind a # that is taken for one of runs.
const maxRuns = 10000

// parse splits the name of a test. nextest writes package::binary$test, with
// @stress-N behind the binary of a repeat and #n behind a test that ran n times.
func parse(name string) (runs int32, key envelope.Key) {
	binary, test, isNextest := strings.Cut(name, "$")
	if !isNextest || strings.ContainsAny(binary, " \t") || test == "" {
		return 1, envelope.Key{Test: name}
	}
	if stem, n, ok := numbered(binary, "@stress-"); ok && n >= 0 {
		binary = stem
	}
	runs = 1
	if stem, n, ok := numbered(test, "#"); ok && 1 <= n && n <= maxRuns && stem != "" {
		test, runs = stem, int32(n)
	}
	return runs, envelope.Key{Suite: binary, Test: test}
}

// numbered splits a text that ends in a mark and a number.
func numbered(s, mark string) (stem string, n int, ok bool) {
	at := strings.LastIndex(s, mark)
	if at < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[at+len(mark):])
	return s[:at], n, err == nil
}

// explain sets why a test did not pass, and where it panicked.
func (e *event) explain(t *envelope.Trial) {
	said, printed := "", e.Stdout+e.Stderr
	for line, rest := "", printed; rest != "" && said == ""; {
		line, rest, _ = strings.Cut(rest, "\n")
		if _, after, ok := strings.Cut(line, " panicked at "); ok {
			said, t.File, t.Line = panicked(strings.TrimSpace(after), rest)
		}
	}
	t.Message = cmp.Or(failure.Reason(e.Message, 2), said, failure.Reason(e.Reason, 1))
	if t.Message == "" && t.Status == envelope.Fail {
		t.Message = cmp.Or(failure.Reason(printed, 2), "failed without a message")
	}
}

// panicked splits "src/lib.rs:4:51:" with the message on the lines behind it, or
// "'message', src/lib.rs:4:51" of Rust before 1.73.
func panicked(at, rest string) (said, file string, line int) {
	said = failure.Reason(rest, 1)
	if quoted, after, ok := cutLast(at, "', "); ok && strings.HasPrefix(quoted, "'") {
		said, at = failure.Reason(quoted[1:], 1), after
	}
	parts := strings.Split(strings.TrimSuffix(at, ":"), ":")
	if n := len(parts); n >= 3 {
		number, err := strconv.Atoi(parts[n-2])
		file = strings.Join(parts[:n-2], ":")
		// A place elsewhere on the machine is none of the test's.
		if err == nil && number > 0 && !strings.HasPrefix(file, "/") && !strings.Contains(file, `:\`) {
			return said, file, number
		}
	}
	return said, "", 0
}

func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}
