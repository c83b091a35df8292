package pipeline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/sourcegraph/jsonrpc2"
)

// NDJSON is a stream of newline-delimited JSON, one message a line (S-01). It
// is a [jsonrpc2.ObjectStream], for a Pipeline as well as for a jsonrpc2.Conn.
//
// It hands a line over as it is when it is asked for a *json.RawMessage: each
// line is judged alone, so a broken one costs only itself. Read from one
// goroutine at a time; writes may come from several.
type NDJSON struct {
	in  *bufio.Reader
	max int
	r   io.Reader
	w   io.Writer

	mu  sync.Mutex // guards out and w
	out []byte     // the line being written
}

// NewNDJSON returns a stream that reads lines from r, of at most max bytes each
// (0: no limit), and writes lines to w. Closing it closes r and w where they
// are io.Closers.
func NewNDJSON(r io.Reader, w io.Writer, max int) *NDJSON {
	return &NDJSON{in: bufio.NewReaderSize(r, 64<<10), max: max, r: r, w: w}
}

var _ jsonrpc2.ObjectStream = (*NDJSON)(nil)

// A LineError is a line that the stream refuses, while the stream goes on. The
// Pipeline answers it with Fault.
type LineError struct {
	Fault *jsonrpc2.Error
	Line  []byte // how it began
}

func (e *LineError) Error() string { return e.Fault.Message }

// ReadObject reads the next line into v. A *json.RawMessage takes the line as
// it is, without its newline, blank or broken as it may be; it is the caller's
// to keep. Any other v takes what the next line that is not blank decodes to.
// A line that is too long gets a *LineError and is skipped, at no more cost in
// memory than the limit (S-05). A last line without newline counts (S-04).
func (s *NDJSON) ReadObject(v any) error {
	for {
		line, err := s.readLine()
		if err != nil {
			return err
		}
		if raw, ok := v.(*json.RawMessage); ok {
			*raw = line
			return nil
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return jsonv2.Unmarshal(line, v, lenient)
		}
	}
}

func (s *NDJSON) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := s.in.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if err == nil {
			part = part[:len(part)-1]
		}
		if s.max > 0 && len(line)+len(part) > s.max {
			if line == nil {
				line = part
			}
			return nil, s.skip(line, full)
		}
		switch {
		case full:
			line = s.extend(line, part)
		case err == nil, errors.Is(err, io.EOF) && len(line)+len(part) > 0:
			return append(slices.Grow(line, len(part)), part...), nil
		default:
			return nil, err
		}
	}
}

// extend appends part, doubling the room but never past the limit.
func (s *NDJSON) extend(line, part []byte) []byte {
	if need := len(line) + len(part); need > cap(line) {
		room := 2 * need
		if s.max > 0 {
			room = min(room, s.max)
		}
		line = append(make([]byte, 0, max(room, need)), line...)
	}
	return append(line, part...)
}

// skip reads over the rest of a line that began with head, if there is more.
func (s *NDJSON) skip(head []byte, more bool) error {
	head = bytes.TrimSpace(bytes.Clone(head[:min(len(head), 200)]))
	for more {
		_, err := s.in.ReadSlice('\n')
		more = errors.Is(err, bufio.ErrBufferFull)
	}
	return &LineError{
		Fault: Errorf(jsonrpc2.CodeInvalidRequest, "invalid request: the line is longer than %d bytes", s.max),
		Line:  head,
	}
}

// WriteObject writes v as one line in one Write. A *json.RawMessage is written
// as it is; anything else is encoded.
func (s *NDJSON) WriteObject(v any) error {
	raw, ok := v.(*json.RawMessage)
	if !ok {
		b, err := jsonv2.Marshal(v, encoding)
		if err != nil {
			return fmt.Errorf("encode: %w", err)
		}
		raw = (*json.RawMessage)(&b)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = append(append(s.out[:0], *raw...), '\n')
	_, err := s.w.Write(s.out)
	if cap(s.out) > 1<<20 {
		s.out = nil
	}
	return err
}

// Close closes both sides that can be closed.
func (s *NDJSON) Close() error {
	var errs []error
	for _, side := range []any{s.r, s.w} {
		if c, ok := side.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
