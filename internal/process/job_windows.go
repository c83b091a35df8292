package process

import (
	"os"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// jobLinger is how long a process that a command left in its job may take to end by itself.
const jobLinger = 100 * time.Millisecond

// job is a command and all its descendants. The system ends them when the last handle of
// the job is closed, so they do not survive the server, however it ends.
type job struct {
	proc   *os.Process
	state  *os.ProcessState // set by wait
	handle windows.Handle
}

// start starts the command with its thread suspended, so that it cannot start others
// before it is in the job.
func (r *Runner) start(path string, argv []string, attr os.ProcAttr, h *hold) (family, error) {
	handle, err := newJob(h.limits)
	if err != nil {
		return nil, err
	}
	attr.Env = withSystemRoot(attr.Env)
	attr.Sys = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP,
	}
	if IsBatch(path) {
		if path, attr.Sys.CmdLine, err = throughShell(path, argv[1:]); err != nil {
			windows.CloseHandle(handle)
			return nil, err
		}
	}
	p, err := h.start(path, argv, &attr)
	if err != nil {
		windows.CloseHandle(handle)
		return nil, err
	}
	var assign error
	err = p.WithHandle(func(process uintptr) {
		assign = windows.AssignProcessToJobObject(handle, windows.Handle(process))
	})
	if err == nil {
		err = os.NewSyscallError("AssignProcessToJobObject", assign)
	}
	if err == nil {
		err = resume(uint32(p.Pid))
	}
	if err != nil {
		p.Kill()
		p.Wait()
		windows.CloseHandle(handle)
		return nil, err
	}
	return &job{proc: p, handle: handle}, nil
}

func newJob(l Limits) (windows.Handle, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, os.NewSyscallError("CreateJobObject", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	basic := &info.BasicLimitInformation
	if l.Processes > 0 {
		basic.LimitFlags |= windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
		basic.ActiveProcessLimit = uint32(l.Processes)
	}
	if l.CPU > 0 {
		basic.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_TIME
		basic.PerJobUserTimeLimit = l.CPU * 10_000_000 // of 100 ns
	}
	if l.Memory > 0 {
		basic.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_MEMORY
		info.JobMemoryLimit = uintptr(l.Memory)
	}
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(handle)
		return 0, os.NewSyscallError("SetInformationJobObject", err)
	}
	return handle, nil
}

// resume lets the suspended thread of a new process run. os.StartProcess keeps no handle of
// it, so it is looked up.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return os.NewSyscallError("CreateToolhelp32Snapshot", err)
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	err = windows.Thread32First(snapshot, &entry)
	for ; err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return os.NewSyscallError("OpenThread", err)
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return os.NewSyscallError("ResumeThread", err)
	}
	return os.NewSyscallError("Thread32Next", err)
}

// throughShell returns the path of cmd.exe, and the command line with which it runs a batch file.
// COMSPEC is not used, since it can be set to anything.
func throughShell(file string, args []string) (shell, line string, err error) {
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return "", "", os.NewSyscallError("GetSystemDirectory", err)
	}
	shell = system + `\cmd.exe`
	line, f := batchLine(shell, file, args)
	if f != (fault{}) {
		return "", "", f.of(file, nil)
	}
	return shell, line, nil
}

// withSystemRoot adds the variable without which many programs, and sockets, fail.
func withSystemRoot(env []string) []string {
	for _, v := range env {
		if name, _, _ := strings.Cut(v, "="); strings.EqualFold(name, "SYSTEMROOT") {
			return env
		}
	}
	root, err := windows.GetSystemWindowsDirectory()
	if err != nil {
		return env
	}
	return append(env[:len(env):len(env)], "SYSTEMROOT="+root)
}

func (j *job) process() *os.Process { return j.proc }

func (j *job) complete() bool { return true }

func (j *job) pid() int { return j.proc.Pid }

func (j *job) wait() { j.state, _ = j.proc.Wait() }

// ask sends Ctrl-Break, the only request to end that Windows has. Without a console it
// cannot be sent, and there is nothing to wait for.
func (j *job) ask() {
	if windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(j.pid())) != nil {
		j.kill()
	}
}

func (j *job) kill() { windows.TerminateJobObject(j.handle, 1) }

func (j *job) end(until func() time.Time, _ *streams) (*os.ProcessState, []int) {
	defer windows.CloseHandle(j.handle)
	usual := time.Now().Add(jobLinger)
	limit := func() time.Time {
		if asked := until(); !asked.IsZero() {
			return asked
		}
		return usual
	}
	if !j.emptyBy(limit) {
		j.kill()
		last := time.Now().Add(stuck)
		if !j.emptyBy(func() time.Time { return last }) {
			return j.state, []int{j.pid()}
		}
	}
	return j.state, nil
}

// emptyBy waits for the last process of the job to end.
func (j *job) emptyBy(limit func() time.Time) bool {
	for j.active() > 0 {
		if time.Now().After(limit()) {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
	return true
}

// active returns the number of processes in the job.
func (j *job) active() uint32 {
	var info struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		totalUserTime, totalKernelTime        int64
		periodUserTime, periodKernelTime      int64
		pageFaults, total, active, terminated uint32
	}
	err := windows.QueryInformationJobObject(j.handle, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	if err != nil {
		return 0
	}
	return info.active
}

// exitCode returns how a command ended. A command that was ended with its job has code 1.
func exitCode(state *os.ProcessState) (code int, signal string) {
	if state == nil {
		return -1, ""
	}
	return state.ExitCode(), ""
}
