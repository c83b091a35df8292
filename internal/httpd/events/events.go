// Package events keeps what a server has written for its client until the client has it, and for
// a while after that, so that a stream whose connection broke is resumed where it ended.
//
// A [Log] belongs to a session and bounds what the session's streams hold together. Whoever reads
// a [Stream] sets the pace: where a stream is read, [Stream.Append] waits for room, as a write to a
// full pipe does. Where it is not read, because its connection broke, nobody waits for it, and
// its oldest events are lost first.
package events

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

var (
	// ErrUnknown is the error for an event that is not of this log, or no longer.
	ErrUnknown = errors.New("the event is not known, or no longer kept")
	// ErrClosed is the error of Append when the log is closed.
	ErrClosed = errors.New("the session has ended")
	// ErrTaken is the error of Next when another reader has taken the stream over.
	ErrTaken = errors.New("the stream was resumed by another request")
)

// overhead is about how many bytes an event takes in addition to its data.
const overhead = 128

// A Log holds the streams of one session. Its methods may be called from several goroutines.
type Log struct {
	max  int // bytes of all events
	keep int // bytes of those that were read

	mu      sync.Mutex
	held    int // bytes of all events
	read    int // bytes of those that were read
	streams map[string]*Stream
	order   []*event // all events, oldest first
	last    int      // number of the newest stream
	changed chan struct{}
	closed  bool
}

type event struct {
	stream *Stream
	number int
	data   []byte
	read   bool
}

// NewLog returns a log whose events take max bytes at most, of which those that were read take
// keep at most. A single event may be larger.
func NewLog(max, keep int) *Log {
	return &Log{max: max, keep: keep, streams: make(map[string]*Stream), changed: make(chan struct{})}
}

// A Stream is a sequence of events that one HTTP response carries, or several in turn.
type Stream struct {
	log    *Log
	id     string
	events []*event // those that are kept
	first  int      // the number of events[0]
	unread int      // the number of the first event that was not read
	reader *Reader  // nil where nobody reads
	ended  bool
}

// Open begins a stream.
func (l *Log) Open() *Stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	s := &Stream{log: l, id: strconv.Itoa(l.last), first: 1, unread: 1}
	l.streams[s.id] = s
	return s
}

// Close ends the log: all readers reach the end of what there is.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.wake()
}

// Held returns how many bytes all events take.
func (l *Log) Held() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// wake wakes all that wait for a change. l.mu is held.
func (l *Log) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// Append adds an event. It waits for room while the stream is read. Data must not change
// afterwards.
func (s *Stream) Append(data []byte) error { return s.append(data, false) }

// Finish adds the last event.
func (s *Stream) Finish(data []byte) error { return s.append(data, true) }

func (s *Stream) append(data []byte, last bool) error {
	l := s.log
	size := len(data) + overhead
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.room(size) && !l.closed {
		changed := l.changed
		l.mu.Unlock()
		<-changed
		l.mu.Lock()
	}
	if l.closed {
		return ErrClosed
	}
	e := &event{stream: s, number: s.first + len(s.events), data: data}
	s.events = append(s.events, e)
	l.order = append(l.order, e)
	l.held += size
	s.ended = s.ended || last
	l.wake()
	return nil
}

// room makes room for size bytes, and reports whether there is. Whatever is read is dropped for
// it, and what is unread in streams that nobody reads.
func (l *Log) room(size int) bool {
	for l.held > 0 && l.held+size > l.max {
		oldest := slices.IndexFunc(l.order, func(e *event) bool { return e.read || e.stream.reader == nil })
		if oldest < 0 {
			return false
		}
		l.drop(l.order[oldest])
	}
	return true
}

// drop forgets an event, and those of its stream before it.
func (l *Log) drop(last *event) {
	s := last.stream
	gone := s.events[:last.number-s.first+1]
	for _, e := range gone {
		l.held -= len(e.data) + overhead
		if e.read {
			l.read -= len(e.data) + overhead
		}
	}
	s.events, s.first = slices.Clone(s.events[len(gone):]), last.number+1
	l.order = slices.DeleteFunc(l.order, func(e *event) bool { return e.stream == s && e.number <= last.number })
	if s.ended && len(s.events) == 0 {
		delete(l.streams, s.id)
	}
}

