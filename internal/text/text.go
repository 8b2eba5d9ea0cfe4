package text

import "strings"

// Block is s as safe text of any number of lines. Tabs and newlines stay.
func Block(s string) string { return commands(seen(s)) }

// Line is s as one safe line: line breaks and tabs, with the blanks around
// them, become one blank, and blanks at both ends are dropped.
func Line(s string) string { return commands(fold(seen(s))) }

// seen is s as a reader without a terminal would see it. Nearly all texts are
// plain, and are looked at once.
func seen(s string) string {
	if plain(s) {
		return s
	}
	return visible(newlines(Strip(s)))
}

// newlines turns everything that some reader takes for the end of a line into a
// newline, so that all of them see the same lines.
func newlines(s string) string {
	for _, end := range []string{"\r", "\u0085", "\u2028", "\u2029"} {
		if strings.Contains(s, end) {
			return lineEnds.Replace(s)
		}
	}
	return s
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func fold(s string) string {
	s = strings.Trim(s, " \t\n")
	if !strings.ContainsAny(s, "\t\n") {
		return s
	}
	var b strings.Builder
	for {
		at := strings.IndexAny(s, "\t\n")
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(strings.TrimRight(s[:at], " "))
		b.WriteByte(' ')
		s = strings.TrimLeft(s[at:], " \t\n")
	}
}
