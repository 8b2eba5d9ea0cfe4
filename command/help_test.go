package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"tribunal/verdict/gate"
)

// TestHelpFitsAScreen: no line of any help is wider than 100 columns, every flag of a
// command is in it when all are asked for, and what is shown at once is far less.
func TestHelpFitsAScreen(t *testing.T) {
	var walk func(path []string, commands []*cli.Command)
	walk = func(path []string, commands []*cli.Command) {
		for _, c := range commands {
			path := append(slices.Clone(path), c.Name)
			walk(path, c.Subcommands)
			if len(c.Subcommands) > 0 {
				continue
			}
			_, short, _ := inEmptyFolder(t, "", append(slices.Clone(path), "--help")...)
			_, all, _ := inEmptyFolder(t, "", append(slices.Clone(path), "--help", "all")...)
			for _, line := range strings.Split(short+all, "\n") {
				if n := len([]rune(line)); n > widestHelp {
					t.Errorf("%s --help: a line of %d columns: %s", strings.Join(path, " "), n, line)
				}
			}
			for _, f := range c.VisibleFlags() {
				if name := f.Names()[0]; len(c.VisibleFlags()) > fewFlags && name != "help" && !strings.Contains(all, "-"+name) {
					t.Errorf("%s --help all: there is no %s", strings.Join(path, " "), name)
				}
			}
			if n := strings.Count(short, "\n"); n > 110 {
				t.Errorf("%s --help has %d lines", strings.Join(path, " "), n)
			}
		}
	}
	walk(nil, newApp(Env{}, &behindDashes{}).Commands)
	if code, _, errs := inEmptyFolder(t, "", "report", "--help", "verdct"); code != gate.ExitUnusable || !strings.Contains(errs, "did you mean verdict?") {
		t.Errorf("a group that is not there: exit %d, %s", code, errs)
	}
}
