package console_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/ptytest"
)

// shown returns what a terminal shows after what was written to it.
func shown(written string, width int) string {
	screens := ptytest.Show(width, 5, written)
	return screens[len(screens)-1].String()
}

func TestProgressIsSilentWhereThereIsNoTerminal(t *testing.T) {
	is := is.New(t)
	got := write(true, func(c *console.Console) { // with colours, even
		bar := c.Progress("packing", 2)
		bar.Step()
		bar.At(2, 2)
		bar.Show("more", 1, 2)
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
		for _, s := range ptytest.Show(c.width, 5, out.String()) {
			is.True(len(s.Lines) <= 1) // no line is left behind, nothing is pushed to the next one
		}
		is.Equal(shown(out.String(), c.width), c.want)
	}
}

func TestNothingOfALongerLineStays(t *testing.T) {
	is := is.New(t)
	var out bytes.Buffer
	bar := console.New(&out, false).Live(func() int { return 60 }).Progress("a text that is longer", 0)
	bar.Show("日本語日本語", 1, 2)
	bar.Show("short", 2, 0)
	is.Equal(shown(out.String(), 60), "short  2")
	bar.Done()
	is.Equal(shown(out.String(), 60), "")
	before := out.Len()
	bar.Done()
	is.Equal(out.Len(), before) // it is gone already
}

func TestLinesGoAboveTheBar(t *testing.T) {
	is := is.New(t)
	var out bytes.Buffer
	c := console.New(&out, false).Live(func() int { return 60 })
	bar := c.Progress("copying", 4)
	bar.Above(func() { c.Say("a.txt is new") })
	is.Equal(shown(out.String(), 60), "a.txt is new\ncopying  ░░░░░░░░░░░░░░░░░░░░    0%  0/4")
	bar.Done()
	bar.Above(func() { c.Say("done") })
	is.Equal(shown(out.String(), 60), "a.txt is new\ndone")
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
		last := out.String()[strings.LastIndex(strings.TrimSuffix(out.String(), "\r"), "\r"):]
		is.True(strings.Contains(last, "100%  100000/100000"))
	})
}
