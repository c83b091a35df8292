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
	wait func()
	cut  func() // called when there is more than the head keeps; nil: that is dropped
	long bool   // it has waited
}

func (m *metered) Write(b []byte) (int, error) {
	if !m.long && m.Total() >= longOutput {
		m.long = true
		m.wait()
	}
	n, err := m.Head.Write(b)
	if m.cut != nil && m.Truncated() {
		m.cut()
	}
	return n, err
}

// keep gives back what was reserved but is not needed.
func (m *metered) keep(share *budget.Share) {
	if m.long {
		share.Keep(2 * int(min(m.Total(), int64(m.Limit))))
	}
}

// reserve waits for the share of a run whose output has become long. The run's clock is
// paused, since it is not the script that takes the time. A run that is cancelled stops
// waiting.
func (r *Runtime) reserve(ctx context.Context, k *clock, limit int) {
	share := budget.Of(ctx)
	if share == nil {
		return
	}
	k.pause()
	defer k.resume()
	_ = share.Reserve(ctx, 2*limit)
}
