// Package screen is a terminal with a line to type in that stays below what is written.
package screen

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// Options say what is shown at first, and what keys do.
type Options struct {
	// Prompt stands before the line that is typed, until another is set.
	Prompt string
	// Complete is called for the tab key, with the line before the cursor. It returns
	// what can stand there in the place of the last word, and where that begins.
	Complete func(typed string) (words []string, from int)
	// Interrupt is called for ctrl-c. Where it returns false, the line is emptied, and the input
	// ends if it was empty.
	Interrupt func() bool
}

// A Screen is safe for concurrent use.
type Screen struct {
	terminal *term.Terminal
	restore  func() error
	lines    chan string

	mu     sync.Mutex
	prompt string
	asked  string // the beginning of a line that was written: the prompt until it is answered
}

// typedAhead is how many lines can be typed before they are read.
const typedAhead = 1 << 10

// Open takes the terminal that is read from in and written to out. Close it.
func Open(in, out *os.File, o Options) (*Screen, error) {
	fd := int(in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	Escapes(out)
	s := &Screen{
		restore: func() error { return term.Restore(fd, before) },
		lines:   make(chan string, typedAhead),
		prompt:  o.Prompt,
	}
	s.terminal = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{&keys{in, o.Interrupt}, out}, o.Prompt)
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
	s.fit(out)
	stop := Resized(func() { s.fit(out) })
	restore := s.restore
	s.restore = func() error { stop(); return restore() }
	go s.read()
	return s, nil
}

// Close gives the terminal back as it was.
func (s *Screen) Close() error {
	s.mu.Lock()
	s.prompt, s.asked = "", ""
	s.show() // they would stay behind
	s.mu.Unlock()
	return s.restore()
}

// Lines are what is typed. The channel is closed by ctrl-d.
func (s *Screen) Lines() <-chan string { return s.lines }

// Prompt says what stands before the line that is typed; not nothing.
func (s *Screen) Prompt(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt = text
	s.show()
}

// Write writes lines above the one that is typed. What follows the last end of a line
// stands before that line until it is answered, as a question does.
func (s *Screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	whole := bytes.LastIndexByte(b, '\n') + 1
	if whole > 0 {
		if _, err := s.terminal.Write([]byte(s.asked + string(b[:whole]))); err != nil {
			return 0, err
		}
		s.asked = ""
	}
	s.asked += string(b[whole:])
	s.show()
	return len(b), nil
}

// show draws the prompt. s.mu is held.
func (s *Screen) show() {
	text := s.prompt
	if s.asked != "" {
		text = s.asked
	}
	s.terminal.SetPrompt(text)
	_, _ = s.terminal.Write(nil) // draws the line anew; a terminal that is gone ends the reading too
}

func (s *Screen) read() {
	defer close(s.lines)
	for {
		line, err := s.terminal.ReadLine()
		if err != nil && err != term.ErrPasteIndicator {
			return
		}
		s.mu.Lock()
		s.asked = ""
		s.terminal.SetPrompt(s.prompt)
		s.mu.Unlock()
		s.lines <- line
	}
}

func (s *Screen) fit(out *os.File) {
	if columns, lines, err := term.GetSize(int(out.Fd())); err == nil && columns > 0 {
		_ = s.terminal.SetSize(columns, lines) // as all that is drawn
	}
}

// complete returns the line before the cursor with what all words have in common; where
// that is nothing new, also the words, to be shown.
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

// keys gives ctrl-c a meaning: the library ends the input with it.
type keys struct {
	io.Reader
	interrupt func() bool
}

const (
	// CtrlC and CtrlD are keys.
	CtrlC, CtrlD = '\x03', '\x04'

	// emptyLine empties the line, and ends the input where it is empty already: ctrl-d, to the
	// end, and remove what is before it.
	emptyLine = "\x04\x05\x15"
)

func (k *keys) Read(b []byte) (int, error) {
	half := b[:max(1, len(b)/len(emptyLine))] // there is room for what ctrl-c becomes
	n, err := k.Reader.Read(half)
	if bytes.IndexByte(half[:n], CtrlC) < 0 {
		return n, err
	}
	var all []byte
	for _, c := range half[:n] {
		switch {
		case c != CtrlC:
			all = append(all, c)
		case k.interrupt == nil || !k.interrupt():
			all = append(all, emptyLine...)
		}
	}
	return copy(b, all), err
}
