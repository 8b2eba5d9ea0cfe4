package process

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"tribunal/internal/each"
	"tribunal/internal/redact"
)

// CookieVariable is the environment variable that carries the identifier of the
// trial a process belongs to, unless [Options] name another.
const CookieVariable = "TRIBUNAL_TRIAL"

// DefaultOutputLimit is how much one output file may hold: 64 MiB.
const DefaultOutputLimit = 64 << 20

// lookEvery is how often the sizes of output files are looked at.
const lookEvery = 500 * time.Millisecond

// Options say how the commands of a run are held.
type Options struct {
	// Run is the identifier of the run. The identifiers of commands are it, or it,
	// a dot and more. It is not empty and has no NUL, newline or blank.
	Run string
	// Variable is the name of the cookie in the environment, "" is [CookieVariable].
	Variable string
	// LeaveBehind spares what a command that ended by itself has left, now, at
	// [Group.Close] and when this program dies. It is counted all the same. What
	// had to be ended loses its group in any case.
	LeaveBehind bool
	// OutputLimit is the size in bytes beyond which a command is killed for what it
	// wrote to one file. 0 is [DefaultOutputLimit].
	OutputLimit int64
}

// Group is the processes of a run. Its methods may be called from several goroutines.
type Group struct {
	options Options
	null    *os.File
	reaper  *reaper
	done    chan struct{} // closed by Close
	looking sync.WaitGroup

	mu     sync.Mutex
	live   map[*Process]struct{}
	clock  clock
	closed bool
}

// Open readies this program to hold the processes of a run: it adopts orphans and
// starts the watcher. Both are settings of the whole process, so that there is one
// Group at a time. main must call [WatcherMain] first thing.
func Open(o Options) (*Group, error) {
	if err := validID(o.Run); err != nil {
		return nil, fmt.Errorf("cannot control the processes of a run: %w", err)
	}
	o.Variable = cmp.Or(o.Variable, CookieVariable)
	if strings.ContainsAny(o.Variable, "=\x00") {
		return nil, fmt.Errorf("cannot control the processes of run %s: %q cannot be the name of an environment variable", o.Run, o.Variable)
	}
	o.OutputLimit = cmp.Or(o.OutputLimit, DefaultOutputLimit)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot control the processes of run %s: %w", o.Run, err)
	}
	k, err := openReaper(o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot control the processes of run %s: %w", o.Run, err), null.Close())
	}
	g := &Group{options: o, null: null, reaper: k, done: make(chan struct{}), live: map[*Process]struct{}{}, clock: clock{zero: time.Now()}}
	g.looking.Go(g.look)
	return g, nil
}

// look ends those who write too much and reaps adopted orphans that are dead, until
// the Group is closed.
func (g *Group) look() {
	for tick := time.NewTicker(lookEvery); ; {
		select {
		case <-g.done:
			tick.Stop()
			return
		case <-tick.C:
		}
		for _, p := range g.running() {
			if p.outputs.exceed(g.options.OutputLimit) {
				p.finish(OutputLimit, 0)
			}
		}
		g.reaper.reapOrphans()
	}
}

func (g *Group) running() []*Process {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Keys(g.live))
}

// Kill ends all processes at once (SIGKILL). It does not wait.
func (g *Group) Kill() {
	for _, p := range g.running() {
		p.Kill()
	}
}

// Suspend stops the groups of all processes (SIGSTOP) and all clocks: no timeout,
// grace or duration counts what passes until Continue. On Windows it does nothing.
func (g *Group) Suspend() { g.suspend(true) }

// Continue is the end of Suspend.
func (g *Group) Continue() { g.suspend(false) }

func (g *Group) suspend(on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !canSuspend || on == g.clock.stopped() {
		return
	}
	g.clock.stop(on)
	for p := range g.live {
		p.leader.suspend(on)
		p.arm()
	}
}

// Pause is what is done on SIGTSTP: it suspends all processes, stops this program
// until it gets SIGCONT, and continues them.
func (g *Group) Pause() error {
	g.Suspend()
	defer g.Continue()
	if err := stopSelf(); err != nil {
		return fmt.Errorf("cannot suspend the run: %w", err)
	}
	return nil
}

// Release ends the processes whose cookie is id or begins with id and a dot, also those that commands with
// Keep left. It returns how many ended and how many did not.
func (g *Group) Release(id string) (ended, survived int) { return g.reaper.release(id) }

