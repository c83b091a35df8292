package ptytest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v3/vt"
)

// A Screen is the content of a terminal at one moment.
type Screen struct {
	Lines       []string // without trailing blanks, and without blank lines at the bottom
	Row, Column int      // of the cursor, from 0
	Hidden      bool     // the cursor is hidden
	Alternate   bool     // the alternate screen, which full-screen programs use
}

func (s Screen) String() string { return strings.Join(s.Lines, "\n") }

// Contains reports whether a text is on the screen, within one line.
func (s Screen) Contains(text string) bool {
	return slices.ContainsFunc(s.Lines, func(line string) bool { return strings.Contains(line, text) })
}

// Last returns the last line that is not blank, "" if there is none.
func (s Screen) Last() string {
	if len(s.Lines) == 0 {
		return ""
	}
	return s.Lines[len(s.Lines)-1]
}

func (s Screen) equal(other Screen) bool {
	return slices.Equal(s.Lines, other.Lines) &&
		fmt.Sprint(s.Row, s.Column, s.Hidden, s.Alternate) ==
			fmt.Sprint(other.Row, other.Column, other.Hidden, other.Alternate)
}

// An emulator is a terminal with an alternate screen, which the library lacks.
type emulator struct {
	screens   [2]vt.MockTerm
	alternate bool
	size      vt.Coord
	reply     func([]byte) // receives the terminal's answers to queries
	begun     []byte       // the beginning of a sequence that switches screens
}

func newEmulator(columns, lines int, reply func([]byte)) *emulator {
	e := &emulator{size: vt.Coord{X: vt.Col(columns), Y: vt.Row(lines)}, reply: reply}
	e.screens[0], e.screens[1] = e.screen(), e.screen()
	return e
}

func (e *emulator) screen() vt.MockTerm {
	m := vt.NewMockTerm(vt.MockOptSize(e.size))
	_ = m.Start() // fails if it was started already
	go func() {
		b := make([]byte, 256)
		for {
			n, err := m.Read(b)
			if err != nil {
				return
			}
			if n > 0 {
				e.reply(b[:n])
			}
		}
	}()
	return m
}

func (e *emulator) stop() {
	for _, m := range e.screens {
		_ = m.Stop()
	}
}

func (e *emulator) current() vt.MockTerm {
	if e.alternate {
		return e.screens[1]
	}
	return e.screens[0]
}

func (e *emulator) resize(columns, lines int) {
	e.size = vt.Coord{X: vt.Col(columns), Y: vt.Row(lines)}
	for _, m := range e.screens {
		m.SetSize(e.size)
		_ = m.Drain()
	}
}

const enterAlternate, leaveAlternate = "\x1b[?1049h", "\x1b[?1049l"

// write writes output to the terminal, and calls shown whenever something new is visible: at
// the end of the output, and before the cursor moves to the start of a line.
func (e *emulator) write(b []byte, shown func()) {
	b = append(e.begun, b...)
	e.begun = nil
	from := 0
	flush := func(to int) {
		if to > from {
			_, _ = e.current().Write(b[from:to]) // fails if it was stopped
		}
		from = to
	}
	for at := 0; at < len(b); at++ {
		switch rest := string(b[at:min(len(b), at+len(enterAlternate))]); {
		case rest == enterAlternate, rest == leaveAlternate:
			flush(at)
			shown()
			from, at = at+len(rest), at+len(rest)-1
			e.turn(rest == enterAlternate)
		case b[at] == '\x1b' && at+len(rest) == len(b) &&
			(strings.HasPrefix(enterAlternate, rest) || strings.HasPrefix(leaveAlternate, rest)):
			flush(at)
			e.begun = slices.Clone(b[at:]) // the rest has not arrived yet
			shown()
			return
		case b[at] == '\r', b[at] == '\n':
			flush(at)
			shown()
		}
	}
	flush(len(b))
	shown()
}

// turn switches to the alternate screen, which is empty at first, or back to the main one.
func (e *emulator) turn(alternate bool) {
	if alternate && !e.alternate {
		_ = e.screens[1].Stop()
		e.screens[1] = e.screen()
	}
	e.alternate = alternate
}

// look returns the current screen.
func (e *emulator) look() Screen {
	m := e.current()
	at := m.Pos()
	s := Screen{
		Row: int(at.Y), Column: int(at.X), Alternate: e.alternate,
		Hidden: !m.Backend().GetCursor().IsVisible(),
	}
	for y := range e.size.Y {
		var line strings.Builder
		for x := vt.Col(0); x < e.size.X; {
			cell := m.GetCell(vt.Coord{X: x, Y: y})
			if cell.C == "" {
				line.WriteByte(' ')
			} else {
				line.WriteString(cell.C)
			}
			x += vt.Col(max(1, cell.W))
		}
		s.Lines = append(s.Lines, strings.TrimRight(line.String(), " "))
	}
	for len(s.Lines) > 0 && s.Lines[len(s.Lines)-1] == "" {
		s.Lines = s.Lines[:len(s.Lines)-1]
	}
	return s
}

// Show returns the screens that a terminal shows while a text is written to it: at least one.
func Show(columns, lines int, written string) (screens []Screen) {
	e := newEmulator(columns, lines, func([]byte) {})
	defer e.stop()
	e.write([]byte(written), func() { screens = append(screens, e.look()) })
	return screens
}
