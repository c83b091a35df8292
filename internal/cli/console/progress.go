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

// Live enables progress bars, and fits messages: c writes to a terminal that understands escape
// sequences, and width returns how many columns it has now; 0 is unknown. It returns c.
func (c *Console) Live(width func() int) *Console {
	c.live = true
	return c.Fit(width)
}

// A Bar is a progress bar of one line on a terminal; elsewhere it is silent. It is safe for
// concurrent use.
type Bar struct {
	c *Console

	mu          sync.Mutex
	what        string
	done, total float64
	drawn       bool      // it is on the screen
	last        time.Time // when it was drawn
}

// Progress starts a bar for total steps; a total below 1 means unknown. Call Done when the
// work is over.
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

// At sets the number of steps done and the total. A total of 0 is unknown.
func (b *Bar) At(done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.move(float64(done), float64(total))
}

// move sets the progress and draws it, except steps before the end that follow too quickly. b.mu is
// held.
func (b *Bar) move(done, total float64) {
	b.done, b.total = done, total
	if now := time.Now(); done == total || now.Sub(b.last) >= drawEvery {
		b.draw()
	}
}

// Show draws a text with its figures, at once. A total of 0 is unknown.
func (b *Bar) Show(what string, done, total float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.what, b.done, b.total = what, done, total
	b.draw()
}

// Above calls write, whose lines appear in place of the bar; the bar moves below them.
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

// Done removes the bar, until more is shown.
func (b *Bar) Done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
}

// The cursor stays at the start of the line: when the terminal gets narrower, the wrapped rest
// of the line is below the cursor, and is cleared with it. So is the ^C of an interrupt.
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

// cells is the width of the bar itself.
const cells = 20

// line returns the line in at most so many columns. If there is not enough room, first the text is
// cut, then the bar is left out, and the figures last.
func (b *Bar) line(most int) string {
	text := strings.Join(strings.Fields(Plain(b.what)), " ")
	figures := b.figures()
	right := b.bar() + figures
	for _, less := range []struct {
		right string
		room  int // the least room for the text with these parts
	}{{figures, 20}, {"", 8}} {
		if most-uniseg.StringWidth(right) < min(uniseg.StringWidth(text), less.room) {
			right = less.right
		}
	}
	return Cut(text, most-uniseg.StringWidth(right)) + right
}

// bar returns the drawn bar; empty without a total.
func (b *Bar) bar() string {
	if b.total <= 0 {
		return ""
	}
	full := int(math.Round(b.part() * cells))
	return "  " + strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}

// figures returns the progress in numbers, without a percentage if there is no total.
func (b *Bar) figures() string {
	switch {
	case b.total > 0:
		return fmt.Sprintf("  %3d%%  %s/%s", int(b.part()*100+1e-9), number(b.done), number(b.total))
	case b.done > 0:
		return "  " + number(b.done)
	}
	return ""
}

// part returns which fraction of the work is done, from 0 to 1.
func (b *Bar) part() float64 { return min(max(b.done/b.total, 0), 1) }

// number formats a number with at most two decimals.
func number(n float64) string {
	return strconv.FormatFloat(math.Round(n*100)/100, 'f', -1, 64)
}
