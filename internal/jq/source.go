package jq

import (
	"bytes"
	"fmt"
	"io"
)

// A source is a text that is read piece by piece, with the place in it.
type source struct {
	name  string // of the file, or ""
	r     io.Reader
	buf   []byte
	pos   int // in buf, of the next byte
	lines int // newlines before pos
	start int // in buf, where the line of pos starts; negative if before buf
	err   error

	scratch []byte // for what may not be in buf as a whole
}

func newSource(name string, r io.Reader) *source {
	return &source{name: name, r: r, buf: make([]byte, 0, 1<<16)}
}

// more reads on when all of buf is used up, and reports whether there is a next byte.
func (s *source) more() bool {
	for s.pos >= len(s.buf) {
		if s.err != nil {
			return false
		}
		s.start -= len(s.buf)
		n, err := s.r.Read(s.buf[:cap(s.buf)])
		s.buf, s.pos, s.err = s.buf[:n], 0, err
	}
	return true
}

// newline notes that the byte before pos ended a line.
func (s *source) newline() {
	s.lines++
	s.start = s.pos
}

// fault is an error in the text, told with the place in the words of jq.
func (s *source) fault(message string) error {
	return fmt.Errorf("%s at line %d, column %d", message, s.lines+1, s.pos-s.start)
}

// faultAfter is an error about what the next byte, or the end of the text, ended.
func (s *source) faultAfter(message string) error {
	if !s.more() {
		return s.fault(message + " at EOF")
	}
	s.pos++
	if s.buf[s.pos-1] == '\n' {
		s.newline()
	}
	return s.fault(message)
}

// line returns the number of lines before pos, with the one that pos is in if, as far as
// is known, a newline ends it.
func (s *source) line() int {
	if s.pos > s.start && bytes.IndexByte(s.buf[s.pos:], '\n') >= 0 {
		return s.lines + 1
	}
	return s.lines
}

// failed returns the error of reading, if it was not just the end.
func (s *source) failed() error {
	if s.err == io.EOF {
		return nil
	}
	return s.err
}

// rawLine returns the next line without its newline.
func (s *source) rawLine() (string, error) {
	line := s.scratch[:0]
	defer func() { s.scratch = line }()
	for s.more() {
		rest := s.buf[s.pos:]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line = append(line, rest[:i]...)
			s.pos += i + 1
			s.newline()
			return validUTF8(line), nil
		}
		line = append(line, rest...)
		s.pos = len(s.buf)
	}
	if err := s.failed(); err != nil || len(line) == 0 {
		return "", s.err
	}
	return validUTF8(line), nil
}
