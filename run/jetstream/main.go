// Command tribunal-jetstream spreads a run over machines that come and go: its tests
// wait in a queue of NATS JetStream, workers take one after another and run it as
// tribunal run does, and their journals, published as they grow, are together the run.
//
// # The queue
//
// A queue is one run. It has two streams, of its name S and S-journal. The first holds a message
// for each test (S.test.ID, work-queue retention: a message is gone when its test is acknowledged),
// and in its metadata the version of the queue and what the publisher says of all tests. The second
// holds the journals: S.journal.ID are the bytes of one journal, each message with the offset at
// which they stand. ID is a hash of the names of the test.
//
// # If a worker dies
//
// A worker reports that it is alive (InProgress). Otherwise the test goes to another worker, which
// assembles the published journal and resumes it, as tribunal run --resume does. It claims the
// journal first. Every message of a journal names the message before it. So if two workers have the
// same test, the last to claim continues, and the next message of the other is rejected. No
// decision depends on a clock.
//
// # The process of a run
//
// A worker starts its own program as "tribunal-jetstream run", which is tribunal run. It is a
// process because a run handles signals, adopts orphans and may be killed by what it tests. The
// worker must survive that to report it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"tribunal/command"
	"tribunal/internal/run/process"
)

const program = "tribunal-jetstream"

// roleRun is the word by which a worker starts this program as tribunal run.
const roleRun = "run"

func main() {
	process.WatcherMain()
	if len(os.Args) > 1 && os.Args[1] == roleRun {
		os.Exit(runTribunal(os.Args))
	}
	ctx, settled := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer settled()
	os.Exit(call(ctx, os.Args, os.Stdin, os.Stderr))
}

// runTribunal is tribunal run, which ends when the worker does: that holds the other
// end of standard input.
func runTribunal(args []string) int {
	env := command.System()
	env.Stdin, env.StdinIsTerminal = strings.NewReader(""), false
	if len(args) < 3 || json.Unmarshal([]byte(args[2]), &env.Run) != nil || env.Run.ID == "" {
		fmt.Fprintf(os.Stderr, "%s: %s is what a worker uses to start tribunal run; call %s work\n", program, roleRun, program)
		return exitUnusable
	}
	env.Run.ID, env.Part, _ = strings.Cut(env.Run.ID, "/")
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(exitUnusable) // as if it was killed: the watcher of its trials ends them
	}()
	return command.Main(slices.Concat([]string{"tribunal", "run"}, args[3:]), env)
}

const exitOK, exitUnusable = 0, 2

// call runs one call of the program and returns its exit code.
func call(ctx context.Context, args []string, stdin io.Reader, stderr io.Writer) int {
	behind, given := []string(nil), false
	if at := slices.Index(args, "--"); at >= 0 {
		args, behind, given = args[:at], args[at+1:], true
	}
	commands := []*cli.Command{publishCommand(stderr), workCommand(behind, stderr), sinkCommand(stderr), feedCommand(stdin, stderr)}
	for _, c := range commands {
		action := c.Action
		c.OnUsageError = usageError
		c.Action = func(of *cli.Context) error {
			for _, word := range of.Args().Slice() {
				if strings.HasPrefix(word, "-") && c.Name != "work" { // which says itself where its command stands
					return fmt.Errorf("%s: flags come first: put %s before the other arguments", c.Name, word)
				}
			}
			if err := action(of); err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
			return nil
		}
	}
	app := &cli.App{
		Name:  program,
		Usage: "tribunal run on many machines, which may come and go",
		Description: "Tests wait in a queue of NATS JetStream. Workers run them as tribunal run does, and publish the journals,\n" +
			"which a sink writes to a folder for tribunal report.",
		Suggest: true, HideHelpCommand: true, HideVersion: true, DisableSliceFlagSeparator: true,
		ErrWriter:      stderr,
		Commands:       commands,
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   usageError,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return fmt.Errorf("unknown command %q; use publish, work, sink or feed (see --help)", c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	err := errors.New("only 'work' takes a command after --; leave it out")
	if !given || len(args) > 1 && args[1] == "work" {
		err = app.RunContext(ctx, args)
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", program, err)
		return exitUnusable
	}
	return exitOK
}

// usageError says in a line what is wrong with a call, of which the help would be a page.
func usageError(c *cli.Context, err error, _ bool) error {
	err = errors.New(strings.Replace(err.Error(), "flag provided but not defined: -", "unknown flag: ", 1))
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != program {
		return fmt.Errorf("%s: %w; see %s %s --help", c.Command.Name, err, program, c.Command.Name)
	}
	return fmt.Errorf("%w; see %s --help", err, program)
}

// child is a tribunal run that a worker started.
type child struct {
	cmd   *exec.Cmd
	alive io.Closer // it ends when this is closed, by the end of the worker too
	ended chan struct{}
}

// start starts tribunal run for a part of a run, told by its header.
func start(header string, args []string, stderr io.Writer) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(self, slices.Concat([]string{roleRun, header}, args)...), ended: make(chan struct{})}
	c.cmd.Stderr = stderr
	if c.alive, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start tribunal run: %w", err)
	}
	go func() {
		_ = c.cmd.Wait() // code tells
		close(c.ended)
	}()
	return c, nil
}

// stop asks for the end: trials get their grace, and the journal is closed.
func (c *child) stop() { _ = c.cmd.Process.Signal(syscall.SIGTERM) }

// kill ends it at once, and its trials, if it still runs.
func (c *child) kill() {
	_ = c.alive.Close()
	<-c.ended
}

func (c *child) killed() bool { return c.code() < 0 }

func (c *child) code() int { return c.cmd.ProcessState.ExitCode() }
