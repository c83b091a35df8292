package pipeline

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/sourcegraph/jsonrpc2"
)

// NDJSON is a stream of newline-delimited JSON, one message a line (S-01). It
// is a [jsonrpc2.ObjectStream], for a Pipeline as well as for a jsonrpc2.Conn.
//
// It returns a line as it is into a *json.RawMessage: each line is judged alone, so a broken line
// does not affect others. Read from one goroutine at a time; writes may come from several.
type NDJSON struct{ duplex }

// NewNDJSON returns a stream that reads lines from r, of at most max bytes each
// (0: no limit), and writes lines to w. Closing it closes r and w where they
// are io.Closers.
func NewNDJSON(r io.Reader, w io.Writer, max int) *NDJSON {
	return &NDJSON{newDuplex(r, w, max)}
}

var _ jsonrpc2.ObjectStream = (*NDJSON)(nil)

// ReadObject reads the next line into v. A *json.RawMessage gets the line as it is, without its
// newline, even if it is blank or broken; it belongs to the caller. Any other v gets the decoded
// value of the next line that is not blank. For a line that is too long the error is a *LineError
// and the line is skipped, using no more memory than the limit (S-05). A last line without newline
// counts (S-04).
func (s *NDJSON) ReadObject(v any) error { return readObject(v, s.next) }

// WriteObject writes v as one line. A *json.RawMessage is written as it is; anything else is encoded.
func (s *NDJSON) WriteObject(v any) error {
	return s.writeObject(v, func(out, line []byte) []byte { return append(append(out, line...), '\n') })
}

// longLine is the length from which a line is written without being copied first.
const longLine = 32 << 10

// put writes a message.
func (s *NDJSON) put(m *Message) error {
	s.pen.lock()
	defer s.pen.unlock()
	if len(m.line) >= longLine && m.terminated() {
		if len(s.out) > 0 {
			if err := s.flush(); err != nil {
				return err
			}
		}
		_, err := s.w.Write(m.line[:len(m.line)+1])
		return err
	}
	s.out = append(m.appendTo(s.out), '\n')
	return s.write()
}

// buffered reports whether the next line has come.
func (s *NDJSON) buffered() bool {
	come, _ := s.in.Peek(s.in.Buffered())
	return bytes.IndexByte(come, '\n') >= 0
}

// next reads a line. Its parts are joined when its end has come, so that a line that is too long,
// which is skipped, takes the memory of the limit only once.
func (s *NDJSON) next() ([]byte, error) {
	var parts [][]byte
	size := 0
	for {
		part, err := s.in.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if err == nil {
			part = part[:len(part)-1]
		}
		if size += len(part); s.max > 0 && size > s.max {
			return nil, s.skip(append(parts, part), full)
		}
		switch {
		case full:
			parts = append(parts, bytes.Clone(part))
		case err == nil, errors.Is(err, io.EOF) && size > 0:
			if parts == nil {
				return bytes.Clone(part), nil
			}
			return slices.Concat(append(parts, part)...), nil
		default:
			return nil, err
		}
	}
}

// skip reads over the rest of a line that began with parts; more reports whether there is any.
func (s *NDJSON) skip(parts [][]byte, more bool) error {
	var long longLineReader
	for _, part := range parts {
		long.Write(part)
	}
	for more {
		part, err := s.in.ReadSlice('\n')
		more = errors.Is(err, bufio.ErrBufferFull)
		long.Write(part)
	}
	return long.refused(s.max)
}
