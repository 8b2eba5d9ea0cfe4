package tap_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// stream is a TAP stream as a strict reader sees it, written from the
// specification of version 14 (which says how # and \ are escaped) and used for
// both versions.
type stream struct {
	version int
	plan    int
	bail    string
	points  []point
}

type point struct {
	ok                             bool
	description, directive, reason string
	block                          map[string]any
}

var (
	pointLine = regexp.MustCompile(`^(not )?ok (\d+)(?: - (.*?))?$`)
	// an unescaped # with a blank before it and TODO or SKIP behind it
	directive = regexp.MustCompile(`(?i)^((?:[^\\#]|\\.|#)*?)(?: |^)# ?(TODO|SKIP)\b ?(.*)$`)
	unescaped = regexp.MustCompile(`^(?:[^\\#]|\\[\\#tTsSſ])*$`) // the letters of directives that are broken
	// the grammar of a reader that knows no escapes, tappy 3.1 (tap/parser.py and tap/directive.py)
	plainDirective = regexp.MustCompile(`(?i)^(?:not )?ok\s*\d*\s*[^#]*#[\s\v\x1c-\x1f\x85\p{Z}]*(?:SK[iıİ]P|TODO\b)`)
	planLine       = regexp.MustCompile(`^1\.\.(\d+)( # SKIP .+)?$`)
	yamlLine       = regexp.MustCompile(`^  ([a-z_]+): (.+)$`)
)

func read(t *testing.T, s string) stream {
	t.Helper()
	if !strings.HasSuffix(s, "\n") || strings.ContainsAny(s, "\r\x1b\x00\u2028\u0085") {
		t.Errorf("not lines of text")
	}
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	var out stream
	version, ok := strings.CutPrefix(lines[0], "TAP version ")
	plan := planLine.FindStringSubmatch(lines[1])
	if !ok || plan == nil {
		t.Fatalf("the stream starts with %q", lines[:2])
	}
	out.version, _ = strconv.Atoi(version)
	out.plan, _ = strconv.Atoi(plan[1])
	for i := 2; i < len(lines); i++ {
		switch line := lines[i]; {
		case strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "Bail out! "):
			out.bail = line
		case line == "  ---":
			end := i + 1
			for end < len(lines) && lines[end] != "  ..." {
				end++
			}
			last := &out.points[len(out.points)-1]
			last.block = yaml(t, lines[i+1:end])
			i = end
		default:
			out.points = append(out.points, readPoint(t, line, len(out.points)+1))
		}
	}
	return out
}

func readPoint(t *testing.T, line string, number int) point {
	t.Helper()
	m := pointLine.FindStringSubmatch(line)
	if m == nil && !directive.MatchString(line) {
		t.Fatalf("not a line of TAP: %q", line)
	}
	p := point{}
	if d := directive.FindStringSubmatch(line); d != nil {
		p.directive, p.reason = strings.ToUpper(d[2]), d[3]
		m = pointLine.FindStringSubmatch(d[1])
	}
	if m == nil || m[2] != strconv.Itoa(number) {
		t.Fatalf("not point %d: %q", number, line)
	}
	p.ok, p.description = m[1] == "", m[3]
	if p.directive == "" && plainDirective.MatchString(line) {
		t.Errorf("a name excuses its point for readers without escapes: %q", line)
	}
	if !unescaped.MatchString(p.description) || !unescaped.MatchString(p.reason) {
		t.Errorf("not escaped: %q", line)
	}
	return p
}

// yaml reads one-line scalars in JSON style.
func yaml(t *testing.T, lines []string) map[string]any {
	t.Helper()
	out := map[string]any{}
	for _, line := range lines {
		m := yamlLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("not a line of the block: %q", line)
		}
		var v any
		if err := json.Unmarshal([]byte(m[2]), &v); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out[m[1]] = v
	}
	return out
}
