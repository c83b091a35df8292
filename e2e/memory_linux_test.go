package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/matryer/is"
)

// flood is a tool that prints 9 MB of text.
const flood = "#!/bin/sh\nyes 0123456789012345678901234567890123456789012345678901234567890123456789 | head -c 9000000\n"

// The bound is far above the memory that these calls may hold, and far below what they
// need if none waits for another.
func TestManyLongOutputsAtOnceStayWithinTheMemoryThatIsSet(t *testing.T) {
	const calls, bound = 48, 160_000_000
	is := is.New(t)
	cmd := command(t, "serve", "-C", newProject(t, map[string]string{"tools/flood/tool.sh": flood}))
	cmd.Env = append(cmd.Env, "MCPBASH_MAX_MEMORY=72000000")
	in, err := cmd.StdinPipe()
	is.NoErr(err)
	stdout, err := cmd.StdoutPipe()
	is.NoErr(err)
	is.NoErr(cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	out := bufio.NewReaderSize(stdout, 1<<20)

	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	_, err = line(out)
	is.NoErr(err)
	for i := range calls {
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"flood"}}`+"\n", i+1)
	}
	for range calls {
		size, err := line(out)
		is.NoErr(err)
		is.True(size > 9_000_000)
	}
	most := peak(t, cmd.Process.Pid)
	t.Logf("%d calls took %d bytes", calls, most)
	if most > bound {
		t.Errorf("%d calls took %d bytes, more than %d", calls, most, bound)
	}
	is.NoErr(in.Close())
	_, err = io.Copy(io.Discard, out)
	is.NoErr(err)
	is.NoErr(cmd.Wait())
}

// line skips a line and returns its size.
func line(r *bufio.Reader) (size int, err error) {
	for {
		part, err := r.ReadSlice('\n')
		size += len(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return size, err
		}
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// peak returns the peak memory of a process in bytes.
func peak(t *testing.T, pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	found := highWater.FindSubmatch(status)
	if found == nil {
		t.Skip("this kernel reports no VmHWM, so the most memory that a process had cannot be measured")
	}
	kb, _ := strconv.Atoi(string(found[1]))
	return kb << 10
}
