package tap

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
)

type point struct {
	ok        bool
	number    envelope.Opt[int]
	name      string
	bare      bool   // no dash before the name
	directive string // "", skip or todo
	reason    string
	duration  envelope.Opt[float64]
	ended     string // timeout or exit code, as the runner writes it
	timeout   bool
	opens     bool   // ends in {: its subtests follow
	child     *level // the subtest that belongs to it
	comments  []string
	values    values // of the block below it
	block     string // its text
	margin    int    // of the block
}

const blanks = " \t\r\n\f"

const digits = "0123456789"

func parsePoint(text string) (*point, bool) {
	said, not := strings.CutPrefix(text, "not ")
	said, is := strings.CutPrefix(said, "ok")
	rest := strings.TrimLeft(said, blanks)
	if !is || said != "" && rest == said {
		return nil, false
	}
	p := &point{ok: !not}
	if behind := strings.TrimLeft(rest, digits); behind != rest {
		if name := strings.TrimLeft(behind, blanks); behind == "" || name != behind {
			if n, err := strconv.Atoi(rest[:len(rest)-len(behind)]); err == nil {
				p.number = envelope.Some(n)
			}
			rest = name
		}
	}
	rest = strings.TrimRight(rest, " ")
	if body, ok := strings.CutSuffix(rest, " {"); ok || rest == "{" {
		rest, p.opens = strings.TrimSuffix(body, "{"), true
	}
	if rest == "-" {
		rest = ""
	}
	name, dashed := strings.CutPrefix(rest, "- ")
	p.name, p.bare = unescape(strings.TrimSpace(p.directives(name))), !dashed
	return p, true
}

// shown returns the name of point n of its level, or one made of n.
func (p *point) shown(n int) string {
	if p.name == "" {
		return "(test " + strconv.Itoa(n) + ")"
	}
	return p.name
}

var directive = regex.Of(`(?i)^(skip|todo)(?:ped)?:?(?:\s+(.*))?$`)

// aside matches other directives: a time, and how Bats and the selftests of Linux mark a timeout or an exit code.
var aside = regex.Of(`^(?:(?:time|duration)=([\d.]+)(ms|s)?|in (\d+) ms|((?:timeout after|TIMEOUT) \d+ ?s(?:econds)?|exit=\d+))$`)

// atEnd matches what runners write behind a name. Bats has times there with --timing, Criterion always, and Check says
// there how a test ended.
var atEnd = regex.Of(`^(.*?)(?: in (\d+)(ms)| +(timed out )?\((\d+\.\d+)(s)\)| (unexpected signal) after \S+)$|` +
	`^(\S+\.c\w*:[^:]+:[A-Za-z_]\w*): (.*)$`)

// ending removes what is not part of a name. Bats writes neither version nor dash, Criterion no numbers, Check no version.
func (p *point) ending(versioned bool) {
	if versioned && (p.bare || p.number.OK) || !versioned && !p.bare && !strings.Contains(p.name, ".c") {
		return
	}
	m := atEnd().FindStringSubmatch(p.name)
	if m == nil {
		return
	}
	p.name, p.ended = m[1]+m[8], cmp.Or(p.ended, strings.TrimSpace(m[4]), m[7]+m[9])
	p.duration = trialfields.Lasted(m[2]+m[5], units[m[3]+m[6]])
	p.timeout = p.timeout || m[4] != "" || m[9] == "Test timeout expired"
}

var units = map[string]float64{"": 1, "ms": 1, "s": 1000}

