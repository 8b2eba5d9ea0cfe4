// Package command is the command line of Tribunal, with a file per subcommand. Only this
// package imports urfave/cli and uses files, standard streams, the terminal, environment
// variables and the clock. The packages below it depend only on their input.
//
// Errors go to standard error as "tribunal: what was being done: what is wrong;
// what to do now", without a capital or a full stop. Only reports go to standard
// output and to files.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/crash"
	"tribunal/internal/each"
	"tribunal/internal/redact"
	"tribunal/internal/regex"
	"tribunal/internal/text"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
)

// Env is the machine as the program sees it.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Environ        func() []string // all variables, to warn of unknown ones; nil for no warnings
	Dir            string          // the working directory
	Context        context.Context // stops reading inputs; nil for never
	Fence          string          // links may not lead out of this folder; "" for no limit
	// Terminals. The width is 0 if standard output is not a terminal.
	StdinIsTerminal bool
	StdoutWidth     int
	StderrSize      func() (columns, rows int) // current size; nil if standard error is not a terminal

	// Run is the name and start of a run that several programs share, and Part the name of
	// this program's part. If they are empty, each run gets a name of its own.
	Run  envelope.Header
	Part string

	resumed bool // the call resumes a run
}

func (env Env) stopped() error {
	if env.Context == nil {
		return nil
	}
	return env.Context.Err()
}

type stoppable struct {
	env Env
	io.Reader
}

func (s stoppable) Read(p []byte) (int, error) {
	if err := s.env.stopped(); err != nil {
		return 0, err
	}
	return s.Reader.Read(p)
}

// exitError has an exit code, and an error to print or nil.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// Main runs the program and returns its exit code.
func Main(args []string, env Env) int {
	defer crash.Exit()
	return call(args, env)
}

func call(args []string, env Env) int {
	out := &standardOutput{to: env.Stdout}
	env.Stdout, env.Stderr = out, &redactingWriter{to: env.Stderr}
	var behind behindDashes
	if len(args) > 1 && args[1] == completeCommand { // no command of cli, which would take the words for its own flags
		complete(newApp(env, &behind), env, args[2:])
		return gate.ExitOK
	}
	words := askedForHelp(behind.cut(args))
	app := newApp(env, &behind, words...)
	words, set, err := interleave(app, env, words)
	var asked *helpAsked
	if errors.As(err, &asked) {
		err = showHelp(env.Stdout, asked.name, asked.command, asked.inputs, stdoutWidth(env))
	} else if err == nil {
		app.Metadata = map[string]any{strays: strayVariables(env, func() []*cli.Command { return newApp(env, &behind).Commands })}
		behind.set = set // for a run that is gone on with elsewhere
		if behind.args != nil {
			behind.args = slices.Concat(behind.args[:2], set, behind.args[2:])
		}
		err = app.Run(words)
	}
	switch {
	case err == nil && out.gone:
		return exitCodeOf(syscall.SIGPIPE)
	case err == nil && out.err != nil: // writing help failed
		err = out.err
	case err == nil:
		return gate.ExitOK
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = &exitError{code: gate.ExitUnusable, err: err}
	}
	if exit.err != nil && !errors.Is(exit.err, errMentioned) {
		fmt.Fprintf(env.Stderr, "tribunal: %s\n", printable(exit.err, args))
	}
	if len(set) > 0 && (exit.err != nil || exit.code == gate.ExitUnusable) {
		fmt.Fprintf(env.Stderr, "tribunal: the environment sets flags of this call: %s\n", variables(set))
	}
	return exit.code
}

// askedForHelp moves the word help or --help from before a command to the end, as --help, and --version is a command.
func askedForHelp(args []string) []string {
	for at, word := range args {
		if at == 1 && (word == "--version" || word == "-version" || word == "-v" && len(args) == 2) {
			return []string{args[0], "version"}
		}
		if at == 1 && (word == "help" || asksForHelp(args[1:2])) && slices.Equal(args[2:], []string{everyGroup}) {
			return []string{args[0], "--help"}
		}
		if at > 0 && (word == "help" || asksForHelp(args[at:at+1])) {
			return slices.Concat(args[:at], args[at+1:], []string{"--help"})
		}
		if at > 0 && word != "history" && word != "audit" { // their subcommands have help, too
			break
		}
	}
	return args
}

// printable returns the text of an error, redacted, escaped, and with long quoted
// arguments cut.
func printable(err error, args []string) string {
	args = slices.Clone(args)
	for i, arg := range args {
		args[i] = redacted(arg)
	}
	return text.Block(brief(redacted(err.Error()), args))
}

func redacted(text string) string {
	if r, err := redact.New(redact.Rules{}); err == nil {
		return r.Text(text)
	}
	return text
}

// newApp returns the program with the command that words, the arguments of the call,
// name in second place, or with all commands.
func newApp(env Env, behind *behindDashes, words ...string) *cli.App {
	return &cli.App{
		Name:  "tribunal",
		Usage: "decide whether a flaky test or an LLM agent passes",
		Description: "Reads the reports of your runner, or starts the trials. Gives each test one verdict,\n" +
			"and writes reports for the terminal, JUnit, GitLab, GitHub, TAP, JSON and HTML.",
		Writer:                    env.Stdout,
		ErrWriter:                 env.Stderr,
		Suggest:                   true,
		DisableSliceFlagSeparator: true, // gates and paths may contain commas
		Commands:                  commands(env, behind, words),
		CustomAppHelpTemplate:     appHelp,
		HideHelpCommand:           true,
		ExitErrHandler:            func(*cli.Context, error) {}, // Main prints errors
		Action:                    noCommand,
	}
}

