package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"tribunal/internal/command/input"
	"tribunal/internal/command/mcpserver"
	"tribunal/internal/crash"
	"tribunal/internal/verdict/gate"
)

func mcpCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:  "mcp",
		Usage: "serve coding agents over the Model Context Protocol",
		Description: "Serves one client on standard input and output. Its tools judge an input, list failures, open a trial, compare two\n" +
			"runs, audit, plan and query the history. It reads only the history and inputs below the folder you start it in. It uses\n" +
			"tribunal.yaml as report does. In .mcp.json: {\"mcpServers\": {\"tribunal\": {\"command\": \"tribunal\", \"args\": [\"mcp\"]}}}",
		Flags: historyFlags(),
		Action: func(c *cli.Context) error {
			if env.StdinIsTerminal {
				return errors.New("mcp: standard input is a terminal; put `tribunal mcp` into the settings of your coding agent")
			}
			return mcpserver.Serve(c.Context, AskedByProgram(env, historyPlace(c, env)), env.Stdin, env.Stdout)
		},
	}
}

// AskedByProgram is the program for mcpserver: commands that read inputs below the
// working directory, and a history, one at a time.
func AskedByProgram(env Env, database string) mcpserver.Program {
	var one sync.Mutex
	return mcpserver.Program{
		Version:  version(),
		Database: database,
		Inside:   func(inputs []string) error { return insideOf(env.Dir, inputs) },
		Run: func(ctx context.Context, args []string, stdin []byte) (stdout []byte, stderr string, code int) {
			one.Lock()
			defer one.Unlock()
			var out, errs bytes.Buffer
			defer crash.Catch(func(message string) { stderr, code = printable(errors.New(message), nil), gate.ExitUnusable })
			code = call(args, Env{Context: ctx, Stdin: bytes.NewReader(stdin), Stdout: &out, Stderr: &errs, Dir: env.Dir, Fence: env.Dir,
				Getenv: func(name string) string { // without what makes a command write a file, or decides what was not asked
					if strings.HasPrefix(name, optionPrefix) || strings.HasPrefix(name, "GITHUB_") {
						return ""
					}
					return env.Getenv(name)
				}})
			return out.Bytes(), errs.String(), code
		},
	}
}

// insideOf returns an error where an input is, or leads to, what is not below a
// folder, wherever its links lead.
func insideOf(folder string, inputs []string) error {
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	if slices.Contains(inputs, input.Standard) {
		return errors.New("- is standard input, which has the requests of the agent: name a file")
	}
	for _, named := range inputs {
		_, named = input.Sided(named)
		if rel, err := filepath.Rel(folder, absolute(folder, named)); err != nil || !filepath.IsLocal(rel) {
			return outside(named, folder)
		}
		names, err := input.Expand(named)
		if err != nil {
			return err
		}
		for _, name := range names {
			where, err := filepath.EvalSymlinks(absolute(folder, name))
			if err != nil {
				continue // it is not there, which reading says better
			}
			if rel, err := filepath.Rel(root, where); err != nil || !filepath.IsLocal(rel) {
				return outside(named, folder)
			}
			if info, err := os.Stat(where); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
				return fmt.Errorf("%q is not a file or a folder: name one", name)
			}
		}
	}
	return nil
}

func absolute(folder, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(folder, name)
}

func outside(name, folder string) error {
	return fmt.Errorf("%q is outside %s, where tribunal mcp was started: name inputs in that folder", name, folder)
}
