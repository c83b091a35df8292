//go:build amd64 || arm64 || riscv64 || loong64

package cage

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filters reports whether filter can do its work on this kind of processor.
const filters = true

// machines are the kinds of processors as the kernel names them to a filter.
var machines = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64,
	"riscv64": unix.AUDIT_ARCH_RISCV64, "loong64": unix.AUDIT_ARCH_LOONGARCH64,
}

// Offsets in struct seccomp_data. All these processors are little endian.
const (
	ofNumber  = 0
	ofMachine = 4
	ofFirst   = 16 // argument
	ofSecond  = 24
)

// x32 is a bit in the numbers of system calls of another kind on amd64.
const x32 = 0x40000000

// filter lets the calling thread, and what it starts, make no sockets but those of the internet
// protocols, if at all: Landlock knows TCP, not UDP, and not the sockets with a path, behind
// which are programs that do things for others. Pairs of sockets lead nowhere else and stay, but
// not those of datagrams, which can be sent to a path. io_uring makes sockets beside all filters.
func filter(network bool) error {
	program := []unix.SockFilter{
		load(ofMachine),
		jump(unix.BPF_JEQ, machines[runtime.GOARCH], 1, 0),
		end(refused(unix.ENOSYS)), // a program for another processor, whose numbers are others
		load(ofNumber),
		jump(unix.BPF_JGE, x32, 0, 1),
		end(refused(unix.ENOSYS)),
		jump(unix.BPF_JEQ, unix.SYS_IO_URING_SETUP, 0, 1),
		end(refused(unix.ENOSYS)), // then programs do without
		jump(unix.BPF_JEQ, unix.SYS_SOCKETPAIR, 0, 5),
		load(ofSecond),
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf}, // the type without its flags
		jump(unix.BPF_JEQ, unix.SOCK_DGRAM, 0, 1),
		end(refused(unix.EACCES)),
		end(unix.SECCOMP_RET_ALLOW),
		jump(unix.BPF_JEQ, unix.SYS_SOCKET, 1, 0),
		end(unix.SECCOMP_RET_ALLOW),
		load(ofFirst),
	}
	if network {
		for _, family := range []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} { // the last to look at interfaces
			program = append(program, jump(unix.BPF_JEQ, family, 0, 1), end(unix.SECCOMP_RET_ALLOW))
		}
	}
	program = append(program, end(refused(unix.EACCES)))
	loaded := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&loaded)), 0, 0)
	runtime.KeepAlive(program)
	if err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}

// load takes 32 bits of what the kernel tells of a system call.
func load(at uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
}

// jump skips instructions: so many if it holds, else so many.
func jump(how uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

func end(with uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: with}
}

// refused is the end of a system call that gets an error.
func refused(why syscall.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(why) }
