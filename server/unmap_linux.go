package server

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// unmapProgram takes the pages of the program's code and constants out of the memory of this process.
// The few that it still needs come back, from the cache of the file system, when they are used again.
func unmapProgram() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := files.Read("/proc/self/smaps", 16<<20)
	if err != nil {
		return
	}
	var at mapping
	for line := range strings.Lines(string(maps)) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), " "); {
		case !strings.HasSuffix(name, ":"):
			at = mappingOf(line, program)
		case name == "Anonymous:", name == "Swap:":
			if strings.TrimSpace(value) != "0 kB" {
				at.program = false // parts that are not as in the file, such as what the linker has filled in
			}
		case name == "VmFlags:" && at.program: // the last line about a mapping
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, at.start, at.end-at.start, unix.MADV_DONTNEED)
		}
	}
}

// A mapping is a part of the memory of a process.
type mapping struct {
	start, end uintptr
	program    bool // it is a part of the program that cannot be written
}

// mappingOf reads the first line about a mapping:
//
//	00400000-00cf7000 r-xp 00000000 fe:00 4212  /usr/bin/mcp-bash
func mappingOf(line, program string) (m mapping) {
	fields := strings.Fields(line)
	from, to, _ := strings.Cut(fields[0], "-")
	start, startErr := strconv.ParseUint(from, 16, 64)
	end, endErr := strconv.ParseUint(to, 16, 64)
	m.start, m.end = uintptr(start), uintptr(end)
	m.program = startErr == nil && endErr == nil && len(fields) > 5 &&
		!strings.Contains(fields[1], "w") && strings.HasSuffix(line, " "+program+"\n")
	return m
}
