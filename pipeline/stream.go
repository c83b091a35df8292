package pipeline

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

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

	more atomic.Bool // what is written is about to be followed; see hold

	pen     wire        // guards w and what follows
	out     []byte      // what is being written, or held
	timer   *time.Timer // calls letGo; nil: nothing was held yet
	lingers bool        // it runs
	failed  error       // of what it has written
}

func newDuplex(r io.Reader, w io.Writer, max int) duplex {
	return duplex{in: bufio.NewReaderSize(r, 64<<10), max: max, r: r, w: w, pen: newWire()}
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

// writeObject writes v, framed by framed. A *json.RawMessage is taken as it is;
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
	d.pen.lock()
	defer d.pen.unlock()
	d.out = framed(d.out, *raw)
	return d.write()
}

// hold says whether more is about to be written: until it is not, messages leave together. One for whose followers
// something waits leaves after linger.
func (d *duplex) hold(more bool) { d.more.Store(more) }

const (
	linger  = time.Millisecond
	maxHeld = 4 << 10 // more lines than that gain little by being written together
)

// write writes what is in out, or holds it. The caller has the pen.
func (d *duplex) write() error {
	if err := d.failed; err != nil {
		d.failed = nil
		return err
	}
	if !d.more.Load() || len(d.out) >= maxHeld {
		return d.flush()
	}
	switch {
	case d.timer == nil:
		d.timer = time.AfterFunc(linger, d.letGo)
	case !d.lingers:
		d.timer.Reset(linger)
	}
	d.lingers = true
	return nil
}

// letGo writes what is held. An error is that of the next write.
func (d *duplex) letGo() {
	d.pen.lock()
	defer d.pen.unlock()
	d.lingers = false
	if len(d.out) > 0 {
		d.failed = d.flush()
	}
}

// flush writes what is in out. The caller has the pen.
func (d *duplex) flush() error {
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
	if d.pen.tryLock() { // else a write is stuck, which closing ends
		if len(d.out) > 0 {
			errs = append(errs, d.flush())
		}
		d.pen.unlock()
	}
	for _, side := range []any{d.r, d.w} {
		if c, ok := side.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}
