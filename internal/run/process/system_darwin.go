package process

import (
	"bytes"
	"encoding/binary"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"tribunal/internal/each"
)

// adopting is whether orphans become our children: here launchd takes them.
const adopting = false

func adoptOrphans(bool) error { return nil }

// inspectable reports why the processes of this machine cannot be seen.
func inspectable() error { return nil }

func executable() (string, error) { return os.Executable() }

func dup(from, to int) { unix.Dup2(from, to) }

// wait blocks until the process has exited, and leaves it a zombie. It looks again
// twice a second where the kernel cannot say so.
func (l *leader) wait() {
	queue, err := unix.Kqueue()
	if err == nil {
		defer unix.Close(queue)
	}
	change := unix.Kevent_t{Fflags: unix.NOTE_EXIT}
	unix.SetKevent(&change, l.pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	timeout := unix.NsecToTimespec(int64(lookEvery))
	for !l.exited() {
		events := make([]unix.Kevent_t, 1)
		if _, err := unix.Kevent(queue, []unix.Kevent_t{change}, events, &timeout); err != nil && err != unix.EINTR {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// exited reports whether the process, which is not reaped, has exited.
func (l *leader) exited() bool {
	e, err := look(l.pid)
	return err != nil || e.dead
}

func children(int) []int { return nil }

// zombie is SZOMB of sys/proc.h.
const zombie = 5

// snapshot lists the processes of this machine.
func snapshot() ([]entry, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	return each.Of(each.Pointers(list), entryOf), nil
}

func look(pid int) (entry, error) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return entry{}, err
	}
	return entryOf(p), nil
}

func entryOf(p *unix.KinfoProc) entry {
	pid := int(p.Proc.P_pid)
	sid, _ := unix.Getsid(pid)
	return entry{
		pid: pid, ppid: int(p.Eproc.Ppid), pgid: int(p.Eproc.Pgid), sid: sid,
		start: uint64(unix.TimevalToNsec(p.Proc.P_starttime)),
		dead:  p.Proc.P_stat == zombie,
	}
}

// cookieOf returns the value of a variable in the environment a process was given,
// "" if there is none or it may not be read. kern.procargs2 is the number of
// arguments, the path, zeros, the arguments, the environment.
func cookieOf(pid int, variable string) string {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return ""
	}
	arguments := int(binary.NativeEndian.Uint32(raw))
	_, rest, _ := bytes.Cut(raw[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	for i := 0; len(rest) > 0; i++ {
		var field []byte
		field, rest, _ = bytes.Cut(rest, []byte{0})
		if i < arguments {
			continue
		}
		if value, ok := bytes.CutPrefix(field, []byte(variable+"=")); ok {
			return string(value)
		}
	}
	return ""
}

// killEntry kills a process unless its number is another's by now.
func killEntry(e entry) {
	if now, err := look(e.pid); err == nil && now.identity() == e.identity() {
		unix.Kill(e.pid, unix.SIGKILL)
	}
}
