//go:build attack

package attack

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

func TestGarbageIsAnsweredAndDoesNoHarm(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	s := start(t, project(t, nil))
	for range 50 {
		s.send("\xff\xfe\xfd", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}", "nonsense", "\x00", "{", "[]", "null", `"x"`, deep,
			`{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"honest","arguments":{"a":`+deep+strings.Repeat("]", 100_000)+`}}}`,
			strings.Repeat(`{"a":`, 100_000), `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, `{"jsonrpc":"2.0","result":{},"error":{},"id":5}`,
			`{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	}
	s.ends(150)
}

func TestIdsThatAreUsedTwiceAreHarmless(t *testing.T) {
	s := start(t, project(t, map[string]string{"tools/slow.sh": "#!/bin/sh\nsleep 0.2\necho slow\n"}))
	for range 100 {
		s.call("1", "slow", "")
	}
	s.pings()
	answered := 0
	waittest.Until(t, "100 answers have come", func() bool {
		for _, id := range []string{"1", ""} { // what refuses an id that is in use has none
			for a, ok := s.taken(id); ok; a, ok = s.taken(id) {
				if answered++; !strings.Contains(a.text, `"text":"slow\n"`) && !strings.Contains(a.text, `"error":`) {
					t.Errorf("another answer: %s", a.text)
				}
			}
		}
		return answered >= 100
	})
	s.ends(100)
}

func TestFloodsOfBatchesAndCancellationsAreServed(t *testing.T) {
	s := launch(t, project(t, map[string]string{"tools/long.sh": "#!/bin/sh\nexec sleep 300\n"}), with("MCPBASH_COMPAT_BATCHES=true"))
	go s.read()
	s.open()
	ping := `{"jsonrpc":"2.0","id":"batched","method":"ping"}`
	for range 20 {
		s.send("[" + strings.Repeat(ping+",", 10_000) + ping + "]")
	}
	s.pings()
	for i := range 2000 { // more than may wait
		s.call(fmt.Sprint(i), "long", "")
	}
	s.pings()
	for round := range 5 {
		for i := range 2000 {
			s.cancel(fmt.Sprint(i + round*1000))
		}
	}
	s.ends(250)
}

func TestACallThatArrivesByteByByteHoldsNobodyUp(t *testing.T) {
	s := start(t, project(t, map[string]string{"tools/long.sh": "#!/bin/sh\necho began\nsleep 1\necho ended\n"}))
	s.call("1", "long", "")
	for _, b := range []byte(`{"jsonrpc":"2.0","id":2,"method":"ping"}`) {
		s.in.Write([]byte{b})
	}
	s.expect("1", "ended") // while the line is not complete
	s.send("")
	s.expect("2", `"result":\{\}`)
	io.WriteString(s.in, `{"jsonrpc":"2.0","id":3,"meth`)
	s.leaves(100) // also in the middle of a line
}

func TestAStderrThatNobodyReadsHoldsNobodyUp(t *testing.T) {
	r, w, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { r.Close() })
	s := start(t, project(t, map[string]string{"tools/loud.sh": "#!/bin/sh\nhead -c 5000000 /dev/zero | tr '\\0' '\\n' >&2\necho loud\n"}),
		with("MCPBASH_TOOL_STREAM_STDERR=true", "MCPBASH_LOG_LEVEL=debug"), func(cmd *exec.Cmd) { cmd.Stderr = w })
	w.Close()
	for i := range 5 {
		s.call(fmt.Sprint(i), "loud", "")
		s.expect(fmt.Sprint(i), "loud")
	}
	s.ends(100)
}

func TestAServerWhoseOutputIsStuckEnds(t *testing.T) {
	s := launch(t, project(t, map[string]string{"tools/flood.sh": flood, "tools/long.sh": "#!/bin/sh\nsetsid sleep 300 & sleep 300\n"}))
	s.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i := range 8 {
		s.call(fmt.Sprint(i), "flood", "")
	}
	waittest.Until(t, "a tool runs", func() bool { return len(s.tools()) > 0 })
	s.in.Close()
	s.wait() // nobody has read anything
	s.survivors()
}

func TestCallsThatRunAtTheEndOfInputAreAnsweredAndNothingIsLeft(t *testing.T) {
	s := start(t, project(t, map[string]string{"tools/slow.sh": "#!/bin/sh\nsetsid sleep 300 &\nsleep 0.5\necho slow\n"}))
	for i := range 40 {
		s.call(fmt.Sprint(i), "slow", "")
	}
	s.in.Close()
	for i := range 40 {
		s.expect(fmt.Sprint(i), `slow`)
	}
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.survivors()
}
