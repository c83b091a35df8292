//go:build amd64 || arm64 || riscv64 || loong64

package cage

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filters reports whether there is a filter for this kind of processor.
const filters = true

// auditArch has the kernel's numbers for kinds of processors, as filters get them.
var auditArch = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64,
	"riscv64": unix.AUDIT_ARCH_RISCV64, "loong64": unix.AUDIT_ARCH_LOONGARCH64,
}

// Offsets in struct seccomp_data. All these processors are little endian.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetFirst  = 16 // argument
	offsetSecond = 24
)

// x32 is the bit that marks the system calls of the x32 ABI on amd64.
const x32 = 0x40000000

// filter installs a seccomp filter for the calling thread and what it starts: it can create no
// sockets other than those of the internet protocols, and these only with network. Landlock covers
// TCP, but neither UDP nor Unix sockets, through which other programs can be made to act. Socket
// pairs connect to nothing else and stay allowed, except those for datagrams, which can send to a
// path. io_uring is refused, since it creates sockets without passing the filter.
func filter(network bool) error {
	program := []unix.SockFilter{
		load(offsetArch),
		jump(unix.BPF_JEQ, auditArch[runtime.GOARCH], 1, 0),
		end(refused(unix.ENOSYS)), // a program for another processor, with other numbers of system calls
		load(offsetNumber),
		jump(unix.BPF_JGE, x32, 0, 1),
		end(refused(unix.ENOSYS)),
		jump(unix.BPF_JEQ, unix.SYS_IO_URING_SETUP, 0, 1),
		end(refused(unix.ENOSYS)), // programs then do without it
		jump(unix.BPF_JEQ, unix.SYS_SOCKETPAIR, 0, 5),
		load(offsetSecond),
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf}, // the type without its flags
		jump(unix.BPF_JEQ, unix.SOCK_DGRAM, 0, 1),
		end(refused(unix.EACCES)),
		end(unix.SECCOMP_RET_ALLOW),
		jump(unix.BPF_JEQ, unix.SYS_SOCKET, 1, 0),
		end(unix.SECCOMP_RET_ALLOW),
		load(offsetFirst),
	}
	if network {
		for _, family := range []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} { // netlink lists network interfaces
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

// load loads 32 bits of the kernel's description of a system call.
func load(at uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
}

// jump skips yes instructions if the condition holds, else no instructions.
func jump(how uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

func end(with uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: with}
}

// refused returns the filter result that makes a system call fail with an error.
func refused(why syscall.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(why) }
