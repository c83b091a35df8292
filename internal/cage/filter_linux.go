//go:build amd64 || arm64 || riscv64 || loong64

package cage

import (
	"fmt"
	"runtime"
	"slices"
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
	offsetFirst  = 16 // argument, of 8 bytes
)

// x32 is the bit that marks the system calls of the x32 ABI on amd64.
const x32 = 0x40000000

// newest is the last system call that the lists were made with. Programs do without those that came later
// if the kernel does not have them, so the answer to these is that of an older kernel.
const newest = unix.SYS_RSEQ_SLICE_YIELD

// A verdict is what becomes of a system call.
type verdict struct{ number, result uint32 }

// ignored makes a system call report success without doing anything.
const ignored = unix.SECCOMP_RET_ERRNO

// missing are the system calls that programs do without: io_uring would create sockets without passing the
// filter, and the flags of clone3 are in memory, which a filter cannot read. The others are refused with EPERM.
var missing = []verdict{
	{unix.SYS_CLONE3, refused(unix.ENOSYS)}, {unix.SYS_IO_URING_SETUP, refused(unix.ENOSYS)},
	{unix.SYS_IO_URING_ENTER, refused(unix.ENOSYS)}, {unix.SYS_IO_URING_REGISTER, refused(unix.ENOSYS)},
}

// attributes are the system calls that change attributes of files, which Landlock does not restrict. In a cage
// that keeps them, permissions, owners and times are left as they are without an error, so that programs that
// set them on their own files, such as tar, git and sed -i, work.
var attributes = append([]verdict{
	{unix.SYS_FCHMOD, ignored}, {unix.SYS_FCHMODAT, ignored}, {unix.SYS_FCHMODAT2, ignored},
	{unix.SYS_UTIMENSAT, ignored},
	{unix.SYS_FCHOWN, ignored}, {unix.SYS_FCHOWNAT, ignored},
	{unix.SYS_SETXATTR, refused(unix.ENOTSUP)}, {unix.SYS_LSETXATTR, refused(unix.ENOTSUP)},
	{unix.SYS_FSETXATTR, refused(unix.ENOTSUP)}, {unix.SYS_SETXATTRAT, refused(unix.ENOTSUP)},
	{unix.SYS_REMOVEXATTR, refused(unix.ENOTSUP)}, {unix.SYS_LREMOVEXATTR, refused(unix.ENOTSUP)},
	{unix.SYS_FREMOVEXATTR, refused(unix.ENOTSUP)}, {unix.SYS_REMOVEXATTRAT, refused(unix.ENOTSUP)},
}, nativeAttributes...)

// A rule allows a system call with certain arguments.
type rule struct {
	number  uint32
	refusal syscall.Errno
	args    []argument
}

// An argument must have one of the values in the bits of the mask, or none of them with not.
type argument struct {
	index, mask uint32
	not         bool
	values      []uint32
}

const (
	whole      = 1<<32 - 1
	namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
		unix.CLONE_NEWPID | unix.CLONE_NEWNET
)

// itself allows an argument that names the calling process or thread.
func itself(index uint32) argument { return argument{index, whole, false, []uint32{0}} }

