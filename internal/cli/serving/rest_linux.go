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
	var at mapping
	for line := range strings.Lines(string(mappings)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) < 2:
		case !strings.HasSuffix(fields[0], ":"):
			at = mappingOf(fields)
		case fields[0] == "Anonymous:" && fields[1] == "0" && at.ofFile: // none of its pages differs from the file
			unix.Syscall(unix.SYS_MADVISE, at.start, at.end-at.start, unix.MADV_DONTNEED)
		}
	}
}

// A mapping is a part of the process's memory.
type mapping struct {
	start, end uintptr
	ofFile     bool // which cannot be written through it
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
	return mapping{uintptr(start), uintptr(end), strings.HasPrefix(fields[1], "r-") && fields[4] != "0"}
}
