//go:build linux || darwin

package process

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// watcherArgument is the first argument of this binary when it is to be a watcher.
const watcherArgument = "--watch-processes-of-run"

// watcherMark is the variable with the id of the watched run. It keeps a binary whose main
// does not call [WatcherMain] from starting itself forever, and tells a resumed run that the
// watcher of the previous program is still running.
const watcherMark = "TRIBUNAL_WATCHER"

const watcherReady = "ready\n"

// watcher is a child of ours that ends the processes of a run when we are dead.
type watcher struct {
	pid  int
	pipe *os.File // what it reads; when we die, the kernel closes it
}

// startWatcher starts the watcher and waits until it says that it is one. It is in a session of its
// own, so that no Ctrl-C reaches it, and has no cookie: where a run is itself a trial of another,
// the inner watcher still ends what is the inner run's when the inner run is killed. Nobody who was
// started before since is the run's.
func startWatcher(o Options, since uint64) (*watcher, error) {
	if os.Getenv(watcherMark) != "" {
		return nil, errors.New("a watcher cannot start another; main must call process.WatcherMain first")
	}
	path, err := executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this program, to start a watcher: %w", err)
	}
	listen, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer listen.Close()
	answer, say, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, tell.Close())
	}
	defer answer.Close()
	mode := map[bool]string{true: "live", false: "all"}[o.LeaveBehind]
	env := slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, o.Variable+"=") })
	pid, err := syscall.ForkExec(path, []string{"tribunal", watcherArgument, o.Run, o.Variable, mode, strconv.FormatUint(since, 10)},
		&syscall.ProcAttr{
			Dir:   "/",
			Env:   append(env, watcherMark+"="+o.Run),
			Files: []uintptr{listen.Fd(), say.Fd(), say.Fd()},
			Sys:   &syscall.SysProcAttr{Setsid: true},
		})
	say.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot start the watcher: %w", err), tell.Close())
	}
	w := &watcher{pid: pid, pipe: tell}
	if said, err := bufio.NewReader(answer).ReadString('\n'); said != watcherReady {
		unix.Kill(pid, unix.SIGKILL)
		return nil, errors.Join(fmt.Errorf("the watcher did not start (%v, it said %q): main must call process.WatcherMain first", err,
			said), w.end())
	}
	return w, nil
}

// awaitWatchers waits until no watcher ends what another program has left of a run:
// it goes by the name of the run, and would end what is started now.
func awaitWatchers(o Options, self int) error {
	watching := func(e entry) bool {
		return e.pid == e.sid && e.ppid != self && cookieOf(e.pid, watcherMark) == o.Run
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		all, err := snapshot()
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, watching)
		const watcherWait = 30 * time.Second // how long the watcher of a program that died may take
		switch {
		case at < 0:
			return nil
		case time.Since(began) > watcherWait:
			return fmt.Errorf("process %d is still ending processes that an earlier run %s left: wait for it, or end it", all[at].pid, o.Run)
		}
	}
}

// send writes a line to the watcher. An error means that it is dead, which the next
// start and the next look mend.
func (w *watcher) send(what, id string, pid int) { fmt.Fprintf(w.pipe, "%s %s %d\n", what, id, pid) }

// end lets the watcher go: there is nothing left to be watched.
func (w *watcher) end() error {
	w.send("done", "-", 0)
	err := w.pipe.Close()
	for {
		if _, again := unix.Wait4(w.pid, nil, 0, nil); again != unix.EINTR {
			return err
		}
	}
}

// WatcherMain is the main of the watcher. It returns at once in a program that was
// not started as one, and never in one that was. main calls it before anything
// else; so does TestMain of a test that calls [Open].
func WatcherMain() {
	if len(os.Args) != 6 || os.Args[1] != watcherArgument {
		return
	}
	signal.Ignore(unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGTSTP, unix.SIGPIPE)
	os.Stdout.WriteString(watcherReady)
	closeInherited()
	since, _ := strconv.ParseUint(os.Args[5], 10, 64)
	watch(since, Options{Run: os.Args[2], Variable: os.Args[3], LeaveBehind: os.Args[4] == "live"})
	os.Exit(0)
}

// closeInherited gives back what the watcher has of its starter's.
func closeInherited() {
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		for _, f := range []*os.File{os.Stdout, os.Stderr} {
			dup(int(null.Fd()), int(f.Fd()))
		}
	}
}

// watched is what the watcher knows of the run.
type watched struct {
	groups   map[int]string
	starting map[string]bool
}

// watch listens until the run is over. If its program died, it ends its processes.
func watch(since uint64, o Options) {
	known := watched{groups: map[int]string{}, starting: map[string]bool{}}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if known.handle(strings.Fields(lines.Text())) {
			return
		}
	}
	// A process that was being made when the program died may be seen late.
	for range 3 {
		known.endAll(o, since)
		time.Sleep(50 * time.Millisecond)
	}
}

func (w *watched) handle(line []string) (done bool) {
	if len(line) != 3 {
		return false // torn: its writer died
	}
	id := line[1]
	pid, _ := strconv.Atoi(line[2])
	switch line[0] {
	case "done":
		return true
	case "starting":
		w.starting[id] = true
	case "group":
		delete(w.starting, id)
		w.groups[pid] = id
	case "ended":
		delete(w.starting, id)
		delete(w.groups, pid)
	}
	return false
}

func (w *watched) endAll(o Options, since uint64) {
	self := os.Getpid()
	endAll(nil, func(all []entry) []entry {
		return withDescendants(all, map[int]bool{self: true}, func(e entry) bool {
			return e.start >= since && (w.inGroup(e) || w.carries(o, cookieOf(e.pid, o.Variable)))
		})
	}, self)
}

func (w *watched) inGroup(e entry) bool {
	_, group := w.groups[e.pgid]
	_, session := w.groups[e.sid]
	return group || session
}

// carries reports whether a cookie is one to be ended: any of the run, or where
// leftovers are spared, one of a command that was running.
func (w *watched) carries(o Options, cookie string) bool {
	if cookie == "" || !matchesCookie(o.Run, cookie) {
		return false
	}
	return !o.LeaveBehind || w.starting[cookie] || slices.Contains(slices.Collect(maps.Values(w.groups)), cookie)
}
