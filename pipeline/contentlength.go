package pipeline

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/sourcegraph/jsonrpc2"
)

// ContentLength is a stream of messages behind a header with their length, as in the Language
// Server Protocol:
//
//	Content-Length: 40
//
//	{"jsonrpc":"2.0","id":1,"method":"ping"}
//
// It reads and writes the format of jsonrpc2's VSCodeObjectCodec. Unlike that it returns a message
// as it is into a *json.RawMessage, so that a message that is not JSON does not affect others. Read
// from one goroutine at a time; writes may come from several.
type ContentLength struct{ duplex }

// NewContentLength returns a stream that reads messages of at most max bytes
// each (0: no limit) from r and writes messages to w. Closing it closes r and w
// where they are io.Closers.
func NewContentLength(r io.Reader, w io.Writer, max int) *ContentLength {
	return &ContentLength{newDuplex(r, w, max)}
}

var _ jsonrpc2.ObjectStream = (*ContentLength)(nil)

// ReadObject reads the next message into v, as [NDJSON.ReadObject] does. A header without a length,
// or an end of the input within a message, is an error after which nothing can be read.
func (s *ContentLength) ReadObject(v any) error { return readObject(v, s.next) }

// WriteObject writes v with its header in one Write. A *json.RawMessage is
// written as it is; anything else is encoded.
func (s *ContentLength) WriteObject(v any) error {
	return s.writeObject(v, func(out, line []byte) []byte {
		return append(fmt.Appendf(out, "Content-Length: %d\r\n\r\n", len(line)), line...)
	})
}

// next reads a header and the message behind it.
func (s *ContentLength) next() ([]byte, error) {
	size, err := s.header()
	if err != nil {
		return nil, err
	}
	if s.max > 0 && size > uint64(s.max) {
		var long longLineReader
		if _, err := io.CopyN(&long, s.in, int64(size)); err != nil {
			return nil, unexpected(err)
		}
		return nil, long.refused(s.max)
	}
	var line bytes.Buffer // grows with what comes, not with the announced length
	if _, err := io.CopyN(&line, s.in, int64(size)); err != nil {
		return nil, unexpected(err)
	}
	return line.Bytes(), nil
}

// header reads the lines of a header up to the blank line and returns the length in it. At the end
// of the input before a header it returns io.EOF.
func (s *ContentLength) header() (size uint64, err error) {
	for known, first := false, true; ; first = false {
		line, err := s.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return 0, errors.New("a line of the header is too long")
		case first && len(line) == 0:
			return 0, err
		case err != nil:
			return 0, unexpected(err)
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if !known {
				return 0, errors.New("header without Content-Length")
			}
			return size, nil
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			return 0, fmt.Errorf("%.100q is not a header", line)
		}
		if bytes.EqualFold(name, []byte("Content-Length")) {
			text := string(bytes.TrimSpace(value))
			if size, err = strconv.ParseUint(text, 10, 63); err != nil {
				return 0, fmt.Errorf("Content-Length: %.100q is not a length", text)
			}
			known = true
		}
	}
}

// unexpected makes io.EOF an error, since more was announced.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("the input ends within a message")
	}
	return err
}
