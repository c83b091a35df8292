// Package screen is a terminal with an input line that stays below the output.
package screen

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// Options are the prompt and the actions of keys.
type Options struct {
	// Prompt precedes the input line, until another prompt is set.
	Prompt string
	// Complete is called for the tab key, with the line before the cursor. It returns
	// what can replace the last word, and where that begins.
	Complete func(typed string) (words []string, from int)
	// Interrupt is called for ctrl-c. If it returns false, the line is cleared, and the input ends
	// if the line was empty.
	Interrupt func() bool
}

// A Screen is a terminal with an input line. It is safe for concurrent use.
type Screen struct {
	terminal *term.Terminal
	out      *os.File
	restore  func() error
	lines    chan string

	mu     sync.Mutex
	typed  typed
	prompt string
	asked  string // an incomplete line of the output: the prompt until it is answered
	row    string // what the terminal shows of the prompt and the line; empty if that is unknown
	cursor int    // its column
	closed bool
}

// typedAhead is how many lines can be typed before they are read.
const typedAhead = 1 << 10

// Open opens the terminal that is read from in and written to out. It must be closed.
func Open(in, out *os.File, o Options) (*Screen, error) {
	fd := int(in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	Escapes(out)
	s := &Screen{
		out:     out,
		restore: func() error { return term.Restore(fd, before) },
		lines:   make(chan string, typedAhead),
		prompt:  o.Prompt,
	}
	s.terminal = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{&keys{in, o.Interrupt}, echo{s}}, "")
	if err := s.terminal.SetSize(endless, 1); err != nil {
		return nil, errors.Join(err, s.restore())
	}
	s.terminal.AutoCompleteCallback = func(line string, at int, key rune) (string, int, bool) {
		if key != '\t' || o.Complete == nil {
			return "", 0, false
		}
		typed, shown := complete(line[:at], o.Complete)
		if shown != "" {
			_, _ = s.Write([]byte(shown + "\n"))
		}
		return typed + line[at:], len(typed), true
	}
	stop := Resized(s.resized)
	restore := s.restore
	s.restore = func() error { stop(); return restore() }
	s.resized()
	go s.read()
	return s, nil
}

// endless is the width of the terminal that the line editor is given.
const endless = 1 << 20

// Close restores the terminal.
func (s *Screen) Close() error {
	s.mu.Lock()
	s.closed = true
	_, _ = io.WriteString(s.out, clearRow) // otherwise the prompt would remain
	s.mu.Unlock()
	return s.restore()
}

// Lines returns the typed lines. The channel is closed by ctrl-d.
func (s *Screen) Lines() <-chan string { return s.lines }

// Prompt sets what precedes the input line. It must not be empty.
func (s *Screen) Prompt(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt = text
	s.show("")
}

// Write writes lines above the input line. Text after the last line end becomes the prompt
// until it is answered, such as a question.
func (s *Screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	whole := bytes.LastIndexByte(b, '\n') + 1
	above := ""
	if whole > 0 {
		above, s.asked = s.asked+string(b[:whole]), ""
	}
	s.asked += string(b[whole:])
	if width := uniseg.StringWidth(s.asked); width > s.columns()/2 { // there is no room to answer beside it
		above, s.asked = above+s.asked+"\n", s.prompt
	}
	return len(b), s.show(above)
}

const (
	clearRow = "\r\x1b[J"
	clearAll = "\x1b[2J\x1b[H"
)

// show writes lines above the row with the prompt and the input line, and redraws that row. The
// row is always a single line, so that nothing of it can remain. s.mu is held.
func (s *Screen) show(above string) error {
	above = strings.ReplaceAll(above, "\n", "\r\n")
	if s.closed {
		_, err := io.WriteString(s.out, above)
		return err
	}
	// A terminal that has become narrower has wrapped the row into several lines; those before the
	// line with the cursor are cleared too.
	columns := s.columns()
	if up := s.cursor / columns; up > 0 {
		above = fmt.Sprintf("\x1b[%dA", up) + clearRow + above
	}
	row, cursor := s.typed.row(s.before(), columns-1) // some terminals go to the next line after the last column
	if above == "" && row == s.row && cursor == s.cursor {
		return nil
	}
	s.row, s.cursor = row, cursor
	_, err := io.WriteString(s.out, clearRow+above+row+right(cursor))
	return err
}

