package run

import (
	"context"

	"github.com/mcp-bash/mcp-bash/v2/internal/budget"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// OutputMemory is what is to be reserved for the output of a script where nothing is
// known about it: it is held once, and once more in the message that it becomes.
const OutputMemory = 2 * defaultOutput

// longOutput is the size from which an output counts for the budget. All scripts
// together do not write much that is shorter.
const longOutput = 256 << 10

// A metered output waits for its share of the budget when it becomes long. Meanwhile
// the script waits too, in its write.
type metered struct {
	*script.Head
	wait func()
	long bool // it has waited
}

func (m *metered) Room() []byte {
	m.grow()
	return m.Head.Room()
}

func (m *metered) Write(b []byte) (int, error) {
	m.grow()
	return m.Head.Write(b)
}

func (m *metered) grow() {
	if !m.long && m.Total() >= longOutput {
		m.long = true
		m.wait()
	}
}

// keep gives back what was reserved and is not needed.
func (m *metered) keep(share *budget.Share) {
	if m.long {
		share.Keep(2 * int(min(m.Total(), int64(m.Limit))))
	}
}

// reserve waits for the share of a run whose output has become long. The run's clock
// stands still, as it is not the script that takes the time. A run that is cancelled
// waits no longer.
func (r *Runtime) reserve(ctx context.Context, k *clock, limit int) {
	share := budget.Of(ctx)
	if share == nil {
		return
	}
	k.pause()
	defer k.resume()
	_ = share.Reserve(ctx, 2*limit)
}