// End ends the stream: nothing more is appended.
func (s *Stream) End() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.ended = true
	if len(s.events) == 0 {
		delete(s.log.streams, s.id)
	}
	s.log.wake()
}

// Drop ends the stream and forgets its events.
func (s *Stream) Drop() {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	s.ended = true
	if n := len(s.events); n > 0 {
		l.drop(s.events[n-1])
	}
	delete(l.streams, s.id)
	l.wake()
}

// Read returns a reader from the first event that was not read. It takes the stream over from the
// reader that there is.
func (s *Stream) Read() *Reader {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.readFrom(max(s.first, s.unread))
}

// Active reports whether somebody reads the stream.
func (s *Stream) Active() bool {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.reader != nil
}

func (s *Stream) readFrom(number int) *Reader {
	r := &Reader{stream: s, next: number}
	s.reader = r
	s.log.wake()
	return r
}

// Resume returns a reader of what follows an event that the client has, whose id is that of
// [Event]. It takes the stream over from the reader that there is.
func (l *Log) Resume(lastID string) (*Stream, *Reader, error) {
	stream, position, _ := strings.Cut(lastID, "-")
	number, err := strconv.Atoi(position)
	if err != nil || number < 0 {
		return nil, nil, fmt.Errorf("%w: %q", ErrUnknown, lastID)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.streams[stream]
	if s == nil || number+1 < s.first || number >= s.first+len(s.events) {
		return nil, nil, fmt.Errorf("%w: %q", ErrUnknown, lastID)
	}
	return s, s.readFrom(number + 1), nil
}

// An Event is one of a stream.
type Event struct {
	ID   string // unique in the session
	Data []byte
	Last bool // nothing follows
}

// First returns the id of an event before the first one, for clients to resume a stream of which
// they have got nothing yet.
func (s *Stream) First() string { return s.id + "-0" }

// A Reader reads a stream for one HTTP response. It must be used by one goroutine at a time.
type Reader struct {
	stream *Stream
	next   int
}

// Next waits for the next event. The error is io.EOF at the end of the stream, ErrTaken, or that
// of ctx. The event before counts as read when Next is called again.
func (r *Reader) Next(ctx context.Context) (Event, error) {
	s, l := r.stream, r.stream.log
	l.mu.Lock()
	defer l.mu.Unlock()
	r.markRead()
	for {
		switch {
		case s.reader != r:
			return Event{}, ErrTaken
		case r.next < s.first:
			return Event{}, ErrUnknown
		case r.next < s.first+len(s.events):
			e := s.events[r.next-s.first]
			r.next++
			return Event{
				ID:   s.id + "-" + strconv.Itoa(e.number),
				Data: e.data,
				Last: s.ended && r.next == s.first+len(s.events),
			}, nil
		case s.ended || l.closed:
			return Event{}, io.EOF
		}
		changed := l.changed
		l.mu.Unlock()
		select {
		case <-changed:
			l.mu.Lock()
		case <-ctx.Done():
			l.mu.Lock()
			return Event{}, context.Cause(ctx)
		}
	}
}

// markRead counts what was handed out as read. l.mu is held.
func (r *Reader) markRead() {
	s, l := r.stream, r.stream.log
	if s.reader != r || r.next <= s.first {
		return
	}
	e := s.events[min(r.next-s.first, len(s.events))-1]
	if e.read {
		return
	}
	e.read = true
	s.unread = e.number + 1
	l.read += len(e.data) + overhead
	for l.read > l.keep {
		oldest := slices.IndexFunc(l.order, func(e *event) bool { return e.read })
		l.drop(l.order[oldest])
	}
	l.wake()
}

// Close says that the response has ended. What follows waits for the one that resumes the stream.
func (r *Reader) Close() {
	l := r.stream.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.stream.reader == r {
		r.stream.reader = nil
		l.wake()
	}
}

// Position returns the id of the event before the next one, from which the stream can be resumed.
func (r *Reader) Position() string {
	r.stream.log.mu.Lock()
	defer r.stream.log.mu.Unlock()
	return r.stream.id + "-" + strconv.Itoa(r.next-1)
}
