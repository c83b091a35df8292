//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/rivo/uniseg"

	"github.com/mcp-bash/mcp-bash/v2/internal/ptytest"
)

func TestAPageIsShownAsWideAsTheTerminal(t *testing.T) {
	is := is.New(t)
	x := ptytest.Start(t, ptytest.Options{Columns: 60, Lines: 300}, "mcp-bash", "docs", "windows")
	is.Equal(x.Wait(), 0)
	is.Equal(x.Screen().Lines[0], "Windows") // without its mark
	is.True(strings.Contains(x.Raw(), "\x1b[1mWindows\x1b[0m"))
	for _, line := range x.Screen().Lines {
		is.True(uniseg.StringWidth(line) <= 60)
	}
	is.True(x.Screen().Contains("    used instead, in this order: the other one")) // a table that is too wide
}
