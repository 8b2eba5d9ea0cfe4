package text

import (
	"fmt"
	"unicode/utf8"
)

// Cut keeps the head and the tail of a safe text of more than limit bytes,
// with a mark between them that says how much is missing. The result fits the
// limit and is as safe as s: the tail goes on behind the mark in its line, so
// that no cut makes a new start of a line.
func Cut(s string, limit int) string { return cut(s, limit, "\n[... %d bytes cut ...] ") }

// CutLine is Cut for one line, which stays one line.
func CutLine(s string, limit int) string { return cut(s, limit, " [... %d bytes cut ...] ") }

func cut(s string, limit int, mark string) string {
	if len(s) <= limit {
		return s
	}
	room := limit - len(fmt.Sprintf(mark, len(s)))
	if room < 0 { // no room for a mark, only for the head
		return s[:border(s, max(limit, 0))]
	}
	head, tail := border(s, room/2), len(s)-room/2
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + fmt.Sprintf(mark, tail-head) + s[tail:]
}

// border is the last start of a rune at or before i.
func border(s string, i int) int {
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
