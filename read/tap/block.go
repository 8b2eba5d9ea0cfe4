package tap

import (
	"encoding/json"
	"strconv"
	"strings"

	"tribunal/internal/regex"
)

// Limits of one block; what is over them is left out.
const (
	blockLimit = 64 << 10 // bytes of its text, of which long lines fill the rest with their start
	valueLimit = 1000     // values
)

// values are the scalars of a block; one inside another is named outer.inner.
type values map[string]string

var keyLine = regex.Of(`^( *)([A-Za-z_][A-Za-z0-9_ -]*):(?:\s+(.*))?$`)

// parseBlock reads the scalars of a block whose lines are indented by margin, or
// deeper all together: a line a value, and block scalars. What it does not
// understand it passes over.
func parseBlock(lines []string, margin int) values {
	out := values{}
	margin = max(margin, firstIndent(lines))
	outer := ""
	for i := 0; i < len(lines) && len(out) < valueLimit; i++ {
		m := keyLine().FindStringSubmatch(lines[i])
		if m == nil || len(m[1]) < margin {
			continue
		}
		name, depth, value := m[2], len(m[1]), strings.TrimSpace(m[3])
		if depth == margin {
			outer = ""
		} else if outer == "" {
			continue
		}
		switch {
		case value == "" && depth == margin:
			outer = name + "."
			continue
		case strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">"):
			var n int
			value, n = blockScalar(lines[i+1:], depth)
			i += n
		default:
			value = scalar(value)
		}
		if _, taken := out[outer+name]; !taken {
			out[outer+name] = value
		}
	}
	return out
}

// firstIndent is by how much the first line that is not blank is indented.
func firstIndent(lines []string) int {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			return indent(line)
		}
	}
	return 0
}

// blockScalar is the text of the lines that are indented deeper than its key,
// and how many they are.
func blockScalar(lines []string, depth int) (text string, n int) {
	margin := -1
	var kept []string
	for _, line := range lines {
		blank := strings.TrimSpace(line) == ""
		if !blank && indent(line) <= depth {
			break
		}
		if margin < 0 && !blank {
			margin = indent(line)
		}
		kept = append(kept, line[min(len(line), max(margin, 0), indent(line)):])
	}
	return strings.TrimSpace(strings.Join(kept, "\n")), len(kept)
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

var location = regex.Of(`^(.+?):(\d+)(?::\d+)?$`)

// place is where the test is defined, as far as the block says.
func (v values) place() (file string, line int) {
	text := v["file"]
	if text == "" {
		text = v["location"] // of node
	}
	if text == "" {
		text = v["at"] // of Vitest
	}
	number := v["line"]
	if m := location().FindStringSubmatch(text); m != nil {
		text, number = m[1], m[2]
	}
	const most = 1 << 30
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > most || text == "" {
		return text, 0
	}
	return text, n
}
