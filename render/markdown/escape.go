package markdown

import (
	"fmt"
	"strings"

	"tribunal/internal/text"
)

// How much of a text is shown, in bytes.
const (
	nameLimit   = 300
	lineLimit   = 400
	titleLimit  = 120
	outputLimit = 1500
)

// special are the characters that mean something to Markdown, to HTML or to the
// tables and formulas of GitHub and GitLab, anywhere in a line.
const special = "&<>`|*_~[]\\$@#{}"

// escape writes special characters as entities, and breaks up web addresses, of
// which Markdown makes links wherever they stand.
func escape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		address := r == ':' && strings.HasPrefix(s[i+1:], "//") || r == '.' && i > 0 && s[i-1]|0x20 == 'w'
		if address || strings.ContainsRune(special, r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// code is what a test wrote, cut to size, as one line of code; "" when nothing
// of it can be seen.
func code(s string, limit int) string {
	if s = text.CutLine(text.Line(s), limit); s == "" {
		return ""
	}
	return "<code>" + escape(s) + "</code>"
}

// codeOr is code with words for nothing.
func codeOr(s string, limit int, nothing string) string {
	if s = code(s, limit); s == "" {
		return nothing
	}
	return s
}

// fence is what a test wrote as a block of code, between fences longer than any
// run of backticks in it; "" when nothing of it can be seen. GitLab obeys a
// slash at the start of a line of a comment, and its older versions did so
// inside longer fences too: a blank stands before it.
func fence(s string, limit int) string {
	s = text.Cut(strings.Trim(text.Block(s), "\n"), limit)
	if strings.TrimSpace(s) == "" {
		return ""
	}
	s = strings.ReplaceAll("\n"+strings.TrimRight(s, "\n"), "\n/", "\n /")
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	return fence + "text" + s + "\n" + fence + "\n\n"
}

// longestRun is the length of the longest run of backticks.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
