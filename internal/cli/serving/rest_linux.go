package serving

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// releaseProgram unmaps the pages of files that were only read.
func releaseProgram() {
	mappings, _ := files.Head("/proc/self/smaps", 1<<20)
	for _, m := range unchanged(string(mappings)) {
		unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED)
	}
}

// A mapping is a part of the process's memory.
type mapping struct {
	start, end uintptr
	ofFile     bool // which cannot be written through it
	changed    bool // some of its pages in memory differ from the file
}

// unchanged returns the mappings of files of which no page differs from the file: neither in memory nor
// where the system has swapped it out.
func unchanged(smaps string) (found []mapping) {
	var at mapping
	for line := range strings.Lines(smaps) {
		fields := strings.Fields(line)
		switch {
		case len(fields) < 2:
		case !strings.HasSuffix(fields[0], ":"):
			at = mappingOf(fields)
		case fields[0] == "Anonymous:":
			at.changed = fields[1] != "0"
		case fields[0] == "Swap:" && fields[1] == "0" && at.ofFile && !at.changed: // it comes after Anonymous
			found = append(found, at)
		}
	}
	return found
}

// mappingOf reads the line that begins the description of a mapping: its addresses, permissions,
// offset in the file, device, inode and path.
func mappingOf(fields []string) (m mapping) {
	first, last, _ := strings.Cut(fields[0], "-")
	start, err1 := strconv.ParseUint(first, 16, 64)
	end, err2 := strconv.ParseUint(last, 16, 64)
	if err1 != nil || err2 != nil || len(fields) < 5 {
		return m
	}
	return mapping{start: uintptr(start), end: uintptr(end), ofFile: strings.HasPrefix(fields[1], "r-") && fields[4] != "0"}
}
