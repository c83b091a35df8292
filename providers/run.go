package providers

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// A program is one run of a command that writes a resource.
type program struct {
	runner  *script.Runner
	command script.Command
	name    string        // how errors call it
	timeout time.Duration // 0: only that of the context
	limit   int64         // bytes of stdout
}

// ended is what it leaves.
type ended struct {
	script.Result
	stdout []byte
	stderr string // the end of it, without blanks around
}

// The end of stderr that can be told in an error.
const maxStderr = 2 << 10

// run returns when the program has ended, or is over a limit and was ended. That it ended
// with a code other than 0 is no error.
func (p program) run(ctx context.Context) (ended, error) {
	if p.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, p.timeout, fmt.Errorf("%w: %s did not end within %v", ErrUnavailable, p.name, p.timeout))
		defer cancel()
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	stdout := capped{Head: script.Head{Limit: int(p.limit)}, full: func() { stop(tooLarge(p.limit)) }}
	stderr := script.Tail{Limit: maxStderr}
	c := p.command
	c.Stdout, c.Stderr = &stdout, &stderr
	result, err := p.runner.Run(ctx, c)
	if err == nil && stdout.Truncated() {
		err = tooLarge(p.limit)
	}
	return ended{result, stdout.Bytes(), strings.TrimSpace(stderr.Text())}, err
}

// capped keeps the head of an output and tells when there is more.
type capped struct {
	script.Head
	full func()
}

func (c *capped) Write(b []byte) (int, error) {
	n, err := c.Head.Write(b)
	if c.Truncated() {
		c.full()
	}
	return n, err
}
