package tap

import (
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/failure"
)

// point is a test line.
type point struct {
	ok        bool
	name      string
	directive string // "", skip or todo
	reason    string
	duration  envelope.Opt[float64]
	timeout   string // why the runner ended the test, when it took too long
	opens     bool   // ends in {: its subtests follow
	child     *level // the subtest that belongs to it
	comments  []string
	values    values // of the block below it
	block     string // the text of it
}

// pointStart is a test line up to its description, which may be long: expressions
// that go through all of it take seconds.
var pointStart = regex.Of(`^(not )?ok(?:\s+\d+)?(?:\s+|$)`)

// parsePoint reads a test line.
func parsePoint(text string) (*point, bool) {
	m := pointStart().FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	p := &point{ok: m[1] == ""}
	rest := strings.TrimRight(text[len(m[0]):], " ")
	if body, ok := strings.CutSuffix(rest, " {"); ok || rest == "{" {
		rest, p.opens = strings.TrimSuffix(body, "{"), true
	}
	if rest == "-" {
		rest = ""
	}
	p.name = unescape(strings.TrimSpace(p.directives(strings.TrimPrefix(rest, "- "))))
	return p, true
}

// shown is the name of point n of its level; there need not be one.
func (p *point) shown(n int) string {
	if p.name == "" {
		return "(test " + strconv.Itoa(n) + ")"
	}
	return p.name
}

var (
	directive = regex.Of(`(?i)^\s*(skip|todo)(?:ped)?:?(?:\s+(.*))?$`)
	duration  = regex.Of(`^\s*(?:(?:time|duration)=([0-9.]+)(ms|s)?|in ([0-9]+) ms)\s*$`) // the latter of Bats
	timeout   = regex.Of(`^\s*(timeout after [0-9]+ s)\s*$`)                              // of Bats
)

// directiveStart are the letters that directives start with.
const directiveStart = "sStTdDi"

// directives takes the directives off a description and returns what is left.
// A # starts one if a blank is before it and a directive behind it. No writer has
// as many of them as are taken.
func (p *point) directives(text string) string {
	const most = 16
	for at, taken := len(text)-1, 0; at >= 0 && taken < most; at-- {
		if text[at] != '#' || at > 0 && text[at-1] != ' ' {
			continue
		}
		rest := strings.TrimLeft(text[at+1:], " \t")
		if rest == "" || !strings.Contains(directiveStart, rest[:1]) {
			continue
		}
		if m := duration().FindStringSubmatch(rest); m != nil {
			p.duration = milliseconds(m[1]+m[3], m[2])
		} else if m := timeout().FindStringSubmatch(rest); m != nil {
			p.timeout = m[1]
		} else if m := directive().FindStringSubmatch(rest); m != nil {
			p.directive, p.reason = strings.ToLower(m[1]), unescape(strings.TrimSpace(m[2]))
		} else {
			continue
		}
		text = strings.TrimRight(text[:at], " ")
		at = len(text)
		taken++
	}
	return text
}

func milliseconds(number, unit string) envelope.Opt[float64] {
	v, err := strconv.ParseFloat(number, 64)
	if unit == "s" {
		v *= 1000
	}
	if err != nil || v < 0 || v > 1e15 {
		return envelope.Opt[float64]{}
	}
	return envelope.Some(v)
}

// escaped is a character behind a backslash, and a directive that render/tap broke.
var escaped = regex.Of(`\\\\|\\#(?:[\s\v\x1c-\x1f\x85\p{Z}]*\\(?i:todo|sk[iİı]p))?`)

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return escaped().ReplaceAllStringFunc(s, func(e string) string {
		if e == `\\` {
			return `\`
		}
		return strings.ReplaceAll(e, `\`, "")
	})
}

// fill makes a trial of a point.
func (p *point) fill(t *envelope.Trial) {
	t.File, t.Line = p.values.place()
	t.DurationMS = p.duration
	if ms, err := strconv.ParseFloat(p.values["duration_ms"], 64); err == nil && ms >= 0 && ms < 1e15 {
		t.DurationMS = envelope.Some(ms)
	}
	switch {
	case p.directive == "skip":
		t.Status, t.Message = envelope.Skip, p.reason
	case p.directive == "todo": // one that is ok need not have run
		t.Status, t.RawStatus, t.Message = envelope.Skip, "todo", p.reason
	case p.ok:
		t.Status = envelope.Pass
	default:
		p.fail(t)
	}
}

// fail fills in what is said of a point that is not ok.
func (p *point) fail(t *envelope.Trial) {
	t.Status = envelope.Fail
	t.Output = strings.Trim(p.block+"\n"+strings.Join(p.comments, "\n"), "\n")
	for _, name := range []string{"error", "error.message", "message", "reason"} {
		if t.Message = firstLines(p.values[name]); t.Message != "" {
			break
		}
	}
	if t.Message == "" {
		t.Message = firstLines(strings.Join(p.comments, "\n"))
	}
	if t.Message == "" {
		t.Message = p.timeout
	}
	failure.OfNode(t, p.values["failureType"])
	if p.timeout != "" || failure.TimedOut(t.Message) {
		t.ErrorClass = envelope.ClassTimeout
	}
}

// firstLines is the start of a text, to be read at a glance.
func firstLines(s string) string { return failure.Reason(s, messageLines) }

const messageLines = 3
