// Package process starts the commands of a run, stores their output, enforces their timeouts and
// kills everything that a trial started: daemons, processes that left their group or session or
// ignore signals, also when this program panics or is killed by kill -9.
//
// [Open] makes one [Group] for a run, and changes settings of the whole process. [Group.Start]
// starts a command and [Process.Wait] returns its [End].
//
// # How processes are found
//
// Every command leads its own session and process group, and has its identifier in the
// environment as TRIBUNAL_TRIAL, the cookie. Its children inherit both. A leader that exited stays
// a zombie, so that its number is not reused, until its group is killed and no process is left in
// its group or session, with its cookie, or descended from one with the cookie.
//
// On Linux this program adopts orphans (PR_SET_CHILD_SUBREAPER). So its own children show whether
// anything is left, and it reads /proc only then. It reaps adopted orphans by their number. An
// orphan without group, session or cookie of a trial is ended once no command runs. Children of
// other code of this program are in its own session, where no orphan of a trial can be.
//
// If this program dies, the watcher does the same from outside: this binary, started once for each
// run, with the other end of a pipe ([WatcherMain]).
//
// # Limits
//
// The watcher misses processes that left group and session, cleared their environment and lost
// their parents before this program died. Processes of another user (sudo) cannot be killed: they
// are counted as [End.Survived]. macOS has no adoption of orphans: all processes are checked after
// each end, and one without group, session and cookie survives.
//
// On Windows each command is in a job object, which ends with its last handle. A request to end is
// CTRL_BREAK. There is no watcher or cookie, and groups are not suspended. The tests of escapes run
// on Linux only.
//
// Containers survive their client: end them by name in a command of their own.
package process

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"tribunal/internal/each"
)

// Command is what is started.
type Command struct {
	// ID identifies the trial, or whatever the command is for: the Run of the [Group], or that, a
	// dot and more. Commands around a trial (before, after) have the trial's. Commands of one ID
	// run one after another: the end of one ends whatever else carries the ID.
	ID string
	// Argv is the program and its arguments. A program without a slash is looked for
	// in PATH. No shell is involved.
	Argv []string
	// Env is the whole environment, NAME=value each; nil is that of this program. The
	// cookie is added to it.
	Env []string
	// Dir is the directory it starts in, "" is that of this program.
	Dir string
	// Stdout and Stderr are the files that get its output, created with mode 0600.
	// "" discards it. Both may be the same. Standard input is empty.
	Stdout, Stderr string
	// Timeout ends it after that long, 0 never.
	Timeout time.Duration
	// Grace is how long it has from the request to end (SIGTERM) to SIGKILL. 0 kills at once.
	Grace time.Duration
	// Keep spares what it leaves when it exits by itself, and does not count it, until
	// a command of the same ID without Keep has ended, [Group.Release] or
	// [Group.Close]: for commands that prepare something.
	Keep bool
}

// Why says how the end of a process came.
type Why int

// The ways to end.
const (
	Exited      Why = iota // by itself, or by a signal that is not ours
	Timeout                // its Timeout was over
	Stopped                // Stop or Kill was called
	OutputLimit            // it wrote more than OutputLimit to a file
)

// End is what is known of a process after it.
type End struct {
	Why Why
	// Code is the exit code, -1 if a signal ended it.
	Code int
	// Signal is the name of that signal without SIG ("SEGV"), else "".
	Signal string
	// Forced is whether SIGKILL was sent to it.
	Forced bool
	// Started is when it was started.
	Started time.Time
	// Duration is how long it ran, without what the run was suspended.
	Duration time.Duration
	// LeftBehind counts processes that outlived it. They are dead by now, unless the
	// Group has LeaveBehind.
	LeftBehind int
	// Survived counts those of them that could not be ended: another user's, or dead
	// to all signals for five seconds.
	Survived int
	// StdoutSize and StderrSize are the bytes in the output files.
	StdoutSize, StderrSize int64
}

// Process is a command that was started.
type Process struct {
	group   *Group
	command Command
	leader  *leader
	outputs outputs
	started time.Time
	begun   time.Duration // on the group's clock
	done    chan struct{}
	end     End // valid when done is closed

	// Guarded by group.mu.
	why    Why
	ending bool          // why is decided, or it has exited
	killed bool          // SIGKILL was sent
	due    time.Duration // when the next timer fires, on the group's clock; 0 never
	timer  *time.Timer
}