// Close kills what still runs, waits for it, ends what carries the cookie of the run (not with
// LeaveBehind) and then the watcher. No command can be started any more. It may be called again.
func (g *Group) Close() error {
	g.mu.Lock()
	again := g.closed
	g.closed = true
	g.mu.Unlock()
	if again {
		return nil
	}
	for _, p := range g.running() {
		p.Kill()
		p.Wait()
	}
	close(g.done)
	g.looking.Wait()
	if !g.options.LeaveBehind {
		g.Release(g.options.Run)
	}
	if err := errors.Join(g.reaper.close(), g.null.Close()); err != nil {
		return fmt.Errorf("cannot end run %s: %w", g.options.Run, err)
	}
	return nil
}

// validID reports what is wrong with an identifier: it must survive the environment
// and the watcher's lines.
func validID(id string) error {
	if id == "" || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fmt.Errorf("%q cannot identify a process: use letters, digits and punctuation", id)
	}
	return nil
}

func matchesCookie(id, cookie string) bool {
	rest, ok := strings.CutPrefix(cookie, id)
	return ok && (rest == "" || rest[0] == '.')
}

// KeptOutput is how much of each output is kept: 64 KiB, head and tail.
const KeptOutput = 64 << 10

// outputs are the files a process writes to. They are files and no pipes, so that a process that
// lives on cannot hold up who reads them, and none is killed for writing to a reader that is gone.
type outputs struct {
	stdout, stderr *os.File
	ours           []*os.File // those we opened
}

func openOutputs(stdout, stderr string, null *os.File) (outputs, error) {
	o := outputs{stdout: null, stderr: null}
	var err error
	if stdout != "" {
		if o.stdout, err = o.open(stdout); err != nil {
			return o, err
		}
	}
	switch stderr {
	case "":
	case stdout:
		o.stderr = o.stdout
	default:
		if o.stderr, err = o.open(stderr); err != nil {
			return o, errors.Join(err, o.close())
		}
	}
	return o, nil
}

// open makes a file whose writers all write to its end, also when one of them opens
// /dev/stdout again, which empties a file.
func (o *outputs) open(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot make a file for its output: %w", err)
	}
	o.ours = append(o.ours, f)
	return f, nil
}

func (o *outputs) close() error { return errors.Join(each.Of(o.ours, (*os.File).Close)...) }

func (o *outputs) exceed(limit int64) bool {
	return slices.ContainsFunc(o.ours, func(f *os.File) bool { return size(f) > limit })
}

func size(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// ReadExcerpt reads at most limit bytes of a file, half of them from its beginning and half from
// its end, with a line between them that says how much is left out. It cuts where a line ends, if
// one does within 4 KiB of the cut, so that what is to be redacted is there whole or not at all;
// else where the cut splits no secret.
func ReadExcerpt(name string, limit int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the output of a command: %w", err)
	}
	defer f.Close()
	total := size(f)
	if total <= int64(limit) {
		all, err := io.ReadAll(io.LimitReader(f, int64(limit)))
		if err != nil {
			return nil, fmt.Errorf("cannot read the output of a command: %w", err)
		}
		return all, nil
	}
	half := limit / 2
	room := half + int(min(redact.Beyond, total-int64(half)))
	head, tail := make([]byte, room), make([]byte, room)
	_, err1 := io.ReadFull(f, head)
	_, err2 := f.ReadAt(tail, total-int64(room))
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("cannot read the output of a command: %w", err)
	}
	head, tail = cutEnd(head, half), cutBeginning(tail, room-half)
	return fmt.Appendf(nil, "%s\n[%d bytes left out]\n%s", bytes.TrimSuffix(head, []byte("\n")), total-int64(len(head)+len(tail)), tail), nil
}

// lineWithin is how far from a cut the end of a line is looked for.
const lineWithin = 4 << 10

func cutEnd(b []byte, at int) []byte {
	if end := bytes.LastIndexByte(b[:at], '\n'); end >= at-lineWithin && end >= 0 {
		return b[:end+1]
	}
	at, _ = redact.Split(string(b), at)
	return b[:at]
}

func cutBeginning(b []byte, at int) []byte {
	if end := bytes.IndexByte(b[at:], '\n'); end >= 0 && end < min(lineWithin, len(b)-at-1) {
		return b[at+end+1:]
	}
	_, at = redact.Split(string(b), at)
	return b[at:]
}