// commands returns the command that was called, or all. Making only one halves the time of
// a short call, because all commands have hundreds of flags.
func commands(env Env, behind *behindDashes, words []string) []*cli.Command {
	type named struct {
		name string
		make func() *cli.Command
	}
	all := []named{
		{"run", func() *cli.Command { return runCommand(env, behind) }},
		{"next", func() *cli.Command { return nextCommand(env, behind) }},
		{"report", func() *cli.Command { return reportCommand(env) }},
		{"show", func() *cli.Command { return showCommand(env) }},
		{"convert", func() *cli.Command { return convertCommand(env) }},
		{"compare", func() *cli.Command { return compareCommand(env) }},
		{"rank", func() *cli.Command { return rankCommand(env) }},
		{"plan", func() *cli.Command { return planCommand(env) }},
		{"comment", func() *cli.Command { return commentCommand(env) }},
		{"audit", func() *cli.Command { return auditCommand(env) }},
		{"history", func() *cli.Command { return historyCommand(env) }},
		{"ci", func() *cli.Command { return ciCommand(env) }},
		{"mcp", func() *cli.Command { return mcpCommand(env) }},
		{"init", func() *cli.Command { return initCommand(env) }},
		{"config", func() *cli.Command { return configCommand(env, &behind.set) }},
		{"formats", func() *cli.Command { return formatsCommand(env) }},
		{"schema", func() *cli.Command { return schemaCommand(env) }},
		{"version", func() *cli.Command { return versionCommand(env) }},
		{"completion", func() *cli.Command { return completionCommand(env) }},
		{"man", func() *cli.Command { return manCommand(env) }},
	}
	for i, c := range all {
		if len(words) > 1 && words[1] == c.name {
			all = all[i : i+1]
			break
		}
	}
	return checked(each.Of(all, func(c named) *cli.Command { return c.make() })...)
}

func checked(commands ...*cli.Command) []*cli.Command {
	for _, c := range commands {
		c.OnUsageError, c.HideHelpCommand = usageError, true // an input may be called h
		if c.ArgsUsage == "" {
			c.Before = noArguments
		}
		if action := c.Action; action != nil {
			c.Action = func(c *cli.Context) error { return typed(c, action(c)) }
		}
		checked(c.Subcommands...)
	}
	return commands
}

func noArguments(c *cli.Context) error {
	if c.NArg() == 0 {
		return nil
	}
	instead := map[string]string{"config": "; name a file with --config", "prune": ": say which runs by --keep and --older-than",
		"formats": "; name a file with --for", "init": "; say what you test with --for"}
	name := strings.TrimPrefix(c.Command.HelpName, c.App.Name+" ")
	return fmt.Errorf("%s takes no argument, found %q%s", name, c.Args().First(), instead[c.Command.Name])
}

const appHelp = `{{.Name}} - {{.Usage}}

{{.Description}}

Usage:
  tribunal run --threshold 0.9 -- ./agent-test   start trials until the verdict
  runner | tribunal report                       judge a runner's output; a failure exits with 1
  tribunal report trials.ndjson -o junit=report.xml -o html=report.html
  tribunal report run.json -f tap                reports in JSON are inputs

Commands:
{{range .VisibleCommands}}  {{printf "%-10s" .Name}} {{.Usage}}
{{end}}
Run 'tribunal COMMAND --help' for its flags and examples.
`

func noCommand(c *cli.Context) error {
	if c.NArg() == 0 {
		return cli.ShowAppHelp(c)
	}
	if exists(c.Args().First()) {
		return fmt.Errorf("unknown command %q: did you mean tribunal report %s?", c.Args().First(), words.Shell(c.Args().Slice()...))
	}
	return unknownCommand(c, "command", c.App.VisibleCommands())
}

// flagErrors are the errors of the package flag: a value of the wrong type, and a flag without one.
var flagErrors = regex.Of(`^(?:invalid (boolean )?value (".*") for (?:flag )?|flag needs an argument: )-(\S+?)(?:: .*?(range)?)?$`)

func usageError(c *cli.Context, err error, _ bool) error {
	switch of := flagErrors().FindStringSubmatch(err.Error()); {
	case of == nil:
		return fmt.Errorf("%w; see --help", err)
	case of[2] == "":
		return fmt.Errorf("%s: give a value after it, as in %[1]s %s", dashed(of[3]), exampleOf(c.Command, dashed(of[3])))
	default:
		return fmt.Errorf("%s %s: %s is expected", dashed(of[3]), of[2], cmp.Or(words.If(of[1] != "", "true or false"),
			words.If(of[4] != "", "a whole number with fewer digits"), "a whole number"))
	}
}

// System returns the real machine, with handlers for signals and panics.
func System() Env {
	crash.OnPanic(func(message string) {
		stop.mu.Lock()
		stop.undoAll()
		fmt.Fprintln(os.Stderr, printable(errors.New(message), nil))
		os.Exit(gate.ExitUnusable)
	})
	stop.handleSignals()
	env := Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Environ: os.Environ}
	env.Dir, _ = os.Getwd() // if it fails, paths are not shortened
	describeTerminals(&env)
	widen(os.Stdin)
	return env
}
