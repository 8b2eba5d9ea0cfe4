package text

import "strings"

// commands puts a blank into everything that a build server takes for a
// command when the text is printed in a job's log.
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

// colons breaks up the :: at the start of a line, blanks before it or not:
// GitHub's commands.
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

// obeyed are what follows ## in the commands that are obeyed anywhere in a
// line: GitHub's and Azure's old form, Azure's, TeamCity's. Not all of these
// servers care about case, so nobody does here.
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
		if isCommand(s[at+2:]) {
			b.WriteString(s[:at+2])
			b.WriteByte(' ')
			s = s[at+2:]
			continue
		}
		b.WriteString(s[:at+1]) // the second # may be the first one of a command
		s = s[at+1:]
	}
}

func isCommand(s string) bool {
	for _, word := range obeyed {
		if len(s) >= len(word) && strings.EqualFold(s[:len(word)], word) {
			return true
		}
	}
	return false
}

// sections are the folds of GitLab's job log.
var sections = strings.NewReplacer("section_start:", "section_start :", "section_end:", "section_end :")
