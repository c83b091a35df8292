package console

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A Bar shows on a terminal how far long work has come; elsewhere it is silent.
type Bar struct{ bar *progressbar.ProgressBar }

// Progress starts a bar for total steps. Call Done when the work is over.
func (c *Console) Progress(what string, total int) *Bar {
	w := c.w
	if !c.colour {
		w = io.Discard
	}
	return &Bar{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(65*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// Step says that one more step is done.
func (b *Bar) Step() { _ = b.bar.Add(1) } // a bar that cannot be drawn harms nobody

// At says how many steps of how many are done. A total of 0 is unknown.
func (b *Bar) At(done, total int) {
	if total > 0 && total != b.bar.GetMax() {
		b.bar.ChangeMax(total)
	}
	_ = b.bar.Set(done)
}

// Tell changes what is shown beside the bar.
func (b *Bar) Tell(what string) { b.bar.Describe(what) }

// Clear takes the bar away until the next step, for a line in its place.
func (b *Bar) Clear() { _ = b.bar.Clear() }

// Done takes the bar away.
func (b *Bar) Done() { _ = b.bar.Finish() }
