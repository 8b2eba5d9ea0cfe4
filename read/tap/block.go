package tap

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// Limits of one block; what is over them is left out.
const (
	blockLimit = 64 << 10 // bytes of its text, of which long lines fill the rest with their start
	valueLimit = 1000     // values
)

// values are the scalars of a block; one inside another is named outer.inner.
type values []value

type value struct {
	outer, name, text string
	block             bool // text is that of a block scalar, as it stands: few are asked for
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

// said is the text as it is meant.
func (v *value) said() string {
	if v.block {
		return strings.TrimSpace(dedented(v.text, firstIndent(v.text)))
	}
	return v.text
}

// parseKey parts a line that says a value: its blanks, its name and the rest.
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

// letter are the bytes that a name begins with.
var letter = func() (set [256]bool) {
	for c := 'a'; c <= 'z'; c++ {
		set[c], set[c-'a'+'A'] = true, true
	}
	set['_'] = true
	return set
}()

// parseBlock reads the scalars of a block whose lines are indented by margin, or
// deeper all together: a line a value, and block scalars. What it does not
// understand it passes over.
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
		out = append(out, value{outer, name, text, isBlock}) // the first of a name counts
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

// blockScalar parts the lines that are indented deeper than their key, and what
// follows them.
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

// scalar is the value of a scalar in any of its quotes.
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

// location parts file:line and file:line:column.
func location(text string) (file, line string, ok bool) {
	file, line, ok = behindColon(text)
	if before, number, column := behindColon(file); ok && column {
		file, line = before, number
	}
	return file, line, ok && !strings.Contains(text, "\n")
}

// behindColon parts a text and the number behind its last colon.
func behindColon(text string) (before, number string, ok bool) {
	at := strings.LastIndexByte(text, ':')
	if at < 1 {
		return "", "", false
	}
	return text[:at], text[at+1:], at+1 < len(text) && strings.Trim(text[at+1:], digits) == ""
}

// place is where the test is defined, as far as the block says.
func (v values) place() (file string, line int) {
	text, number := cmp.Or(v.of("file"), v.of("location"), v.of("at")), v.of("line") // the second is of node, the last of Vitest
	if path, at, is := location(text); is {
		text, number = path, at
	}
	const most = 1 << 30
	if n, err := strconv.Atoi(number); err == nil && 0 <= n && n <= most && text != "" {
		return text, n
	}
	return text, 0
}
