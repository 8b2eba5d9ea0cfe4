package command

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"tribunal/verdict/gate"
)

// longestHelp is how many characters the text of a flag has, without its choices and
// its default.
const longestHelp = 70

// choicesOf are the words that help lists at the end of a flag's text.
var choicesOf = regexp.MustCompile(`: [\w-]+(, [\w-]+)+$`)

func helpLine(f cli.Flag) string {
	says := described(f).says
	return choicesOf.ReplaceAllString(says, "")
}

// TestHelpFitsAScreen: no line of any help is wider than 100 columns, every flag of a
// command is in it when all are asked for, and what is shown at once is a screen.
func TestHelpFitsAScreen(t *testing.T) {
	const screen = 56 // lines of a terminal on half of a common display
	found := map[string]int{}
	var walk func(path []string, commands []*cli.Command)
	walk = func(path []string, commands []*cli.Command) {
		for _, c := range commands {
			path := append(slices.Clone(path), c.Name)
			walk(path, c.Subcommands)
			if len(c.Subcommands) > 0 {
				continue
			}
			command := strings.Join(path, " ")
			_, short, _ := inEmptyFolder(t, "", append(slices.Clone(path), "--help")...)
			_, all, _ := inEmptyFolder(t, "", append(slices.Clone(path), "--help", "all")...)
			for _, line := range strings.Split(short+all, "\n") {
				if n := len([]rune(line)); n > widestHelp {
					t.Errorf("%s --help: a line of %d columns: %s", command, n, line)
				}
			}
			for _, f := range c.VisibleFlags() {
				name := f.Names()[0]
				if name != "help" && !strings.Contains(all, "-"+name) {
					t.Errorf("%s --help all: there is no %s", command, name)
				}
				if says := helpLine(f); len([]rune(says)) > longestHelp {
					t.Errorf("%s --%s: %d characters: %s", command, name, len([]rune(says)), says)
				}
				if described(f).value == "VALUE" {
					t.Errorf("%s %s: add the flag to valueKinds", command, name)
				}
				if slices.Contains(needed[command], name) {
					found[command]++
				}
			}
			if n := found[command]; n != len(needed[command]) {
				t.Errorf("%s has %d of the flags that are needed most: %v", command, n, needed[command])
			}
			// A line that a pipe begins is an example as well, and one that is too long stands in two.
			example := regexp.MustCompile(`(?m)^   (\S.* )?tribunal `)
			shown, has := len(example.FindAllString(short, -1)), len(example.FindAllString(all, -1))
			if says := strings.Contains(short, "everything, with all examples"); says != (shown < has) {
				t.Errorf("%s --help shows %d of %d examples, and says that there are more: %v", command, shown, has, says)
			}
			if n := strings.Count(short, "\n"); n > screen {
				t.Errorf("%s --help has %d lines", command, n)
			}
		}
	}
	walk(nil, newApp(Env{}, &behindDashes{}).Commands)
	for name := range needed {
		if found[name] == 0 {
			t.Errorf("no command is named %s", name)
		}
	}
	if code, _, errs := inEmptyFolder(t, "", "report", "--help", "verdct"); code != gate.ExitUnusable || !strings.Contains(errs, "did you mean verdict?") {
		t.Errorf("a group that is not there: exit %d, %s", code, errs)
	}
}
