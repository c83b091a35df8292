package console_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
	"github.com/rivo/uniseg"

	"github.com/mcp-bash/mcp-bash/v2/internal/console"
)

// screen returns what a terminal of one line shows after what was written to it, and
// whether all of it fitted.
func screen(written string, width int) (line string, fits bool) {
	var cells []string
	at, fits := 0, true
	state := -1
	for written != "" {
		var cluster string
		var columns int
		cluster, written, columns, state = uniseg.FirstGraphemeClusterInString(written, state)
		switch cluster {
		case "\r":
			at = 0
			continue
		case "\b":
			at--
			continue
		}
		for len(cells) < at+columns {
			cells = append(cells, " ")
		}
		cells[at] = cluster
		for i := 1; i < columns; i++ {
			cells[at+i] = ""
		}
		at += columns
		fits = fits && at < width
	}
	return strings.TrimRight(strings.Join(cells, ""), " "), fits
}

func TestProgressIsSilentWhereThereIsNoTerminal(t *testing.T) {
	is := is.New(t)
	got := write(true, func(c *console.Console) { // with colours, even
		bar := c.Progress("packing", 2)
		bar.Step()
		bar.At(2, 2)
		bar.Show("more", 1, 2)
		bar.Clear()
		bar.Done()
	})
	is.Equal(got, "")
}

func TestATextAndItsFiguresAreOneLine(t *testing.T) {
	for _, c := range []struct {
		what        string
		done, total float64
		width       int
		want        string
	}{
		{"copying", 50, 100, 80, "copying  ██████████░░░░░░░░░░   50%  50/100"},
		{"copying", 0, 4, 80, "copying  ░░░░░░░░░░░░░░░░░░░░    0%  0/4"},
		{"copying", 0.5, 1, 80, "copying  ██████████░░░░░░░░░░   50%  0.5/1"},
		{"copying", 0.1 + 0.2, 1, 80, "copying  ██████░░░░░░░░░░░░░░   30%  0.3/1"},
		{"copying", 29, 100, 80, "copying  ██████░░░░░░░░░░░░░░   29%  29/100"},
		{"copying", 999, 1000, 80, "copying  ████████████████████   99%  999/1000"}, // not done yet
		{"copying", 7, 5, 80, "copying  ████████████████████  100%  7/5"},           // as it was said
		{"copying", 50, 0, 80, "copying  50"}, // of nobody knows how many
		{"copying", 0.25, 0, 80, "copying  0.25"},
		{"copying", 0, 0, 80, "copying"},
		{"a\nb\tc\x1b[31m", 1, 0, 80, "a b c[31m  1"},
		{strings.Repeat("long ", 50), 1, 2, 60, "long long long long long…  ██████████░░░░░░░░░░   50%  1/2"},
		{strings.Repeat("long ", 50), 1, 2, 30, "long long long lo…   50%  1/2"}, // no room for the bar
		{strings.Repeat("long ", 50), 12, 0, 30, "long long long long long…  12"},
		{"日本語日本語日本語日本語", 3, 0, 20, "日本語日本語日…  3"},
		{"copying", 50, 100, 5, "cop…"},
	} {
		is := is.New(t)
		var out bytes.Buffer
		console.New(&out, false).Live(func() int { return c.width }).Progress("working", 0).Show(c.what, c.done, c.total)
		got, fits := screen(out.String(), c.width)
		is.Equal(got, c.want)
		is.True(fits)                                         // nothing is pushed to the next line
		is.True(!strings.ContainsAny(out.String(), "\n\x1b")) // no line is left behind
	}
}

func TestNothingOfALongerLineStays(t *testing.T) {
	is := is.New(t)
	var out bytes.Buffer
	bar := console.New(&out, false).Live(func() int { return 60 }).Progress("a text that is longer", 0)
	bar.Show("日本語日本語", 1, 2)
	bar.Show("short", 2, 0)
	got, _ := screen(out.String(), 60)
	is.Equal(got, "short  2")
	bar.Clear()
	got, _ = screen(out.String(), 60)
	is.Equal(got, "")
	is.True(strings.HasSuffix(out.String(), "\r")) // what comes next begins the line
	before := out.Len()
	bar.Done()
	is.Equal(out.Len(), before) // it is gone already
}

func TestFastWorkIsDrawnNowAndThenAndAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var out bytes.Buffer
		bar := console.New(&out, false).Live(func() int { return 80 }).Progress("packing", 100_000)
		for range 99_999 {
			bar.Step()
		}
		is.True(out.Len() < 1000)
		<-time.After(time.Second)
		bar.Step()
		got, _ := screen(out.String(), 80)
		is.True(strings.HasSuffix(got, "100%  100000/100000"))
	})
}
