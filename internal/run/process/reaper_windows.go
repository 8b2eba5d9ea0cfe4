package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"
)

const canSuspend = false

// reaper holds the processes of a run. Job objects do the work: when this program
// dies, the system closes their handles and with them ends whoever is inside.
type reaper struct{ options Options }

// leader is the first process of a command, in a job object of its own.
type leader struct {
	pid          int
	process, job windows.Handle
}

func openReaper(o Options) (*reaper, error) { return &reaper{options: o}, nil }

func (k *reaper) close() error { return nil }

// reapOrphans has nothing to do: there are no zombies.
func (k *reaper) reapOrphans() {}

// release has nothing to do: what is in a job has ended with it.
func (k *reaper) release(string) (ended, survived int) { return 0, 0 }

// WatcherMain returns at once: job objects need no watcher.
func WatcherMain() {}

// KillByCookie has nothing to do on Windows: nothing outlives the program that
// started it, but for what was spared.
func KillByCookie(_, id string) (ended, survived int, err error) { return 0, 0, validID(id) }

// Temporary reports whether a command could not be started for lack of memory or
// handles, or because its file was being written: it may be tried again.
func Temporary(err error) bool {
	for _, e := range []error{windows.ERROR_NOT_ENOUGH_MEMORY, windows.ERROR_OUTOFMEMORY, windows.ERROR_NO_SYSTEM_RESOURCES,
		windows.ERROR_COMMITMENT_LIMIT, windows.ERROR_TOO_MANY_OPEN_FILES, windows.ERROR_SHARING_VIOLATION} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func stopSelf() error { return errors.ErrUnsupported }

// program finds the file that a command starts, by PATH and PATHEXT.
func program(name string) (string, error) { return exec.LookPath(name) }

// launch starts the command suspended, puts it into its job, and lets it run, so
// that whatever it starts is in the job too.
func (k *reaper) launch(path string, c Command, env []string, files [3]*os.File) (*leader, error) {
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	started, err := createProcess(path, c, env, files)
	if err != nil {
		return nil, errors.Join(&os.PathError{Op: "CreateProcess", Path: path, Err: err}, windows.CloseHandle(job))
	}
	defer windows.CloseHandle(started.Thread)
	l := &leader{pid: int(started.ProcessId), process: started.Process, job: job}
	if err = windows.AssignProcessToJobObject(job, started.Process); err == nil {
		_, err = windows.ResumeThread(started.Thread)
	}
	if err != nil {
		windows.TerminateProcess(started.Process, 1)
		return nil, errors.Join(fmt.Errorf("cannot put it into a job object: %w", err), l.close())
	}
	return l, nil
}

// newJob makes a job object that ends with its last handle.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("cannot make a job object: %w", err)
	}
	if err := limitJob(job, windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE); err != nil {
		return 0, errors.Join(err, windows.CloseHandle(job))
	}
	return job, nil
}

func limitJob(job windows.Handle, flags uint32) error {
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: flags}}
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)),
		uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return fmt.Errorf("cannot set the limits of a job object: %w", err)
	}
	return nil
}

// createProcess starts a process suspended, in a console group of its own, which
// inherits its three files and nothing else.
func createProcess(path string, c Command, env []string, files [3]*os.File) (windows.ProcessInformation, error) {
	var made windows.ProcessInformation
	handles, err := inheritable(files)
	defer func() {
		for _, h := range handles {
			windows.CloseHandle(h)
		}
	}()
	if err != nil {
		return made, err
	}
	attributes, err := windows.NewProcThreadAttributeList(1)
	if err != nil {
		return made, err
	}
	defer attributes.Delete()
	err = attributes.Update(windows.PROC_THREAD_ATTRIBUTE_HANDLE_LIST, unsafe.Pointer(&handles[0]),
		uintptr(len(handles))*unsafe.Sizeof(handles[0]))
	if err != nil {
		return made, err
	}
	start := windows.StartupInfoEx{ProcThreadAttributeList: attributes.List()}
	start.Cb = uint32(unsafe.Sizeof(start))
	start.Flags = windows.STARTF_USESTDHANDLES
	start.StdInput, start.StdOutput, start.StdErr = handles[0], handles[1], handles[2]
	application, err1 := windows.UTF16PtrFromString(path)
	line, err2 := windows.UTF16PtrFromString(windows.ComposeCommandLine(c.Argv))
	block, err3 := environmentBlock(env)
	var dir *uint16
	var err4 error
	if c.Dir != "" {
		dir, err4 = windows.UTF16PtrFromString(c.Dir)
	}
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return made, err
	}
	const flags = windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_UNICODE_ENVIRONMENT |
		windows.EXTENDED_STARTUPINFO_PRESENT
	return made, windows.CreateProcess(application, line, nil, nil, true, flags, &block[0], dir, &start.StartupInfo, &made)
}

// inheritable duplicates the handles of files so that a child may have them.
func inheritable(files [3]*os.File) ([]windows.Handle, error) {
	var handles []windows.Handle
	self := windows.CurrentProcess()
	for _, f := range files {
		var h windows.Handle
		if err := windows.DuplicateHandle(self, windows.Handle(f.Fd()), self, &h, 0, true, windows.DUPLICATE_SAME_ACCESS); err != nil {
			return handles, err
		}
		handles = append(handles, h)
	}
	return handles, nil
}

// environmentBlock is an environment as CreateProcess takes it: every entry ends
// with a zero, and so does the block.
func environmentBlock(env []string) ([]uint16, error) {
	var block []uint16
	for _, entry := range env {
		if strings.ContainsRune(entry, 0) {
			return nil, fmt.Errorf("the environment variable %q has a NUL byte", entry)
		}
		block = append(append(block, utf16.Encode([]rune(entry))...), 0)
	}
	return append(block, 0), nil
}

func (l *leader) terminate() {
	windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(l.pid))
}

func (l *leader) kill() { windows.TerminateJobObject(l.job, killedCode) }

// killedCode is the exit code of what we kill, that of SIGKILL in a shell.
const killedCode = 137

func (l *leader) suspend(bool) {}

func (l *leader) wait() { windows.WaitForSingleObject(l.process, windows.INFINITE) }

func (l *leader) exited() bool {
	event, err := windows.WaitForSingleObject(l.process, 0)
	return err == nil && event == windows.WAIT_OBJECT_0
}

func (l *leader) close() error {
	return errors.Join(windows.CloseHandle(l.process), windows.CloseHandle(l.job))
}

// active is how many processes of the job live.
func (l *leader) active() int {
	var a struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		user, kernel, periodUser, periodKernel int64
		pageFaults, total, active, terminated  uint32
	}
	windows.QueryInformationJobObject(l.job, windows.JobObjectBasicAccountingInformation, uintptr(unsafe.Pointer(&a)),
		uint32(unsafe.Sizeof(a)), nil)
	return int(a.active)
}

// clear ends what is left in the job of a command whose leader has exited, or lets
// it live where it is spared.
func (k *reaper) clear(l *leader, spared bool) End {
	end := End{LeftBehind: l.active(), Code: -1}
	if spared {
		limitJob(l.job, 0)
	} else {
		l.kill()
	}
	var code uint32
	if windows.GetExitCodeProcess(l.process, &code) == nil {
		end.Code = int(code)
	}
	l.close()
	return end
}