// right returns the sequence that moves the cursor from anywhere in its row to a column.
func right(column int) string {
	if column == 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dC", column)
}

// before returns what precedes the input line. s.mu is held.
func (s *Screen) before() string {
	if s.asked != "" {
		return s.asked
	}
	return s.prompt
}

func (s *Screen) columns() int {
	columns, _, err := term.GetSize(int(s.out.Fd()))
	if err != nil || columns <= 0 {
		return 80
	}
	return columns
}

// resized redraws the row for a new size.
func (s *Screen) resized() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.row = ""
	_ = s.show("") // a terminal that is gone ends the reading too
}

// echo is the writer of the line editor.
type echo struct{ *Screen }

func (e echo) Write(b []byte) (int, error) {
	s := e.Screen
	s.mu.Lock()
	defer s.mu.Unlock()
	entered := s.typed.echo(b)
	if bytes.Contains(b, []byte(clearAll)) { // ctrl-l
		_, _ = io.WriteString(s.out, clearAll) // a terminal that is gone ends the reading too
		s.row = ""
	}
	if !entered {
		return len(b), s.show("")
	}
	line := s.before() + s.typed.String() + "\n" // all of it, to be read later
	s.typed, s.asked = typed{}, ""
	return len(b), s.show(line)
}

func (s *Screen) read() {
	defer close(s.lines)
	for {
		line, err := s.terminal.ReadLine()
		if err != nil && err != term.ErrPasteIndicator {
			return
		}
		s.lines <- line
	}
}

// complete returns the line before the cursor, completed with the common prefix of all words; if
// that adds nothing, it also returns the words, to be shown.
func complete(typed string, words func(string) ([]string, int)) (line, shown string) {
	all, from := words(typed)
	if len(all) == 0 {
		return typed, ""
	}
	common := all[0]
	for _, w := range all[1:] {
		for !strings.HasPrefix(w, common) {
			_, size := utf8.DecodeLastRuneInString(common)
			common = common[:len(common)-size]
		}
	}
	line = typed[:from] + common
	if len(all) == 1 && !strings.HasSuffix(common, "=") {
		line += " "
	}
	if line == typed {
		shown = strings.Join(all, "  ")
	}
	return line, shown
}

// keys translates keys to what people expect: the editor would end the input for ctrl-c.
type keys struct {
	io.Reader
	interrupt func() bool
}

const (
	ctrlC, ctrlD = '\x03', '\x04'

	// emptyLine clears the line, and ends the input if the line is empty: ctrl-d, then move to the
	// end, and remove everything before it.
	emptyLine = "\x04\x05\x15"
)

func (k *keys) Read(b []byte) (int, error) {
	half := b[:max(1, len(b)/len(emptyLine))] // leaves room for the replacement of ctrl-c
	n, err := k.Reader.Read(half)
	read := half[:n]
	if bytes.IndexByte(read, '\x1b') >= 0 {
		read = []byte(homeAndEnd.Replace(string(read)))
	}
	var all []byte
	for _, c := range read {
		switch {
		case c != ctrlC:
			all = append(all, c)
		case k.interrupt == nil || !k.interrupt():
			all = append(all, emptyLine...)
		}
	}
	return copy(b, all), err
}

// homeAndEnd translates what some terminals send for these keys into what the editor knows.
var homeAndEnd = strings.NewReplacer(
	"\x1b[1~", "\x01", "\x1b[7~", "\x01", "\x1bOH", "\x01", "\x1b[4~", "\x05", "\x1b[8~", "\x05", "\x1bOF", "\x05")
