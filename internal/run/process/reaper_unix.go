//go:build linux || darwin

package process

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"tribunal/internal/each"
)

const canSuspend = true

// reaper holds the processes of a run as the system has them.
type reaper struct {
	options Options
	self    int
	session int // ours: no orphan of a trial can be in it
	opened  entry

	// mu is held while a process is made and while children that nobody knows are
	// looked at, so that one just made is not taken for an orphan.
	mu       sync.Mutex
	watcher  *watcher
	leaders  map[int]*leader
	since    int                 // commands started since the last moment without any
	kept     map[string]bool     // identifiers whose commands with Keep have left something
	exempted map[identity]string // what they left
}

// leader is the first process of a command, of its session and of its group.
type leader struct {
	pid int
	id  string
	// keep is whether the command is one with Keep.
	keep bool
}

func openReaper(o Options) (*reaper, error) {
	if err := inspectable(); err != nil {
		return nil, err
	}
	k := &reaper{options: o, self: os.Getpid(), leaders: map[int]*leader{}, kept: map[string]bool{}, exempted: map[identity]string{}}
	var err error
	if k.session, err = unix.Getsid(0); err != nil {
		return nil, err
	}
	if k.opened, err = look(k.self); err != nil {
		return nil, err
	}
	if err = awaitWatchers(o, k.self); err != nil {
		return nil, err
	}
	if k.watcher, err = startWatcher(o, k.opened.start); err != nil {
		return nil, err
	}
	return k, adoptOrphans(true)
}

// program finds the file that a command starts. A path with a slash is left to the
// system, which sees it from the directory of the command.
func program(name string) (string, error) {
	if strings.ContainsRune(name, '/') {
		return name, nil
	}
	return exec.LookPath(name)
}

