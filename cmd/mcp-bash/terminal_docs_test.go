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
	x := ptytest.Start(t, ptytest.Options{Columns: 60, Lines: 300}, "mcp-bash", "docs", "portability")
	is.Equal(x.Wait(), 0)
	is.Equal(x.Screen().Lines[0], "Portability") // without its mark
	is.True(strings.Contains(x.Raw(), "\x1b[1mPortability\x1b[0m"))
	for _, line := range x.Screen().Lines {
		is.True(uniseg.StringWidth(line) <= 60)
	}
	is.True(x.Screen().Contains("    amd64: tested under Wine; CI runs the tests (WINDOWS.md)")) // a table that is too wide
}
