package jq

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// A reader reads the values of a file or the standard input.
type reader struct {
	*options
	name string // of the file, "" for the standard input
	in   *source

	json   *json.Decoder
	events gojq.Iter // of --stream: the remaining events of a value

	lines    *bufio.Reader // for -R, instead of json
	returned int           // number of lines returned
}

func newReader(name string, in io.Reader, o *options) *reader {
	r := &reader{options: o, name: name, in: &source{in: bufio.NewReaderSize(in, 1<<16), sequence: o.seq}}
	r.json = json.NewDecoder(r.in)
	r.json.UseNumber()
	if o.rawInput {
		r.lines = bufio.NewReader(r.in)
	}
	return r
}

// next returns the next value, or io.EOF.
func (r *reader) next() (v any, err error) {
	if r.lines != nil {
		line, err := r.lines.ReadString('\n')
		if err != nil && (err != io.EOF || line == "") {
			return nil, err
		}
		if r.returned++; !r.slurp {
			line = strings.TrimSuffix(line, "\n")
		}
		return validUTF8(line), nil
	}
	for {
		if r.events != nil {
			if event, ok := r.events.Next(); ok {
				return event, nil
			}
		}
		if err := r.json.Decode(&v); err != nil {
			return nil, err
		}
		if !r.stream {
			return v, nil
		}
		r.events, v = toStream().Run(v), nil
	}
}

// toStream returns the filter that converts a value to the events of --stream.
var toStream = sync.OnceValue(func() *gojq.Code {
	filter, _ := gojq.Parse("tostream") // always valid
	code, _ := gojq.Compile(filter)
	return code
})

// fault returns an error of next with its line if it means that the input is not JSON, else nil.
func (r *reader) fault(err error) error {
	offset := r.in.bytes
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = max(r.json.InputOffset(), syntax.Offset-1)
	} else if err != io.ErrUnexpectedEOF {
		return nil
	}
	err = fmt.Errorf("%w at line %d", err, 1+r.in.lines-r.newlinesFrom(offset))
	if r.name != "" {
		err = fmt.Errorf("%w of %s", err, r.name)
	}
	return err
}

// newlinesFrom counts the newlines in the bytes that are read but not decoded, from an offset on.
func (r *reader) newlinesFrom(offset int64) int {
	buffered, _ := io.ReadAll(r.json.Buffered()) // from memory
	return strings.Count(string(buffered[min(offset-r.json.InputOffset(), int64(len(buffered))):]), "\n")
}

// line returns the number of lines that are read, 0 without a file. The line of the last value
// counts if its newline has been read.
func (r *reader) line() int {
	switch {
	case r == nil:
		return 0
	case r.lines != nil:
		return r.returned
	}
	return r.in.lines - max(r.newlinesFrom(r.json.InputOffset())-1, 0)
}

// A source is the input of a reader, without byte order mark and the separators of --seq.
type source struct {
	in       io.Reader
	sequence bool
	bytes    int64 // number of bytes read
	lines    int   // number of newlines in them
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
	return n, err
}

// validUTF8 returns s with U+FFFD in place of each byte that is not UTF-8.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
