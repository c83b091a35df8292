//go:build unix

package process

import (
	"errors"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A table lists the running commands in memory that is shared with the guard: adding a command
// takes no system call, and does not wake the guard. It is not safe for concurrent use.
type table struct {
	file *os.File
	mem  []byte
	free []int // entries that were used before
}

// An entry is one command. The first entry of a table is its header: its pid is
// tableVersion, and since is the number of the last entry that was ever used.
type entry struct {
	pid   atomic.Int64 // 0: the entry is free
	since atomic.Int64 // when it had started, in the unit of process.start; 0 if unknown
}

const (
	tableVersion = 0x6d6370_01
	tableSize    = 1 << 20 // only the used part takes memory
	tableEntries = tableSize / int(unsafe.Sizeof(entry{}))
)

func newTable() (*table, error) {
	f, err := sharedFile()
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(tableSize); err != nil {
		f.Close()
		return nil, err
	}
	t, err := openTable(f)
	if err == nil {
		t.entry(0).pid.Store(tableVersion)
	}
	return t, err
}

// openTable maps the file, and takes ownership of it.
func openTable(f *os.File) (*table, error) {
	mem, err := unix.Mmap(int(f.Fd()), 0, tableSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		f.Close()
		return nil, os.NewSyscallError("mmap", err)
	}
	return &table{file: f, mem: mem}, nil
}

func (t *table) entry(i int) *entry {
	return (*entry)(unsafe.Pointer(&t.mem[i*int(unsafe.Sizeof(entry{}))]))
}

// add returns the entry of the command, or 0 if there is no room.
func (t *table) add(pid int, since int64) int {
	i := int(t.entry(0).since.Load()) + 1
	if n := len(t.free); n > 0 {
		i, t.free = t.free[n-1], t.free[:n-1]
	} else if i >= tableEntries {
		return 0
	} else {
		t.entry(0).since.Store(int64(i))
	}
	t.entry(i).since.Store(since)
	t.entry(i).pid.Store(int64(pid))
	return i
}

func (t *table) remove(i int) {
	t.entry(i).pid.Store(0)
	t.free = append(t.free, i)
}

// commands returns the entries of the table, by process id.
func (t *table) commands() (map[int]int64, error) {
	head := t.entry(0)
	if head.pid.Load() != tableVersion {
		return nil, errors.New("the table of commands is of another version")
	}
	all := map[int]int64{}
	for i := 1; i <= int(min(head.since.Load(), int64(tableEntries-1))); i++ {
		if pid := t.entry(i).pid.Load(); pid > 1 {
			all[int(pid)] = t.entry(i).since.Load()
		}
	}
	return all, nil
}

func (t *table) close() {
	unix.Munmap(t.mem)
	t.file.Close()
}
