package github_test

import (
	"strings"
	"testing"
)

// command is a line that the runner obeys, read by the rules of its source
// (ActionCommand.cs): `::name key=value,key=value::data` after blanks at the
// start of a line.
type command struct {
	name       string
	properties map[string]string
	data       string
}

var (
	dataRules     = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%")
	propertyRules = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
)

// run reads a job's log as the runner does: the commands in it, and the other
// lines. The old form ##[name] is a command anywhere in a line.
func run(t *testing.T, log string) (commands []command, lines []string) {
	t.Helper()
	if !strings.HasSuffix(log, "\n") {
		t.Errorf("the last line has no end")
	}
	for _, line := range strings.FieldsFunc(log, func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u0085' }) {
		elsewhere(t, line)
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "::")
		if !ok {
			lines = append(lines, line)
			continue
		}
		info, data, ok := strings.Cut(rest, "::")
		if !ok {
			t.Errorf("half a command: %q", line)
		}
		c := command{data: dataRules.Replace(data), properties: map[string]string{}}
		name, properties, _ := strings.Cut(info, " ")
		c.name = name
		for pair := range strings.SplitSeq(properties, ",") {
			key, value, ok := strings.Cut(pair, "=")
			if !ok || value == "" {
				t.Errorf("property %q in %q", pair, line)
			}
			if _, twice := c.properties[key]; twice {
				t.Errorf("%s twice in %q", key, line)
			}
			c.properties[key] = propertyRules.Replace(value)
		}
		commands = append(commands, c)
	}
	return commands, lines
}

// elsewhere reports what GitHub's old form, Azure, TeamCity and GitLab obey.
func elsewhere(t *testing.T, line string) {
	t.Helper()
	lower := strings.ToLower(line)
	for _, command := range []string{"##[", "##vso[", "##teamcity[", "section_start:", "section_end:", "\x1b", "\x07", "\u202e", "\u009b"} {
		if strings.Contains(line, command) || command[0] == '#' && strings.Contains(lower, command) { // GitLab heeds case
			t.Errorf("%q in %q", command, line)
		}
	}
}
