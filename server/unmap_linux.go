package server

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapProgram takes the pages of the program's code out of the memory of this process.
// The few that it still needs come back, from the cache of the file system, when they are used again.
func unmapProgram() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(maps)) {
		// 00400000-00cf7000 r-xp 00000000 fe:00 4212  /usr/bin/mcp-bash
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.Contains(fields[1], "w") || !strings.Contains(fields[1], "x") || !strings.HasSuffix(line, " "+program+"\n") {
			// What can be written is not in the file any more. Nor is what can only be read, where the
			// program is linked with C: the loader has put addresses there, and a call would go to 0.
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		start, err1 := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		if err1 == nil && err2 == nil {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(start), uintptr(end-start), unix.MADV_DONTNEED)
		}
	}
}