// rules returns the system calls that are allowed with certain arguments. Landlock covers TCP, but neither
// UDP nor Unix sockets, through which other programs can be made to act. Pairs of connected sockets
// lead nowhere else, except those for datagrams (and raw ones, which are the same), which can send to a path.
func rules(network bool) []rule {
	var families []uint32
	if network {
		families = []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} // netlink lists network interfaces
	}
	return []rule{
		{unix.SYS_SOCKET, unix.EACCES, []argument{{0, whole, false, families}}},
		{unix.SYS_SOCKETPAIR, unix.EACCES, []argument{{1, 0xf, false, []uint32{
			unix.SOCK_STREAM, unix.SOCK_SEQPACKET}}}},
		{unix.SYS_CLONE, unix.EPERM, []argument{{0, namespaces, false, []uint32{0}}}},
		{unix.SYS_PRLIMIT64, unix.EPERM, []argument{itself(0)}},
		{unix.SYS_SETPRIORITY, unix.EPERM, []argument{{0, whole, false, []uint32{unix.PRIO_PROCESS}}, itself(1)}},
		{unix.SYS_IOPRIO_SET, unix.EPERM, []argument{{0, whole, false, []uint32{1}}, itself(1)}}, // IOPRIO_WHO_PROCESS
		{unix.SYS_SCHED_SETAFFINITY, unix.EPERM, []argument{itself(0)}},
		{unix.SYS_SCHED_SETATTR, unix.EPERM, []argument{itself(0)}},
		{unix.SYS_SCHED_SETPARAM, unix.EPERM, []argument{itself(0)}},
		{unix.SYS_SCHED_SETSCHEDULER, unix.EPERM, []argument{itself(0)}},
		// Not to type into the terminal, nor to set flags of files that can be read.
		{unix.SYS_IOCTL, unix.EPERM, []argument{{1, whole, true, []uint32{
			unix.TIOCSTI, unix.TIOCLINUX, unix.FS_IOC_SETFLAGS, fsSetXattr}}}},
	}
}

// fsSetXattr is FS_IOC_FSSETXATTR.
const fsSetXattr = 0x401c5820

// filter installs a seccomp filter for the calling thread and what it starts.
func filter(r Rules) error {
	program := r.compile()
	loaded := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&loaded)), 0, 0)
	runtime.KeepAlive(program)
	if err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}

// compile returns the program that decides on every system call.
func (r Rules) compile() []unix.SockFilter {
	program := []unix.SockFilter{
		load(offsetArch),
		jump(unix.BPF_JEQ, auditArch[runtime.GOARCH], 1, 0),
		end(refused(unix.ENOSYS)), // a program for another processor, with other numbers of system calls
		load(offsetNumber),
		jump(unix.BPF_JGE, x32, 0, 1),
		end(refused(unix.EPERM)),
		jump(unix.BPF_JGT, newest, 0, 1),
		end(refused(unix.ENOSYS)),
	}
	plain := slices.Concat(allowed, native)
	verdicts := missing
	if r.Attributes {
		for _, v := range attributes {
			plain = append(plain, v.number)
		}
	} else {
		verdicts = slices.Concat(missing, attributes)
	}
	for _, v := range verdicts {
		program = append(program, jump(unix.BPF_JEQ, v.number, 0, 1), end(v.result))
	}
	for _, call := range rules(r.Network) {
		body := call.compile()
		program = append(program, jump(unix.BPF_JEQ, call.number, 0, uint8(len(body))))
		program = append(program, body...)
	}
	slices.Sort(plain)
	return append(program, among(plain)...)
}

// compile returns instructions that decide on a system call by its arguments.
func (r rule) compile() (body []unix.SockFilter) {
	for _, a := range r.args {
		body = append(body, load(offsetFirst+8*a.index),
			unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: a.mask})
		for i, value := range a.values {
			body = append(body, jump(unix.BPF_JEQ, value, uint8(len(a.values)-i), 0)) // past the next end, or to it
		}
		if a.not {
			body = append(body, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: 1})
		}
		body = append(body, end(refused(r.refusal)))
	}
	return append(body, end(unix.SECCOMP_RET_ALLOW))
}

// among returns instructions that allow the numbers, which are sorted, and refuse others: a binary search
// for the run of numbers without a gap.
func among(numbers []uint32) []unix.SockFilter {
	first, last := numbers[0], numbers[len(numbers)-1]
	if int(last-first) < len(numbers) {
		return []unix.SockFilter{
			jump(unix.BPF_JGE, first, 0, 1), jump(unix.BPF_JGT, last, 0, 1),
			end(refused(unix.EPERM)), end(unix.SECCOMP_RET_ALLOW),
		}
	}
	middle := len(numbers) / 2
	low, high := among(numbers[:middle]), among(numbers[middle:])
	choose := []unix.SockFilter{
		jump(unix.BPF_JGE, numbers[middle], 0, 1), {Code: unix.BPF_JMP | unix.BPF_JA, K: uint32(len(low))},
	}
	return slices.Concat(choose, low, high)
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
