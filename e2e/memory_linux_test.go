package e2e

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// flood is a tool that prints 9 MB of text.
const flood = "#!/bin/sh\nyes 0123456789012345678901234567890123456789012345678901234567890123456789 | head -c 9000000\n"

// The bound is far above the memory that these calls may hold, and far below what they
// need if none waits for another.
func TestManyLongOutputsAtOnceStayWithinTheMemoryThatIsSet(t *testing.T) {
	const calls, bound = 24, 160_000_000
	is := is.New(t)
	cmd := command(t, "serve", "-C", newProject(t, map[string]string{"tools/flood/tool.sh": flood}))
	cmd.Env = append(cmd.Env, "MCPBASH_MAX_MEMORY=72000000")
	in, stdout := rig.Start(t, cmd)
	t.Cleanup(func() { cmd.Process.Kill() })
	out := bufio.NewReaderSize(stdout, 1<<20)

	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	_, err := line(out)
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

const (
	opens     = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}`
	confirms  = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	manyItems = 2 << 20 // of two bytes each
)

func TestALineOfAnyNumberOfItemsCostsFourTimesItsSizeAtMost(t *testing.T) {
	is := is.New(t)
	cmd := command(t, "serve", "-C", newProject(t, map[string]string{}))
	in, stdout := rig.Start(t, cmd)
	t.Cleanup(func() { cmd.Process.Kill() })
	out := bufio.NewReaderSize(stdout, 1<<20)
	batch := "[" + strings.Repeat("1,", manyItems-1) + "1]"

	fmt.Fprintln(in, opens)
	fmt.Fprintln(in, confirms)
	_, err := line(out)
	is.NoErr(err)
	before := peak(t, cmd.Process.Pid)
	fmt.Fprintln(in, batch)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	refusal, err := out.ReadString('\n')
	is.NoErr(err)
	is.True(strings.Contains(refusal, "not 2097152")) // items
	_, err = line(out)
	is.NoErr(err)
	isAtMostFourTimes(t, len(batch), peak(t, cmd.Process.Pid)-before)
	is.NoErr(in.Close())
	is.NoErr(cmd.Wait())
}

func TestThroughHTTPALineOfAnyNumberOfItemsCostsNoMore(t *testing.T) {
	project := newProject(t, map[string]string{})
	for name, what := range map[string][]string{"a project": {"-C", project}, "a command": {"--", binary, "serve", "-C", project}} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			cmd, at := overHTTP(t, what...)
			var session string
			post := func(body string) (status int, answer string) {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(body))
				is.NoErr(err)
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Accept", "application/json, text/event-stream")
				if session != "" {
					request.Header.Set("Mcp-Session-Id", session)
				}
				response, err := http.DefaultClient.Do(request)
				is.NoErr(err)
				defer response.Body.Close()
				session = cmp.Or(session, response.Header.Get("Mcp-Session-Id"))
				text, err := io.ReadAll(response.Body)
				is.NoErr(err)
				return response.StatusCode, string(text)
			}
			post(opens)
			post(confirms)
			before := peak(t, cmd.Process.Pid)
			batch := "[" + strings.Repeat("1,", manyItems-1) + "1]"
			status, refusal := post(batch)
			is.Equal(status, http.StatusBadRequest)
			is.True(strings.Contains(refusal, "not 2097152")) // items
			isAtMostFourTimes(t, len(batch), peak(t, cmd.Process.Pid)-before)
		})
	}
}

func isAtMostFourTimes(t *testing.T, line, cost int) {
	t.Helper()
	t.Logf("a line of %d bytes took %d", line, cost)
	if cost > 4*line {
		t.Errorf("a line of %d bytes took %d, more than four times its size", line, cost)
	}
}
