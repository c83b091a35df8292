//go:build unix

package ptytest_test

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/ptytest"
)

func TestAScreenIsWhatAPersonSees(t *testing.T) {
	is := is.New(t)
	x := ptytest.Start(t, ptytest.Options{Columns: 20, Lines: 5}, "/bin/sh", "-c",
		`printf 'one\r\033[31mtwo\033[0m\nwide 日本|\n\033[?1049h\033[?25lsecond\033[?1049l'; exit 3`)
	is.Equal(x.Wait(), 3)
	s := x.Screen()
	is.Equal(s.String(), "two\nwide 日本|")
	is.Equal(s.Row, 2)
	is.Equal(s.Column, 0)
	is.True(!s.Alternate)
	is.True(x.Cooked())
	var seen []string
	for _, s := range x.Screens() {
		if s.Alternate {
			seen = append(seen, "alternate")
		}
		seen = append(seen, s.Last())
	}
	all := strings.Join(seen, " ")
	is.True(strings.Contains(all, "one two"))          // the text that was overwritten was seen
	is.True(strings.Contains(all, "alternate second")) // and what was on the second screen
}

func TestAPersonTypesAndResizes(t *testing.T) {
	is := is.New(t)
	x := ptytest.Start(t, ptytest.Options{}, "/bin/sh", "-c",
		`trap 'stty size' WINCH; echo ready; while ! read line; do :; done; echo "got $line"`)
	x.See("ready")
	x.Resize(40, 10)
	x.See("10 40")
	x.Type("hello" + ptytest.Return)
	is.Equal(x.Wait(), 0)
	is.True(x.Screen().Contains("got hello"))
}

func TestATerminalThatIsLeftRawIsNotCooked(t *testing.T) {
	is := is.New(t)
	x := ptytest.Start(t, ptytest.Options{}, "/bin/sh", "-c", "stty -echo")
	is.Equal(x.Wait(), 0)
	is.True(!x.Cooked())
}
