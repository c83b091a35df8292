package jq

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A reader reads one value after the other from a file or the standard input.
type reader struct {
	name string // of the file, "" for the standard input
	next func() (any, error)
	in   *source

	json     *json.Decoder
	position // of json, for --stream

	raw      *bufio.Reader // of -R, in place of json
	rawLines int           // that raw has returned
}

func newReader(name string, in io.Reader, o *options) *reader {
	r := &reader{name: name, in: &source{in: bufio.NewReaderSize(in, 1<<16), sequence: o.seq}}
	if o.rawInput {
		r.raw, r.next = bufio.NewReader(r.in), r.rawLine
		return r
	}
	r.json, r.next = json.NewDecoder(r.in), r.value
	r.json.UseNumber()
	if o.stream {
		r.next = r.event
	}
	return r
}

// value returns the next value, or io.EOF.
func (r *reader) value() (v any, err error) {
	if err := r.json.Decode(&v); err != nil {
		return nil, r.fault(err)
	}
	return v, nil
}

func (r *reader) rawLine() (any, error) {
	line, err := r.raw.ReadString('\n')
	if err != nil && (err != io.EOF || line == "") {
		return nil, err
	}
	r.rawLines++
	return validUTF8(strings.TrimSuffix(line, "\n")), nil
}

// rest returns what -R has not returned yet.
func (r *reader) rest() (string, error) {
	rest, err := io.ReadAll(r.raw)
	return validUTF8(string(rest)), err
}

// fault returns an error of the decoder with the line that it is in.
func (r *reader) fault(err error) error {
	if err == io.EOF || r.in.failedWith(err) {
		return err
	}
	offset := r.json.InputOffset()
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = max(offset, syntax.Offset-1)
	} else if errors.Is(err, io.ErrUnexpectedEOF) {
		offset = r.in.bytes
	}
	err = fmt.Errorf("%w at line %d", err, 1+r.in.lines-strings.Count(r.ahead(offset), "\n"))
	if r.name != "" {
		err = fmt.Errorf("%w of %s", err, r.name)
	}
	return err
}

// ahead returns what is read but not decoded, from an offset on.
func (r *reader) ahead(offset int64) string {
	buffered, _ := io.ReadAll(r.json.Buffered()) // from memory
	return string(buffered[min(offset-r.json.InputOffset(), int64(len(buffered))):])
}

// line returns the number of lines that are read: the one that the last value is in counts
// if, as far as is known, a newline ends it.
func (r *reader) line() int {
	if r.raw != nil {
		return r.rawLines
	}
	ahead := strings.Count(r.ahead(r.json.InputOffset()), "\n")
	return r.in.lines - max(ahead-1, 0)
}

// A source is what a reader reads from, without its byte order mark and the separators of
// --seq.
type source struct {
	in       io.Reader
	sequence bool
	bytes    int64 // that are read
	lines    int   // newlines in them
	err      error
}

const recordSeparator = '\x1e'

func (s *source) Read(b []byte) (int, error) {
	n, err := s.in.Read(b)
	if s.bytes == 0 {
		n = copy(b, strings.TrimPrefix(string(b[:n]), "\ufeff"))
	}
	for i, c := range b[:n] {
		switch {
		case c == '\n':
			s.lines++
		case c == recordSeparator && s.sequence:
			b[i] = ' '
		}
	}
	s.bytes += int64(n)
	s.err = err
	return n, err
}

// failedWith reports whether err is that of reading, and not just the end.
func (s *source) failedWith(err error) bool {
	return s.err != nil && s.err != io.EOF && errors.Is(err, s.err)
}

// validUTF8 returns s with U+FFFD for each byte that is not UTF-8.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
