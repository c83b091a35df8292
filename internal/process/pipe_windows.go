package process

import (
	"crypto/rand"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// newPipe returns a pipe whose first end supports deadlines, which those of [os.Pipe] do not on
// Windows: a process outside of the job can hold the other end open for ever.
func newPipe() (source, *os.File, error) {
	name, err := windows.UTF16PtrFromString(`\\.\pipe\mcp-bash.` + rand.Text())
	if err != nil {
		return nil, nil, err
	}
	const access = windows.PIPE_ACCESS_INBOUND | windows.FILE_FLAG_OVERLAPPED | windows.FILE_FLAG_FIRST_PIPE_INSTANCE
	const mode = windows.PIPE_TYPE_BYTE | windows.PIPE_READMODE_BYTE | windows.PIPE_WAIT | windows.PIPE_REJECT_REMOTE_CLIENTS
	ours, err := windows.CreateNamedPipe(name, access, mode, 1, 0, pipeBuffer, 0, nil)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateNamedPipe", err)
	}
	theirs, err := windows.CreateFile(name, windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING,
		windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		windows.CloseHandle(ours)
		return nil, nil, os.NewSyscallError("CreateFile", err)
	}
	return os.NewFile(uintptr(ours), "|0"), os.NewFile(uintptr(theirs), "|1"), nil
}

// pipeBuffer is how many bytes a command can write before it waits for the server.
const pipeBuffer = 64 << 10

// hungUp reports whether no process has the other end of a pipe open any more.
func hungUp(pipe *os.File) bool {
	_, err := waiting(pipe)
	return err != nil
}

// readable reports whether there is data in a pipe.
func readable(pipe *os.File) bool {
	n, _ := waiting(pipe)
	return n > 0
}

// readNow reads what is in a pipe now, without waiting. There must be no other reader.
func readNow(pipe *os.File, b []byte) int {
	n, _ := waiting(pipe)
	if n == 0 {
		return 0
	}
	n, _ = pipe.Read(b[:min(n, len(b))])
	return n
}

// waiting returns how many bytes are in a pipe.
func waiting(pipe *os.File) (n int, err error) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0, err
	}
	var there uint32
	controlErr := raw.Control(func(fd uintptr) {
		err = peekNamedPipe(windows.Handle(fd), &there)
	})
	if controlErr != nil {
		return 0, controlErr
	}
	return int(there), err
}

var procPeekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

func peekNamedPipe(pipe windows.Handle, there *uint32) error {
	ok, _, err := procPeekNamedPipe.Call(uintptr(pipe), 0, 0, 0, uintptr(unsafe.Pointer(there)), 0)
	if ok == 0 {
		return os.NewSyscallError("PeekNamedPipe", err)
	}
	return nil
}
