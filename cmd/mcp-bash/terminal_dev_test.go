//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/sys/unix"

	"github.com/mcp-bash/mcp-bash/v2/internal/ptytest"
)

func TestALineThatIsTypedSurvivesWhatIsWritten(t *testing.T) {
	for _, columns := range []int{80, 40} {
		is := is.New(t)
		root, env := terminalProject(t, map[string]string{"talks": gate + `
mcp_log info talks "the first line, which is longer than a narrow terminal has columns"
gate more
mcp_log info talks "日本語"
gate end
echo over
`})
		open := gates(t, root, "more", "end")
		x := ptytest.Start(t, ptytest.Options{Columns: columns, Env: env}, "mcp-bash", "dev", "-C", root)
		x.See("> ")
		x.Type("talks\r")
		x.See("the first line")
		x.Type("greet name=日本語の名前です")
		x.See("… greet name=日本語の名前です")
		open("more")
		s := x.See("talks: 日本語")
		is.Equal(s.Last(), "… greet name=日本語の名前です")
		is.Equal(strings.Count(s.String(), "greet name"), 1) // nothing of the line is left above
		is.Equal(s.Column, 29)
		x.Type("\x7f") // backspace
		x.See("… greet name=日本語の名前で")
		open("end")
		x.See("over")
		x.See("> greet name=日本語の名前で")
		x.Type("\r")
		x.See("Hello, 日本語の名前で!")
		empty := func(s ptytest.Screen) bool { return s.Last() == ">" }
		x.Until("the prompt is back", empty)
		x.Type(ptytest.Up)
		x.Until("the line is back", func(s ptytest.Screen) bool { return s.Last() == "> greet name=日本語の名前で" })
		x.Type(ptytest.CtrlC)
		x.Until("the line is empty", empty)
		x.Type(ptytest.CtrlD)
		is.Equal(x.Wait(), 0)
		is.True(x.Cooked())
		is.Equal(x.Screen().Column, 0)
		is.True(!strings.HasPrefix(x.Screen().Last(), ">"))
	}
}

func TestCtrlCCancelsACallAndThenEndsTheSession(t *testing.T) {
	is := is.New(t)
	root, env := terminalProject(t, map[string]string{"waits": gate + "mcp_progress 1 waiting 2\ngate never\n"})
	gates(t, root, "never")
	x := ptytest.Start(t, ptytest.Options{Env: env}, "mcp-bash", "dev", "-C", root)
	x.See("> ")
	x.Type("waits\r")
	x.See("waits 1/2 waiting … ")
	x.Type(ptytest.CtrlC)
	x.See("⚠ cancelled")
	x.Until("the prompt is back", func(s ptytest.Screen) bool { return s.Last() == ">" })
	x.Type(ptytest.CtrlC)
	is.Equal(x.Wait(), 0)
	is.True(x.Cooked())
	is.Equal(x.Screen().Last(), "⚠ cancelled")
}

func TestALongLineIsShownWhereItsCursorIs(t *testing.T) {
	is := is.New(t)
	root, env := terminalProject(t, nil)
	x := ptytest.Start(t, ptytest.Options{Columns: 40, Env: env}, "mcp-bash", "dev", "-C", root)
	x.See("ctrl-d ends") // what is written while the size changes could stay
	x.See("> ")
	x.Type("greet name=" + strings.Repeat("x", 60) + "end")
	s := x.See("xend")
	is.True(strings.HasPrefix(s.Last(), "> …x"))
	x.Resize(60, 24)
	x.Until("more of the line is shown", func(s ptytest.Screen) bool {
		return len([]rune(s.Last())) > 50 && strings.HasSuffix(s.Last(), "xend") // all that is written
	})
	x.Resize(30, 24)
	x.Until("less of the line is shown, and nothing of the longer one", func(s ptytest.Screen) bool {
		return len([]rune(s.Last())) < 30 && strings.HasSuffix(s.Last(), "xend") && strings.Count(s.String(), "> ") == 1
	})
	x.Type("\x01" + ptytest.Return) // home: the line counts as a whole
	x.See("xend!")
	x.Type("greet\t")
	x.See("> greet ")
	x.Type("n\tAda\r") // tab completes arguments
	x.See("Hello, Ada!")
	x.Type("quit\r")
	is.Equal(x.Wait(), 0)
	is.True(x.Cooked())
}

func TestASessionWithASilentServerEndsAndLeavesTheTerminalAsItWas(t *testing.T) {
	for name, end := range map[string]func(x *ptytest.Terminal){
		"ctrl-c":  func(x *ptytest.Terminal) { x.Type(ptytest.CtrlC) },
		"SIGTERM": func(x *ptytest.Terminal) { x.Signal(unix.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			_, env := terminalProject(t, nil)
			x := ptytest.Start(t, ptytest.Options{Env: env}, "mcp-bash", "dev", "--", "sh", "-c", "echo begun >&2; cat >/dev/null")
			x.See("begun")
			end(x)
			is.Equal(x.Wait(), 130)
			is.True(x.Cooked())
			is.Equal(x.Screen().Last(), "begun")
		})
	}
}
