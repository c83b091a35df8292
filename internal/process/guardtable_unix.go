//go:build unix

package process

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
)

// A table lists the running commands in a file that is shared with the guard, a line of fixed length each: adding a
// command does not wake the guard.
type table struct {
	mu    sync.Mutex
	file  *os.File // nil before the first start of the guard, and when the Runner is closed
	lines int
	free  []int // lines of commands that have ended
}

// A tableLine has the process id of a command, and when it had started, in the unit of process.start; 0 if unknown.
const (
	tableLine   = "%19d %19d\n"
	tableLength = 40
)

// open returns the file, which is created for the first guard.
func (t *table) open() (file *os.File, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		t.file, err = sharedFile()
	}
	return t.file, err
}

// close closes the file, unless it lists a command.
func (t *table) close() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.free) < t.lines {
		return false
	}
	t.file.Close() // nil is an error
	t.file = nil
	return true
}

// add returns the number of the command's line, or 0 if there is no guard or it cannot be written.
func (t *table) add(pid int, since int64) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return 0
	}
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

// remove removes a line; 0 is none.
func (t *table) remove(line int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil || line == 0 {
		return
	}
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
