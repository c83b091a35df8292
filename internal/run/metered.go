package run

import (
	"context"

	"github.com/mcp-bash/mcp-bash/v2/internal/budget"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// OutputMemory is how many bytes to reserve for the output of a script of which nothing
// is known: it is held once, and a second time in the message that is sent.
const OutputMemory = 2 * defaultOutput

// longOutput is the size from which an output counts for the budget. Shorter
// outputs of all scripts together do not need much.
const longOutput = 256 << 10

// A metered output waits for its share of the budget when it becomes long. Meanwhile
// the script is blocked in its write.
type metered struct {
	*process.Head
	ctx   context.Context // of the run, whose share it is
	clock *clock          // of the run: paused while it waits, since it is not the script that takes the time
	cut   bool            // the script is ended when it writes more than the head keeps; else that is dropped
	long  bool            // it has waited
}

func (m *metered) Write(b []byte) (int, error) {
	if !m.long && m.Total() >= longOutput {
		m.long = true
		m.clock.pause()
		_ = budget.Of(m.ctx).Reserve(m.ctx, 2*m.Limit)
		m.clock.resume()
	}
	n, err := m.Head.Write(b)
	if m.cut && m.Truncated() {
		m.clock.cancel(errCut)
	}
	return n, err
}
