package pipeline

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A LineError is a line that the stream refuses, while the stream continues. The Pipeline answers
// it with Fault.
type LineError struct {
	Fault *jsonrpc2.Error
	Line  []byte // its beginning

	id       ID   // if it could be read
	response bool // it was meant as one
}

func (e *LineError) Error() string { return e.Fault.Message }

// duplex is the common part of our streams: both sides, and the encoding of values to lines. Read
// from one goroutine at a time; writes may come from several.
type duplex struct {
	in  *bufio.Reader
	max int // of a line; 0: no limit
	r   io.Reader
	w   io.Writer

	mu  sync.Mutex // guards out and w
	out []byte     // the line being written
}

func newDuplex(r io.Reader, w io.Writer, max int) duplex {
	return duplex{in: bufio.NewReaderSize(r, 64<<10), max: max, r: r, w: w}
}

// readObject reads a line into v; see [NDJSON.ReadObject].
func readObject(v any, next func() ([]byte, error)) error {
	for {
		line, err := next()
		if err != nil {
			return err
		}
		if raw, ok := v.(*json.RawMessage); ok {
			*raw = line
			return nil
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return json.Unmarshal(line, v, json.Lenient)
		}
	}
}

// writeObject writes v, framed by framed, in one Write. A *json.RawMessage is taken as it is;
// anything else is encoded.
func (d *duplex) writeObject(v any, framed func(out, line []byte) []byte) error {
	raw, ok := v.(*json.RawMessage)
	if !ok {
		b, err := json.Marshal(v, encoding)
		if err != nil {
			return fmt.Errorf("encode: %w", err)
		}
		raw = (*json.RawMessage)(&b)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.out = framed(d.out, *raw)
	return d.write()
}

// write writes what is in out. d.mu is held.
func (d *duplex) write() error {
	_, err := d.w.Write(d.out)
	d.out = d.out[:0]
	if cap(d.out) > maxScratch {
		d.out = nil
	}
	return err
}

// Close closes both sides that can be closed.
func (d *duplex) Close() error {
	var errs []error
	for _, side := range []any{d.r, d.w} {
		if c, ok := side.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
