package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"tribunal/internal/each"
)

// adopting is whether orphans become our children.
const adopting = true

func adoptOrphans(on bool) error {
	var arg uintptr
	if on {
		arg = 1
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, arg, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot adopt orphans: %w", err)
	}
	return nil
}

// inspectable reports why the processes of this machine cannot be seen.
func inspectable() error {
	if to, err := os.Readlink("/proc/self"); err != nil || to != strconv.Itoa(os.Getpid()) {
		return errors.New("/proc belongs to another PID namespace, so processes that leave their group cannot be found; mount it: mount -t " +
			"proc proc /proc")
	}
	return nil
}

// executable is this binary, also where its file was replaced meanwhile.
func executable() (string, error) { return "/proc/self/exe", nil }

func dup(from, to int) { unix.Dup3(from, to, 0) }

// wait blocks until the process has exited, and leaves it a zombie.
func (l *leader) wait() {
	for {
		err := unix.Waitid(unix.P_PID, l.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// exited reports whether the process, which is not reaped, has exited.
func (l *leader) exited() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, l.pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
	return err != nil || info.Signo != 0
}

// children returns the numbers of the children of self. The kernel lists them by
// the thread that started them; what is adopted is with one of the threads too.
// Where it was built without such lists, all processes are looked at.
func children(self int) []int {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return childrenByList(self)
	}
	var all []int
	list := make([]byte, 0, 4<<10)
	for _, task := range tasks {
		list, err := readProc("/proc/self/task/"+task.Name()+"/children", list)
		if errors.Is(err, os.ErrNotExist) && task.Name() == strconv.Itoa(self) {
			return childrenByList(self)
		}
		for _, field := range bytes.Fields(list) { // nothing, if the thread is gone
			if pid, err := strconv.Atoi(string(field)); err == nil {
				all = append(all, pid)
			}
		}
	}
	return all
}

// readProc reads a file of the kernel into the memory of a slice. After each end of
// a command there are as many as this program has threads, and package os takes ten
// calls for one, which try whether it can be waited for.
func readProc(name string, into []byte) ([]byte, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	text := into[:0]
	for {
		text = slices.Grow(text, 1<<10)
		n, err := unix.Read(fd, text[len(text):cap(text)])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil, err
		case n == 0:
			return text, nil
		default:
			text = text[:len(text)+n]
		}
	}
}

func childrenByList(self int) []int {
	list, _ := snapshot()
	children := each.Where(list, func(e entry) bool { return e.ppid == self })
	return each.Of(children, func(e entry) int { return e.pid })
}

// snapshot lists the processes of this machine. It is not of one moment.
func snapshot() ([]entry, error) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	all := make([]entry, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if e, err := look(pid); err == nil {
			all = append(all, e)
		}
	}
	return all, nil
}

// look reads the entry of one process: see proc_pid_stat(5).
func look(pid int) (entry, error) {
	stat, err := readProc("/proc/"+strconv.Itoa(pid)+"/stat", nil)
	if err != nil {
		return entry{}, err
	}
	// The name in parentheses may have blanks and parentheses of its own.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return entry{}, fmt.Errorf("/proc/%d/stat has %d fields after the name, but needs 20", pid, len(fields))
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(string(fields[i-3])) // counted from 1 as in the manual, the state is 3
		return n
	}
	start, err := strconv.ParseUint(string(fields[22-3]), 10, 64)
	state := fields[0][0]
	return entry{pid: pid, ppid: number(4), pgid: number(5), sid: number(6), start: start, dead: state == 'Z' || state == 'X'}, err
}

// cookieOf returns the value of a variable in the environment a process was given,
// "" if there is none or it may not be read.
func cookieOf(pid int, variable string) string {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return ""
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(variable+"=")); ok {
			return string(value)
		}
	}
	return ""
}

// killEntry kills a process, and no later one of its number: the handle is taken
// first, then the process is looked at again.
func killEntry(e entry) {
	handle, err := os.FindProcess(e.pid)
	if err != nil {
		return
	}
	defer handle.Release()
	if now, err := look(e.pid); err == nil && now.identity() == e.identity() {
		handle.Kill()
	}
}