// Start starts a command. An error means that it did not run: the program is not
// there or not executable (fs.ErrNotExist, fs.ErrPermission, exec.ErrNotFound and
// others, until somebody mends it), or there is no room for it now ([Temporary]).
func (g *Group) Start(c Command) (*Process, error) {
	p, err := g.start(c)
	if err != nil {
		name := "an empty command"
		if len(c.Argv) > 0 {
			name = c.Argv[0]
		}
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	go p.awaitExit()
	return p, nil
}

func (g *Group) start(c Command) (*Process, error) {
	if err := validID(c.ID); err != nil {
		return nil, err
	}
	if !matchesCookie(g.options.Run, c.ID) {
		return nil, fmt.Errorf("%s is not an identifier of run %s: it must begin with that and a dot", c.ID, g.options.Run)
	}
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, errors.New("there is no program to start")
	}
	path, err := program(c.Argv[0])
	if err != nil {
		return nil, err
	}
	out, err := openOutputs(c.Stdout, c.Stderr, g.null)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, errors.Join(errors.New("the run is closed"), out.close())
	}
	env := withCookie(c.Env, g.options.Variable, c.ID)
	p := &Process{group: g, command: c, outputs: out, done: make(chan struct{}), started: time.Now(), begun: g.clock.now()}
	if p.leader, err = g.reaper.launch(path, c, env, [3]*os.File{g.null, out.stdout, out.stderr}); err != nil {
		return nil, errors.Join(err, out.close())
	}
	g.live[p] = struct{}{}
	if c.Timeout > 0 {
		p.due = p.begun + c.Timeout
	}
	if g.clock.stopped() {
		p.leader.suspend(true)
	}
	p.arm()
	return p, nil
}

// withCookie returns the environment with the cookie, and no other of its name.
func withCookie(env []string, name, id string) []string {
	if env == nil {
		env = os.Environ()
	}
	others := each.Where(env, func(entry string) bool { return !strings.HasPrefix(entry, name+"=") })
	return append(others, name+"="+id)
}

// Wait returns how the process ended, once nothing of it is left.
func (p *Process) Wait() End {
	<-p.done
	return p.end
}

// Stop asks the group of the process to end (SIGTERM), and kills it after its grace.
// It does nothing if the process has exited or is ending.
func (p *Process) Stop() { p.finish(Stopped, p.command.Grace) }

// Kill ends the group of the process at once (SIGKILL), also within its grace.
func (p *Process) Kill() { p.finish(Stopped, 0) }

// finish begins the end of a process that has not exited: a request and a timer, or
// SIGKILL where there is no grace.
func (p *Process) finish(why Why, grace time.Duration) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if _, live := p.group.live[p]; !live || p.leader.exited() {
		return
	}
	if p.ending && grace > 0 {
		return // it has been asked
	}
	if !p.ending {
		p.why, p.ending = why, true
	}
	if grace <= 0 {
		p.kill()
		return
	}
	p.leader.terminate()
	p.due = p.group.clock.now() + grace
	p.arm()
}

func (p *Process) kill() {
	p.killed, p.due = true, 0
	p.arm()
	p.leader.kill()
}

// arm sets the timer to what is due. The group is locked.
func (p *Process) arm() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	if p.due > 0 && !p.group.clock.stopped() {
		p.timer = time.AfterFunc(p.due-p.group.clock.now(), p.timerFired)
	}
}

// timerFired is called when a timer fires, which may have been set again meanwhile.
func (p *Process) timerFired() {
	p.group.mu.Lock()
	over := p.due > 0 && !p.group.clock.stopped() && p.group.clock.now() >= p.due
	asked, why := p.ending, p.why
	p.group.mu.Unlock()
	switch {
	case !over:
	case asked:
		p.finish(why, 0)
	default:
		p.finish(Timeout, p.command.Grace)
	}
}

// awaitExit waits for the end of the process and clears away what is left of it.
func (p *Process) awaitExit() {
	g := p.group
	p.leader.wait()
	g.mu.Lock()
	delete(g.live, p)
	p.due = 0
	p.arm()
	spared := !p.ending && (p.command.Keep || g.options.LeaveBehind)
	duration := g.clock.now() - p.begun
	g.mu.Unlock()

	end := g.reaper.clear(p.leader, spared)
	end.Why, end.Forced = p.why, p.killed
	end.Started, end.Duration = p.started, duration
	if p.outputs.exceed(g.options.OutputLimit) && end.Why == Exited {
		end.Why = OutputLimit // the same trial has the same end, looked at or not
	}
	end.StdoutSize, end.StderrSize = size(p.outputs.stdout), size(p.outputs.stderr)
	p.outputs.close()
	p.end = end
	close(p.done)
}

type clock struct {
	zero   time.Time
	lost   time.Duration // suspended so far
	frozen time.Time     // since when it is suspended, else zero
}

func (c *clock) stopped() bool { return !c.frozen.IsZero() }

// now returns the time since the clock was made, without what was suspended.
func (c *clock) now() time.Duration {
	at := time.Now()
	if c.stopped() {
		at = c.frozen
	}
	return at.Sub(c.zero) - c.lost
}

func (c *clock) stop(on bool) {
	if on {
		c.frozen = time.Now()
		return
	}
	c.lost += time.Since(c.frozen)
	c.frozen = time.Time{}
}
