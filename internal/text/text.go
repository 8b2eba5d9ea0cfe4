// Package text makes hostile text safe to show: what a test, an agent or a tool wrote, and what it named itself, as
// valid UTF-8 without anything that a terminal, a log viewer or a build server would obey, and cut to a size.
//
// It exists so that there is one copy of these rules and every report shows the same text the same way. It leaves out
// the quoting of each format (XML, JSON, HTML, TAP, Markdown): that is done afterwards, at the format's own door, and on
// text that is already cut.
//
// What becomes of what:
//
//	terminal sequences (CSI, OSC, DCS …)       removed; one that does not end is shown as ␛ and its text
//	CR LF, CR, NEL, U+2028, U+2029             a newline
//	other control characters                   their picture (␀, ␇, ␡); U+FFFD for U+0080 to U+009F
//	bidi and invisible format controls         their number, for instance [U+202E]
//	invalid UTF-8, noncharacters               U+FFFD
//	::cmd at the start of a line               : :cmd
//	##[cmd], ##vso[, ##teamcity[               ## [cmd], ## vso[, ## teamcity[
//	section_start: and section_end:            section_start :
//
// All functions are pure, linear in their input, and give back their own output unchanged.
package text

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"tribunal/internal/regex"
)

// Block is s as safe text of any number of lines. Tabs and newlines stay.
func Block(s string) string { return commands(seen(s)) }

// Line is s as one safe line: line breaks and tabs, with the blanks around
// them, become one blank, and blanks at both ends are dropped.
func Line(s string) string { return commands(fold(seen(s))) }

// seen is s as a reader without a terminal would see it. Nearly all texts are plain, and are looked at once.
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

// Cut keeps the head and the tail of a safe text of more than limit bytes, with a mark between them that says how much
// is missing. The result fits the limit and is as safe as s: the tail goes on behind the mark in its line, so that no
// cut makes a new start of a line.
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

var drive = regex.Of(`^[A-Za-z]:`)

// Path is a file as reports name it: one safe line, below the root of the repository, with forward slashes, without "."
// and ".."; "" when nothing of it is left.
func Path(file string) string {
	if relative(file) {
		return file
	}
	file = drive().ReplaceAllString(slashed(file), "")
	return strings.TrimPrefix(path.Clean("/"+file), "/") // as the root, .. goes nowhere
}

// RootedPath is Path for a reader that knows where the repository lies: a root or a drive stays.
func RootedPath(file string) string {
	slashes := slashed(file)
	root := drive().FindString(slashes)
	if rest := slashes[len(root):]; root != "" || path.IsAbs(rest) {
		return root + path.Clean("/"+rest)
	}
	return Path(file)
}

// relative reports what nearly all files are: plain, and a path already.
func relative(file string) bool {
	const odd = "\\:#\t\n " // separators of others, drives, commands, and what ends a line
	return plain(file) && !strings.ContainsAny(file, odd) && file != "" && file == path.Clean(file) &&
		file[0] != '/' && file != "." && file != ".." && !strings.HasPrefix(file, "../")
}

func slashed(file string) string { return strings.ReplaceAll(Line(file), `\`, "/") }

// commands puts a blank into everything that a build server takes for a command when the text is printed in a job's log.
func commands(s string) string {
	if strings.Contains(s, "::") {
		s = colons(s)
	}
	if strings.Contains(s, "##") {
		s = hashes(s)
	}
	if strings.Contains(s, "section_") {
		s = sections.Replace(s)
	}
	return s
}

// colons breaks up the :: at the start of a line, blanks before it or not: GitHub's commands.
func colons(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.Lines(s) {
		if rest := strings.TrimSpace(line); strings.HasPrefix(rest, "::") {
			at := strings.Index(line, "::") + 1
			b.WriteString(line[:at])
			b.WriteByte(' ')
			line = line[at:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// obeyed are what follows ## in the commands that are obeyed anywhere in a line: GitHub's and Azure's old form, Azure's,
// TeamCity's. Not all of these servers care about case, so nobody does here.
var obeyed = []string{"[", "vso[", "teamcity["}

func hashes(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		at := strings.Index(s, "##")
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		behind := s[at+2:]
		begins := func(word string) bool { return len(behind) >= len(word) && strings.EqualFold(behind[:len(word)], word) }
		if slices.ContainsFunc(obeyed, begins) {
			b.WriteString(s[:at+2])
			b.WriteByte(' ')
			s = behind
			continue
		}
		b.WriteString(s[:at+1]) // the second # may be the first one of a command
		s = s[at+1:]
	}
}

// sections are the folds of GitLab's job log.
var sections = strings.NewReplacer("section_start:", "section_start :", "section_end:", "section_end :")
