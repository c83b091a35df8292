package serving

import (
	"context"
	"io"
	"log/slog"
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

// EndWhenOrphaned ends the server when the process that started it has exited while the input is
// still open: a sibling process that inherited the pipe may keep it open for ever. After the end of
// input the server ends by itself, once it has answered. On Windows the input closes when the
// client exits. It checks once every interval; 0 means never.
func EndWhenOrphaned(ctx context.Context, interval time.Duration, in *Input, stop func(), log *slog.Logger) {
	parent := os.Getppid()
	if interval <= 0 || runtime.GOOS == "windows" || parent <= 1 {
		return
	}
	go func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if os.Getppid() != parent {
				if !in.ended.Load() {
					log.Info("the process that started this server is gone, so it ends", "variable", "MCPBASH_ORPHAN_CHECK_ENABLED")
					stop()
				}
				return
			}
		}
	}()
}

// An Input is a reader that records whether its end was reached.
type Input struct {
	io.ReadCloser
	ended atomic.Bool
}

func (in *Input) Read(b []byte) (int, error) {
	n, err := in.ReadCloser.Read(b)
	if err != nil {
		in.ended.Store(true)
	}
	return n, err
}
