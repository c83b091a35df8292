package console

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rivo/uniseg"
)

// Live shows progress, and fits messages: c writes to a terminal that understands escape
// sequences, and width returns how many columns it has now; 0 is unknown. It returns c.
func (c *Console) Live(width func() int) *Console {
	c.live = true
	return c.Fit(width)
}

// A Bar shows on a terminal how far long work has come, in one line; elsewhere it is
// silent. It is safe for concurrent use.
type Bar struct {
	c *Console

	mu          sync.Mutex
	what        string
	done, total float64
	drawn       bool      // it is on the screen
	last        time.Time // when it was drawn
}

// Progress starts a bar for total steps; below 1 it is unknown how many there are. Call
// Done when the work is over.
func (c *Console) Progress(what string, total int) *Bar {
	b := &Bar{c: c}
	b.Show(what, 0, float64(total))
	return b
}

// drawEvery is how often the steps of fast work are drawn.
const drawEvery = 65 * time.Millisecond

// Step counts one more step as done.
func (b *Bar) Step() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.move(b.done+1, b.total)
}

// At sets how many steps of how many are done. A total of 0 is unknown.
func (b *Bar) At(done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.move(float64(done), float64(total))
}

// move draws the end of the work, and what comes before it if it is not too often. b.mu is
// held.
func (b *Bar) move(done, total float64) {
	b.done, b.total = done, total
	if now := time.Now(); done == total || now.Sub(b.last) >= drawEvery {
		b.draw()
	}
}

// Show shows a text with the figures that belong to it, at once. A total of 0 is unknown.
func (b *Bar) Show(what string, done, total float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.what, b.done, b.total = what, done, total
	b.draw()
}

// Above calls write, whose lines appear where the bar is; the bar moves below them.
func (b *Bar) Above(write func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	drawn := b.drawn
	b.clear()
	write()
	if drawn {
		b.draw()
	}
}

// Done takes the bar away, until more is shown.
func (b *Bar) Done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
}

// The cursor waits at the start of the line: when the terminal gets narrower, what it makes
// of the rest of the line is below the cursor, and is cleared with it. So is the ^C of
// somebody who interrupts.
const clearBelow = "\x1b[J"

func (b *Bar) clear() {
	if b.drawn {
		fmt.Fprint(b.c.w, "\r"+clearBelow)
		b.drawn = false
	}
}

// draw replaces the line.
func (b *Bar) draw() {
	if !b.c.live {
		return
	}
	b.last = time.Now()
	width := b.c.width()
	if width <= 0 {
		width = 80
	}
	line := b.line(width - 1) // some terminals go to the next line after the last column
	fmt.Fprint(b.c.w, "\r"+line+clearBelow+"\r")
	b.drawn = true
}

// cells is how wide the bar itself is.
const cells = 20

// line returns the text of at most so many columns. The figures count more than the bar, and
// the bar more than the end of the text.
func (b *Bar) line(most int) string {
	text := strings.Join(strings.Fields(Plain(b.what)), " ")
	figures := b.figures()
	right := b.bar() + figures
	for _, less := range []struct {
		right string
		room  int // for the text, below which there is less beside it
	}{{figures, 20}, {"", 8}} {
		if most-uniseg.StringWidth(right) < min(uniseg.StringWidth(text), less.room) {
			right = less.right
		}
	}
	return Cut(text, most-uniseg.StringWidth(right)) + right
}

// bar is how far the work has come, as a picture; empty where that is unknown.
func (b *Bar) bar() string {
	if b.total <= 0 {
		return ""
	}
	full := int(math.Round(b.part() * cells))
	return "  " + strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}

// figures are what is known in numbers: of work without a total there is no percentage.
func (b *Bar) figures() string {
	switch {
	case b.total > 0:
		return fmt.Sprintf("  %3d%%  %s/%s", int(b.part()*100+1e-9), number(b.done), number(b.total))
	case b.done > 0:
		return "  " + number(b.done)
	}
	return ""
}

// part is which part of the work is done, from 0 to 1.
func (b *Bar) part() float64 { return min(max(b.done/b.total, 0), 1) }

// number writes a number with at most two decimals.
func number(n float64) string {
	return strconv.FormatFloat(math.Round(n*100)/100, 'f', -1, 64)
}
