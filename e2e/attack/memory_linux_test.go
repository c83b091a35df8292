//go:build attack

package attack

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

const flood = "#!/bin/sh\nyes 0123456789012345678901234567890123456789012345678901234567890123456789 | head -c 9000000\n"

func TestManyLongOutputsStayWithinTheMemory(t *testing.T) {
	s := start(t, project(t, map[string]string{"tools/flood.sh": flood}))
	for i := range 64 {
		s.call(fmt.Sprint(i), "flood", "")
	}
	s.pings()
	for i := range 64 {
		if a := s.answer(fmt.Sprint(i)); a.size < 9_000_000 {
			t.Errorf("an answer of %d bytes: %s", a.size, a.text)
		}
	}
	s.ends(300)
}

func TestALineOf200MiBIsRefusedForLittleMemory(t *testing.T) {
	s := start(t, project(t, nil), with("MCPBASH_MAX_MESSAGE_BYTES=1048576"))
	io.WriteString(s.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"honest","arguments":{"a":"`)
	part := strings.Repeat("a", 1<<20)
	for range 200 {
		io.WriteString(s.in, part)
	}
	s.send(`"}}}`)
	s.expect("1", `the line is longer than`)
	s.ends(80)
}

func TestALineOf200MiBCostsItsLimitOnce(t *testing.T) {
	s := start(t, project(t, nil))
	io.WriteString(s.in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"honest","arguments":{"a":"`)
	part := strings.Repeat("a", 1<<20)
	for range 200 {
		io.WriteString(s.in, part)
	}
	s.send(`"}}}`)
	s.expect("1", `the line is longer than`)
	s.ends(110)
}

// 1,024 calls of 9 MB each may wait by number, far more than by size.
func TestLongCallsThatWaitAreBoundedAndCanBeCancelled(t *testing.T) {
	s := start(t, project(t, map[string]string{"tools/slow.sh": "#!/bin/sh\nsleep 300\n", "tools/slow.meta.json": `{"name":"slow","timeoutSecs":0}`}))
	arguments := `{"a":"` + strings.Repeat("a", 9_000_000) + `"}`
	const calls = 60
	for i := range calls {
		s.call(fmt.Sprint(i), "slow", arguments)
	}
	s.pings() // everything was read
	refused := 0
	for i := range calls {
		if a, ok := s.taken(fmt.Sprint(i)); ok {
			refused++
			if !strings.Contains(a.text, "Server busy") {
				t.Errorf("another answer: %s", a.text)
			}
			continue
		}
		s.cancel(fmt.Sprint(i))
	}
	if refused == 0 || refused == calls {
		t.Errorf("%d of %d were refused", refused, calls)
	}
	s.ends(500)
}

func TestAToolThatWritesAGigabyteIsCutOff(t *testing.T) {
	s := start(t, project(t, map[string]string{
		"tools/out.sh": "#!/bin/sh\nhead -c 1000000000 /dev/zero | tr '\\0' x\n",
		"tools/err.sh": "#!/bin/sh\nhead -c 1000000000 /dev/zero | tr '\\0' x >&2\necho done\n",
	}))
	s.call("1", "out", "")
	s.call("2", "err", "")
	s.pings()
	s.expect("1", `"result":`)
	s.expect("2", `"result":`)
	s.ends(200)
}
