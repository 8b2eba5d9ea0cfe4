package command_test

import (
	"fmt"
	"io"
	"os"
	"strings"

	"tribunal/command"
	"tribunal/envelope"
	"tribunal/render"
)

// A program of one's own has every subcommand and a format more. Its main is what
// Tribunal's is, with command.System() for the machine that it runs on.
func Example_ownFormat() {
	render.Formats = append(render.Formats, render.Format{Name: "names", Doc: "the names of what did not pass",
		Write: func(w io.Writer, e *envelope.Envelope, _ render.Settings) error {
			for i := range e.Tests {
				if e.Tests[i].Status != envelope.Pass {
					fmt.Fprintln(w, e.Tests[i].Key)
				}
			}
			return nil
		}})
	trials := `{"test":"refund","status":"fail"}` + "\n" + `{"test":"search","status":"pass"}` + "\n"
	machine := command.Env{Stdin: strings.NewReader(trials), Stdout: os.Stdout, Stderr: os.Stderr, Getenv: func(string) string { return "" }}
	fmt.Println("exit code", command.Main([]string{"tribunal", "report", "-f", "names"}, machine))
	// Output:
	// refund
	// exit code 1
}
