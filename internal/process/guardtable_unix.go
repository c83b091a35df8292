//go:build unix

package process

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// A table lists the running commands in a file that is shared with the guard, a line of fixed length each: adding a
// command does not wake the guard. It is not safe for concurrent use.
type table struct {
	file  *os.File
	lines int
	free  []int // lines of commands that have ended
}

// A tableLine has the process id of a command, and when it had started, in the unit of process.start; 0 if unknown.
const (
	tableLine   = "%19d %19d\n"
	tableLength = 40
)

// add returns the number of the command's line, or 0 if it cannot be written.
func (t *table) add(pid int, since int64) int {
	line := t.lines + 1
	last := len(t.free) - 1
	if last >= 0 {
		line = t.free[last]
	}
	if !t.write(line, fmt.Appendf(nil, tableLine, pid, since)) {
		return 0
	}
	t.lines = max(t.lines, line)
	t.free = t.free[:max(0, last)]
	return line
}

func (t *table) remove(line int) {
	t.write(line, fmt.Appendf(nil, "%*s\n", tableLength-1, ""))
	t.free = append(t.free, line)
}

func (t *table) write(line int, text []byte) bool {
	_, err := t.file.WriteAt(text, int64(line-1)*tableLength)
	return err == nil
}

// readTable returns the commands in the file of a table, by process id.
func readTable(file *os.File) (map[int]int64, error) {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, math.MaxInt64))
	all := map[int]int64{}
	for line := range strings.Lines(string(text)) {
		var pid int
		var since int64
		if n, _ := fmt.Sscan(line, &pid, &since); n == 2 && pid > 1 {
			all[pid] = since
		}
	}
	return all, err
}
