package command_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tribunal/command"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tribunal": func() { os.Exit(command.Main(os.Args, command.System())) },
	})
}

// TestScripts runs the program as a user would.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "../testdata/scripts",
		Setup: func(env *testscript.Env) error {
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			env.Setenv("STREAMS", dir+"/../testdata/streams")
			env.Setenv("CI", "true")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command and wants exactly its exit code: exits 2 tribunal report.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG ...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	if got := exitCode(err); got != args[0] {
		ts.Fatalf("exit %s, want %s\nstdout:\n%s\nstderr:\n%s", got, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

func exitCode(err error) string {
	code, ok := err.(interface{ ExitCode() int })
	switch {
	case err == nil:
		return "0"
	case ok:
		return strconv.Itoa(code.ExitCode())
	}
	return err.Error()
}
