package pretty

import (
	"strings"

	"tribunal/internal/text"
)

// longestText is how many bytes of a message, from its beginning, and of an
// output, from its end, are looked at.
const longestText = 16 << 10

// tab is what a tab becomes: a terminal's own stops would break the columns.
const tab = "    "

// lines splits a text of a test into safe lines, which keep their indentation.
func lines(s string) []string {
	all := strings.Split(strings.ReplaceAll(text.Block(s), "\t", tab), "\n")
	for i, line := range all {
		all[i] = strings.TrimRight(line, " ")
	}
	return all
}

// firstLines returns up to n safe lines of a text that are not blank.
func firstLines(s string, n int) []string {
	s = strings.TrimLeft(s, "\r\n")
	var first []string
	for _, line := range lines(s[:min(len(s), longestText)]) {
		if line == "" {
			continue
		}
		if first = append(first, line); len(first) == n {
			break
		}
	}
	return first
}

// lastLines returns the last n safe lines that are not blank, and whether there
// are others before them.
func lastLines(s string, n int) (last []string, more bool) {
	s = strings.TrimSpace(s)
	surplus := max(0, len(s)-longestText)
	all := lines(s[surplus:])
	for i := len(all) - 1; i >= 0; i-- {
		switch {
		case all[i] == "":
			continue
		case len(last) == n:
			return last, true
		}
		last = append([]string{all[i]}, last...)
	}
	return last, surplus > 0
}
