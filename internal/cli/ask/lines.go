package ask

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// A lineWriter passes lines on when they are complete. It is safe for concurrent use.
type lineWriter struct {
	w io.Writer

	mu    sync.Mutex
	begun []byte
}

func (l *lineWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun = append(l.begun, b...)
	const longest = 1 << 16
	whole := bytes.LastIndexByte(l.begun, '\n') + 1
	if whole == 0 && len(l.begun) > longest {
		whole = len(l.begun)
	}
	if whole > 0 {
		l.pass(l.begun[:whole])
		l.begun = append(l.begun[:0], l.begun[whole:]...)
	}
	return len(b), nil
}

// Flush passes on an incomplete last line.
func (l *lineWriter) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.begun) > 0 {
		l.pass(l.begun)
		l.begun = l.begun[:0]
	}
}

func (l *lineWriter) pass(b []byte) {
	text := console.Plain(string(b))
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, _ = io.WriteString(l.w, text) // ignored, as for everything that is shown
}
