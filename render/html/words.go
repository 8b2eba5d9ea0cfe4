package html

import (
	"strings"

	"tribunal/internal/text"
	"tribunal/internal/words"
)

// How much of a text fits where one line of it is shown, in bytes.
const (
	nameLimit = 600
	lineLimit = 2000
	leadLimit = 300
)

// name is a short text that identifies something, safe and of bounded length;
// fallback stands for one that has nothing to show.
func name(s, fallback string) string {
	if s = text.CutLine(text.Line(s), nameLimit); s != "" {
		return s
	}
	return fallback
}

// titleRunes is more of a title than a browser shows in a tab.
const titleRunes = 60

// shorten cuts a safe line to a number of runes.
func shorten(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes-1]) + "…"
	}
	return s
}

// line is a sentence or two as one safe line.
func line(s string) string { return text.CutLine(text.Line(s), lineLimit) }

// lead is the first line of a text that has anything in it.
func lead(s string) string {
	for l := range strings.Lines(s) {
		if l = text.Line(l); l != "" {
			if len(l) > leadLimit {
				l = words.AtWord(l, leadLimit) + "…"
			}
			return l
		}
	}
	return ""
}