// launch starts the command. The watcher knows of it before it exists.
func (k *reaper) launch(path string, c Command, env []string, files [3]*os.File) (*leader, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.ensureWatcher(); err != nil {
		return nil, err
	}
	k.watcher.send("starting", c.ID, 0)
	pid, err := syscall.ForkExec(path, c.Argv, &syscall.ProcAttr{
		Dir:   c.Dir,
		Env:   env,
		Files: []uintptr{files[0].Fd(), files[1].Fd(), files[2].Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		k.watcher.send("ended", c.ID, 0)
		return nil, missingFile(path, c.Dir, err)
	}
	l := &leader{pid: pid, id: c.ID, keep: c.Keep}
	k.watcher.send("group", c.ID, pid)
	k.leaders[pid] = l
	k.since++
	return l, nil
}

// missingFile says which file an error of exec is about: the directory, or the
// program, or its interpreter.
func missingFile(path, dir string, err error) error {
	if _, there := os.Stat(dir); dir != "" && there != nil {
		return there
	}
	if errors.Is(err, fs.ErrNotExist) && (dir == "" || strings.HasPrefix(path, "/")) {
		if _, there := os.Stat(path); there == nil {
			return fmt.Errorf("the interpreter that its first line (#!) names is not there: %w", err)
		}
	}
	if errors.Is(err, syscall.ENOEXEC) {
		return errors.New("a script needs a first line such as #!/bin/sh; a program must be built for this system")
	}
	return &fs.PathError{Op: "exec", Path: path, Err: err}
}

// Temporary reports whether a command could not be started for lack of processes,
// memory or file descriptors, or because its file was being written: it may be
// tried again, and says nothing about the command.
func Temporary(err error) bool {
	return slices.ContainsFunc([]error{unix.EAGAIN, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.ETXTBSY},
		func(e error) bool { return errors.Is(err, e) })
}

// terminate asks the group to end, also where it is stopped.
func (l *leader) terminate() {
	unix.Kill(-l.pid, unix.SIGTERM)
	unix.Kill(-l.pid, unix.SIGCONT)
}

func (l *leader) kill() { unix.Kill(-l.pid, unix.SIGKILL) }

func (l *leader) suspend(on bool) {
	if on {
		unix.Kill(-l.pid, unix.SIGSTOP)
	} else {
		unix.Kill(-l.pid, unix.SIGCONT)
	}
}

func stopSelf() error { return unix.Kill(os.Getpid(), unix.SIGSTOP) }

// clear ends what is left of a command whose leader has exited, or only counts it
// where it is spared, and then reaps the leader.
func (k *reaper) clear(l *leader, spared bool) End {
	var t tally
	switch {
	case spared && l.keep:
		k.exempt(l)
	case spared:
		t.left = len(k.leftBy(l))
	case k.options.LeaveBehind:
		t.left = len(k.leftBy(l))
		l.kill()
	case k.anythingLeft(l):
		t = endAll([]int{l.pid}, k.of(l), k.self)
	default:
		l.kill()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !l.keep {
		k.unexempt(l.id)
	}
	k.watcher.send("ended", l.id, l.pid)
	end := reap(l.pid)
	delete(k.leaders, l.pid)
	if len(k.leaders) == 0 {
		k.endOrphans(&t)
	}
	end.LeftBehind, end.Survived = t.left, t.survived
	return end
}

// endOrphans ends the orphans that are nobody's for sure, now that no command runs. They
// are counted for the last command if it was the only one since the last rest.
func (k *reaper) endOrphans(last *tally) {
	alone := k.since == 1
	k.since = 0
	if k.options.LeaveBehind || len(k.orphans()) == 0 {
		return
	}
	t := endAll(nil, k.unownedOrphans, k.self)
	if alone {
		last.left += t.left
		last.survived += t.survived
	}
}

// orphans returns the numbers of the living children of ours that we did not start,
// and reaps the dead ones. Those we know are left out, and those in our session,
// which other code of this program has started.
func (k *reaper) orphans() []int {
	var all []int
	for _, pid := range children(k.self) {
		if _, known := k.leaders[pid]; known || pid == k.watcher.pid {
			continue
		}
		if sid, err := unix.Getsid(pid); err != nil || sid == k.session {
			continue
		}
		if dead, err := unix.Wait4(pid, nil, unix.WNOHANG, nil); err == nil && dead == 0 {
			all = append(all, pid)
		}
	}
	return all
}

// anythingLeft reports whether something of the command may live. Where orphans are
// adopted, all that lives of it descends from a child of ours.
func (k *reaper) anythingLeft(l *leader) bool {
	if !adopting {
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept[l.id] {
		return true
	}
	orphans := k.orphans()
	if len(orphans) == 0 {
		return false
	}
	began, err := look(l.pid)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(orphans, func(pid int) bool {
		e, err := look(pid)
		return err == nil && e.start >= began.start && !k.ofOther(e, l)
	})
}

// ofOther reports whether an orphan surely belongs to another command that runs.
func (k *reaper) ofOther(e entry, l *leader) bool {
	if e.pgid == l.pid || e.sid == l.pid {
		return false
	}
	if k.leaders[e.pgid] != nil || k.leaders[e.sid] != nil {
		return true
	}
	cookie := cookieOf(e.pid, k.options.Variable)
	for _, other := range k.leaders {
		if other.id == cookie && other.id != l.id {
			return true
		}
	}
	return false
}

// of returns who of all processes belongs to the command.
func (k *reaper) of(l *leader) func([]entry) []entry {
	return func(all []entry) []entry {
		k.mu.Lock()
		stays := k.protected()
		k.mu.Unlock()
		return withDescendants(all, stays, func(e entry) bool {
			return e.start >= k.opened.start && (e.pgid == l.pid || e.sid == l.pid || cookieOf(e.pid, k.options.Variable) == l.id)
		})
	}
}

// protected returns who must not be ended with others: this program, the watcher, and
// the leaders, which have ends of their own.
func (k *reaper) protected() map[int]bool {
	stays := map[int]bool{k.self: true, k.watcher.pid: true}
	for pid := range k.leaders {
		stays[pid] = true
	}
	return stays
}

// leftBy returns what lives of the command, without what was there before it.
func (k *reaper) leftBy(l *leader) []entry {
	all, err := snapshot()
	if err != nil {
		return nil
	}
	began, _ := look(l.pid)
	return each.Where(k.of(l)(all), func(e entry) bool { return !e.dead && e.start >= began.start })
}

// exempt notes what a command with Keep has left. While nothing else runs, that is every orphan.
func (k *reaper) exempt(l *leader) {
	left := k.leftBy(l)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept[l.id] = true
	if len(k.leaders) == 1 {
		for _, pid := range k.orphans() {
			if e, err := look(pid); err == nil {
				left = append(left, e)
			}
		}
	}
	for _, e := range left {
		k.exempted[e.identity()] = l.id
	}
}

func (k *reaper) unexempt(id string) {
	for kept := range k.kept {
		if matchesCookie(id, kept) {
			delete(k.kept, kept)
		}
	}
	for who, kept := range k.exempted {
		if matchesCookie(id, kept) {
			delete(k.exempted, who)
		}
	}
}

// unownedOrphans returns the orphans that nothing ties to a command, with their descendants.
func (k *reaper) unownedOrphans(all []entry) []entry {
	return withDescendants(all, k.protected(), func(e entry) bool {
		if e.ppid != k.self || e.sid == k.session {
			return false
		}
		_, spared := k.exempted[e.identity()]
		return !spared && !k.kept[cookieOf(e.pid, k.options.Variable)]
	})
}

// release ends what carries the cookie, and what was spared under it.
func (k *reaper) release(id string) (ended, survived int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	mine := map[identity]bool{}
	for who, kept := range k.exempted {
		mine[who] = matchesCookie(id, kept)
	}
	k.unexempt(id)
	t := endAll(nil, func(all []entry) []entry {
		return withDescendants(all, k.protected(), func(e entry) bool {
			return e.start >= k.opened.start && (mine[e.identity()] || matchesCookie(id, cookieOf(e.pid, k.options.Variable)))
		})
	}, k.self)
	return t.left, t.survived
}

// reapOrphans reaps adopted orphans that are dead, which may be many while a long trial
// runs, and replaces the watcher if it died.
func (k *reaper) reapOrphans() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ensureWatcher() // the next start reports its error
	k.orphans()
}

// ensureWatcher sees to it that there is a watcher that knows all leaders.
func (k *reaper) ensureWatcher() error {
	if gone, err := unix.Wait4(k.watcher.pid, nil, unix.WNOHANG, nil); gone == 0 && err == nil {
		return nil
	}
	k.watcher.pipe.Close()
	w, err := startWatcher(k.options, k.opened.start)
	if err != nil {
		return err
	}
	k.watcher = w
	for pid, l := range k.leaders {
		w.send("group", l.id, pid)
	}
	return nil
}

func (k *reaper) close() error { return errors.Join(k.watcher.end(), adoptOrphans(false)) }

// KillByCookie ends all processes of this machine that carry the cookie id in the environment
// variable ("" is [CookieVariable]), or one that begins with it and a dot, and what descends from
// them: what a run left whose program and watcher were killed. It returns how many it ended and how
// many could not be ended. This program and its parents are spared.
func KillByCookie(variable, id string) (ended, survived int, err error) {
	if err := validID(id); err != nil {
		return 0, 0, err
	}
	if err := inspectable(); err != nil {
		return 0, 0, err
	}
	variable = cmp.Or(variable, CookieVariable)
	t := endAll(nil, func(all []entry) []entry {
		return withDescendants(all, ancestors(all), func(e entry) bool {
			return matchesCookie(id, cookieOf(e.pid, variable))
		})
	}, os.Getpid())
	return t.left, t.survived, nil
}

// reap takes the end of a process that has exited.
func reap(pid int) End {
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &status, 0, nil)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return End{Code: -1}
		}
	}
	end := End{Code: status.ExitStatus()}
	if status.Signaled() {
		end.Code, end.Signal = -1, signalName(status.Signal())
	}
	return end
}

func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return strings.TrimPrefix(name, "SIG")
	}
	return strings.TrimPrefix(s.String(), "signal ") // a real-time signal has a number only
}
