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
	const mode = windows.PIPE_TYPE_BYTE | windows.PIPE_READMODE_BYTE | windows.PIPE_WAIT |
		windows.PIPE_REJECT_REMOTE_CLIENTS
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

// readable reports whether there is data in a pipe.
func readable(pipe *os.File) bool {
	return waiting(pipe) > 0
}

// readNow reads what is in a pipe now, without waiting. There must be no other reader.
func readNow(pipe *os.File, b []byte) int {
	n := waiting(pipe)
	if n == 0 {
		return 0
	}
	n, _ = pipe.Read(b[:min(n, len(b))])
	return n
}

// waiting returns how many bytes are in a pipe.
func waiting(pipe *os.File) (n int) {
	if raw, err := pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { n = peekNamedPipe(windows.Handle(fd)) })
	}
	return n
}

var procPeekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// peekNamedPipe returns how many bytes are in a pipe, 0 also if nobody has its other end.
func peekNamedPipe(pipe windows.Handle) int {
	var there uint32
	if ok, _, _ := procPeekNamedPipe.Call(uintptr(pipe), 0, 0, 0, uintptr(unsafe.Pointer(&there)), 0); ok == 0 {
		return 0
	}
	return int(there)
}
