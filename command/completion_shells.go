package command

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/internal/suggest"
)

//go:embed completions/tribunal.bash
var bashCompletion string

//go:embed completions/tribunal.zsh
var zshCompletion string

//go:embed completions/tribunal.fish
var fishCompletion string

//go:embed completions/tribunal.ps1
var powershellCompletion string

// shell is one whose words are completed by a script. The scripts know nothing of
// the program: they ask it.
type shell struct {
	name, script string
	file         string // where a package puts the script
	install      string // how it is switched on for one person
}

var shells = []shell{
	{"bash", bashCompletion, "usr/share/bash-completion/completions/tribunal", `echo 'eval "$(tribunal completion bash)"' >> ~/.bashrc`},
	{"zsh", zshCompletion, "usr/share/zsh/vendor-completions/_tribunal", `echo 'eval "$(tribunal completion zsh)"' >> ~/.zshrc, after compinit`},
	{"fish", fishCompletion, "usr/share/fish/vendor_completions.d/tribunal.fish", `tribunal completion fish > ~/.config/fish/completions/tribunal.fish`},
	{"powershell", powershellCompletion, "", `Add-Content $PROFILE 'tribunal completion powershell | Out-String | Invoke-Expression'`},
}

func shellNames() (names []string) {
	for _, s := range shells {
		names = append(names, s.name)
	}
	return names
}

func completionCommand(env Env) *cli.Command {
	var how strings.Builder
	for _, s := range shells {
		fmt.Fprintf(&how, "\n   %-10s  %s", s.name, s.install)
	}
	return &cli.Command{
		Name:         "completion",
		Usage:        "print the completion script of a shell",
		ArgsUsage:    strings.Join(shellNames(), "|"),
		Description:  "Completes commands, flags, formats, rules and test names. To switch it on for every shell:\n" + how.String(),
		OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage(fmt.Errorf("completion: name one of %s", strings.Join(shellNames(), ", ")))
			}
			for _, s := range shells {
				if s.name == c.Args().First() {
					_, err := io.WriteString(env.Stdout, s.script)
					return err
				}
			}
			return usage(suggest.Unknown("shell", c.Args().First(), shellNames()))
		},
	}
}
