package command

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"tribunal/render"
)

// describeTerminals looks at the standard streams.
func describeTerminals(env *Env) {
	env.StdinIsTerminal = term.IsTerminal(int(os.Stdin.Fd()))
	env.StdoutWidth = terminalWidth(os.Stdout)
	if term.IsTerminal(int(os.Stderr.Fd())) {
		env.StderrSize = func() (columns, rows int) {
			_, rows, _ = term.GetSize(int(os.Stderr.Fd())) // 0 where nobody knows
			return terminalWidth(os.Stderr), rows
		}
	}
}

func terminalWidth(f *os.File) int {
	if !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

// The values of --color.
var colorModes = []string{"auto", "always", "never"}

// colored decides whether standard output gets colour. Order: the flag,
// NO_COLOR, FORCE_COLOR or CLICOLOR_FORCE, CLICOLOR=0 or TERM=dumb, and last
// whether it is a terminal or the log of a CI known to show colours.
func colored(env Env, mode string) (bool, error) {
	set := func(name string) bool { v := env.Getenv(name); return v != "" && v != "0" }
	switch {
	case !slices.Contains(colorModes, mode):
		return false, fmt.Errorf("--color %q: known are %s", mode, strings.Join(colorModes, ", "))
	case mode != "auto":
		return mode == "always", nil
	case env.Getenv("NO_COLOR") != "":
		return false, nil
	case set("FORCE_COLOR"), set("CLICOLOR_FORCE"):
		return true, nil
	case env.Getenv("CLICOLOR") == "0", env.Getenv("TERM") == "dumb":
		return false, nil
	}
	return env.StdoutWidth > 0 || set("GITHUB_ACTIONS") || set("GITLAB_CI"), nil
}

// terminal describes standard output to the renderers.
func terminal(env Env, mode string, ascii bool) (render.Terminal, error) {
	color, err := colored(env, mode)
	return render.Terminal{Color: color, Width: stdoutWidth(env), ASCII: ascii || !unicodeLocale(env), Kept: env.StdoutWidth == 0 && columns(env) == 0}, err
}

// widthOfFiles is how wide reports are that no terminal shows and of which nobody says
// it: what the log of a CI system shows on one line.
const widthOfFiles = 120

// stdoutWidth is the width of standard output: what COLUMNS says, also where there is no
// terminal, or that of the terminal.
func stdoutWidth(env Env) int {
	return cmp.Or(columns(env), env.StdoutWidth, widthOfFiles)
}

// columns is the width that COLUMNS says, 0 where it says none.
func columns(env Env) int {
	columns, err := strconv.Atoi(env.Getenv("COLUMNS"))
	if err != nil {
		return 0
	}
	return max(0, columns)
}

// unicodeLocale reports whether the locale takes more than ASCII. Where nothing
// says so, as on Windows and in most CI jobs, UTF-8 is assumed.
func unicodeLocale(env Env) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(env.Getenv(name)); v != "" {
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return true
}