// directives removes the directives from a description and returns the rest. A # starts
// one if a blank is before it and a known directive after it.
func (p *point) directives(text string) string {
	const most = 16
	for at, taken := strings.LastIndexByte(text, '#'), 0; at >= 0 && taken < most; at = strings.LastIndexByte(text[:at], '#') {
		if at > 0 && text[at-1] != ' ' {
			continue
		}
		rest := strings.TrimLeft(text[at+1:], " \t")
		const directiveStart = "sStTdDie" // the letters that directives start with
		if rest == "" || !strings.Contains(directiveStart, rest[:1]) {
			continue
		}
		if m := aside().FindStringSubmatch(strings.TrimRight(rest, blanks)); m != nil && m[4] != "" {
			p.ended, p.timeout = m[4], m[4][0] != 'e'
		} else if m != nil {
			p.duration = trialfields.Lasted(m[1]+m[3], units[m[2]])
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

// escaped matches an escaped character, and a directive that render/tap escaped.
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

func (p *point) fill(t *envelope.Trial) {
	t.File, t.Line = p.values.place()
	t.DurationMS = p.duration
	if ms := trialfields.Lasted(p.values.of("duration_ms"), 1); ms.OK {
		t.DurationMS = ms
	}
	switch {
	case p.directive == "skip":
		t.Status, t.Message = envelope.Skip, p.reason
	case p.directive == todo: // even if ok, it may not have run
		p.skip(t)
	case p.ok:
		t.Status = envelope.Pass
	default:
		p.fail(t)
	}
}

const todo = "todo"

// skip sets the fields of a trial that a TODO excuses.
func (p *point) skip(t *envelope.Trial) {
	t.Status, t.RawStatus, t.ErrorClass, t.Message, t.Output = envelope.Skip, todo, "", p.reason, ""
}

// fail sets the fields of a trial from a point that is not ok.
func (p *point) fail(t *envelope.Trial) {
	t.Status = envelope.Fail
	t.Output = strings.Trim(strings.Join(append([]string{dedented(p.block, p.margin)}, p.comments...), "\n"), "\n")
	for _, name := range []string{"error", "error.message", "message", "reason"} {
		if t.Message = firstLines(p.values.of(name)); t.Message != "" {
			break
		}
	}
	t.Message = cmp.Or(t.Message, firstLines(strings.Join(p.comments, "\n")), p.ended)
	failure.OfNode(t, p.values.of("failureType"))
	if p.timeout || failure.TimedOut(t.Message) {
		t.ErrorClass = envelope.ClassTimeout
	}
}

func firstLines(s string) string { return failure.Reason(s, messageLines) }

const messageLines = 3

// Limits of one block. The rest is left out.
const (
	blockLimit = 64 << 10 // bytes of its text
	valueLimit = 1000     // values
)

// values are the scalars of a block. Nested ones are named outer.inner.
type values []value

type value struct {
	outer, name, text string
	block             bool // text is a raw block scalar, because few are used
}

func (v values) of(name string) string {
	text, _ := v.find(name)
	return text
}

func (v values) find(name string) (text string, ok bool) {
	outer, inner, nested := strings.Cut(name, ".")
	if !nested {
		outer, inner = "", name
	}
	for i := range v {
		if v[i].name == inner && v[i].outer == outer {
			return v[i].said(), true
		}
	}
	return "", false
}

func (v *value) said() string {
	if v.block {
		return strings.TrimSpace(dedented(v.text, firstIndent(v.text)))
	}
	return v.text
}

// parseKey splits a line with a value into indentation, name and rest.
func parseKey(line string) (depth int, name, rest string, ok bool) {
	depth = indent(line)
	line = line[depth:]
	n := strings.IndexByte(line, ':')
	if n < 1 || !letter[line[0]] {
		return 0, "", "", false
	}
	for i := range n {
		if c := line[i]; !letter[c] && (c < '0' || c > '9') && c != ' ' && c != '-' {
			return 0, "", "", false
		}
	}
	name, rest = line[:n], line[n+1:]
	return depth, name, rest, rest == "" || strings.IndexByte(blanks, rest[0]) >= 0
}

// letter has the bytes that a name may begin with.
var letter = func() (set [256]bool) {
	for c := 'a'; c <= 'z'; c++ {
		set[c], set[c-'a'+'A'] = true, true
	}
	set['_'] = true
	return set
}()

// parseBlock reads the scalars of a block whose lines are indented by margin or more:
// one value per line, and block scalars. It skips what it does not understand.
func parseBlock(block string, margin int) values {
	const few = 4
	out := make(values, 0, few)
	margin = max(margin, firstIndent(block))
	outer := ""
	for block != "" && len(out) < valueLimit {
		var line string
		line, block, _ = strings.Cut(block, "\n")
		depth, name, text, is := parseKey(line)
		if !is || depth < margin {
			continue
		}
		text = strings.TrimSpace(text)
		if depth == margin {
			outer = ""
		} else if outer == "" {
			continue
		}
		isBlock := strings.HasPrefix(text, "|") || strings.HasPrefix(text, ">")
		switch {
		case text == "" && depth == margin:
			outer = name
			continue
		case isBlock:
			text, block = blockScalar(block, depth)
		default:
			text = scalar(text)
		}
		out = append(out, value{outer, name, text, isBlock}) // the first value of a name counts
	}
	return out
}

func firstIndent(block string) int {
	for line := range strings.Lines(block) {
		if strings.TrimSpace(line) != "" {
			return indent(line)
		}
	}
	return 0
}

// blockScalar splits off the lines that are indented deeper than their key.
func blockScalar(block string, depth int) (text, rest string) {
	for rest = block; rest != ""; {
		line, behind, _ := strings.Cut(rest, "\n")
		if indent(line) <= depth && strings.TrimSpace(line) != "" {
			break
		}
		rest = behind
	}
	return block[:len(block)-len(rest)], rest
}

// scalar returns the value of a scalar with or without quotes.
func scalar(s string) string {
	switch {
	case strings.HasPrefix(s, `"`):
		var text string
		if json.Unmarshal([]byte(s), &text) == nil {
			return text
		}
		return strings.Trim(s, `"`)
	case len(s) > 1 && s[0] == '\'' && s[len(s)-1] == '\'':
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
	}
	return s
}

// located matches file:line and file:line:column.
var located = regex.Of(`^([^\n]+?):(\d+)(?::\d+)?$`)

// place returns where the test is defined, if the block says so.
func (v values) place() (file string, line int) {
	text, number := cmp.Or(v.of("file"), v.of("location"), v.of("at")), v.of("line") // location is from node, at from Vitest
	if m := located().FindStringSubmatch(text); m != nil {
		text, number = m[1], m[2]
	}
	const most = 1 << 30
	if text == "" || number == "" {
		return text, 0
	}
	if n, err := strconv.Atoi(number); err == nil && 0 <= n && n <= most {
		return text, n
	}
	return text, 0
}
