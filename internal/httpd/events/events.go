// Package events buffers a server's messages until its client has received them, and for a while after
// that, so that a stream whose connection broke can be resumed where it ended.
//
// A [Log] belongs to a session and bounds the total size of the session's streams. The reader of a
// [Stream] sets the pace: while a stream is being read, [Stream.Append] waits for room, as a write to a
// full pipe does. While it is not being read, because its connection broke, Append does not wait: if
// there is no room, the stream that has not been read for the longest time loses its oldest events. No
// operation takes longer the more events there are, as a session may have many small ones.
package events

import (
	"container/list"
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
	// ErrUnknown is the error for an event that is not in this log, or not any more.
	ErrUnknown = errors.New("the event is not known, or no longer kept")
	// ErrClosed is the error of Append after the stream has ended or the log was closed.
	ErrClosed = errors.New("the stream has ended")
	// ErrTaken is the error of Next after another reader took over the stream.
	ErrTaken = errors.New("the stream was resumed by another request")
)

// overhead is the approximate memory of an event in bytes, without its data.
const overhead = 128

// A Log holds the streams of one session. Its methods may be called from several goroutines.
type Log struct {
	max  int // bytes of all events
	keep int // bytes of those already read

	mu      sync.Mutex
	held    int // bytes of all events
	read    int // bytes of those already read
	streams map[string]*Stream
	sent    list.List // of *event: those already read, in the order in which they were read
	idle    list.List // of *Stream: those without a reader, in the order in which they lost it
	last    int       // number of the newest stream
	over    []string  // the last streams that were ended before they were finished, and are gone
	changed chan struct{}
	closed  bool
}

type event struct {
	stream *Stream
	number int
	data   []byte
	sent   *list.Element // in Log.sent, nil if it was not read
}

func (e *event) size() int { return len(e.data) + overhead }

// NewLog returns a log whose events take at most max bytes, of which those already read take at most
// keep. A single event may be larger.
func NewLog(max, keep int) *Log {
	return &Log{max: max, keep: keep, streams: make(map[string]*Stream), changed: make(chan struct{})}
}

// A Stream is a sequence of events that one HTTP response carries, or several in turn.
type Stream struct {
	log    *Log
	id     string
	events []*event      // those still kept
	first  int           // the number of events[0]
	unread int           // the number of the first unread event
	reader *Reader       // nil if there is none
	idle   *list.Element // in Log.idle, nil if there is a reader
	ended  bool
	early  bool // it was ended before it was finished
}

// Open opens a new stream.
func (l *Log) Open() *Stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	s := &Stream{log: l, id: strconv.Itoa(l.last), first: 1, unread: 1}
	l.streams[s.id] = s
	s.idle = l.idle.PushBack(s)
	return s
}

// Close closes the log: readers get the events that there are, and then the end of their streams.
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

// wake wakes all goroutines that wait for a change. l.mu is held.
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
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &event{stream: s, data: data}
	for !s.ended && !l.closed && !l.room(e.size()) {
		changed := l.changed
		l.mu.Unlock()
		<-changed
		l.mu.Lock()
	}
	if s.ended || l.closed {
		return ErrClosed
	}
	e.number = s.first + len(s.events)
	s.events = append(s.events, e)
	l.held += e.size()
	s.ended = s.ended || last
	l.wake()
	return nil
}

// room makes room for size bytes, and reports whether there is enough. It drops events that were
// read, and then unread events of streams without a reader.
func (l *Log) room(size int) bool {
	for l.held > 0 && l.held+size > l.max {
		e := l.expendable()
		if e == nil {
			return false
		}
		l.drop(e)
	}
	return true
}

// expendable returns the event to drop first, nil if all are still needed.
func (l *Log) expendable() *event {
	if first := l.sent.Front(); first != nil {
		return first.Value.(*event)
	}
	for at := l.idle.Front(); at != nil; at = at.Next() {
		if s := at.Value.(*Stream); len(s.events) > 0 {
			return s.events[0]
		}
	}
	return nil
}

// drop removes an event, and those of its stream before it.
func (l *Log) drop(last *event) {
	s := last.stream
	gone := s.events[:last.number-s.first+1]
	for i, e := range gone {
		gone[i] = nil // the array outlives it
		l.held -= e.size()
		if e.sent != nil {
			l.read -= e.size()
			l.sent.Remove(e.sent)
		}
	}
	s.events, s.first = s.events[len(gone):], last.number+1
	s.forgetIfOver()
}

// forgetIfOver removes a stream that has ended and has no events.
func (s *Stream) forgetIfOver() {
	if s.ended && len(s.events) == 0 {
		delete(s.log.streams, s.id)
		if s.early {
			s.log.over = append(s.log.over[max(0, len(s.log.over)-maxOver+1):], s.id)
		}
		s.setReader(s.reader)
	}
}

// maxOver is how many streams are remembered that are gone because their calls were cancelled.
const maxOver = 64

// setReader changes the reader. A stream that the log still has and that nobody reads is idle.
func (s *Stream) setReader(r *Reader) {
	l := s.log
	s.reader = r
	switch idle := r == nil && l.streams[s.id] == s; {
	case idle && s.idle == nil:
		s.idle = l.idle.PushBack(s)
	case !idle && s.idle != nil:
		l.idle.Remove(s.idle)
		s.idle = nil
	}
}

// End ends the stream: nothing more is appended, and who resumes it is told no more than that.
func (s *Stream) End() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.early = s.early || !s.ended
	s.ended = true
	s.forgetIfOver()
	s.log.wake()
}

// Drop ends the stream and removes its events.
func (s *Stream) Drop() {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	s.ended = true
	if n := len(s.events); n > 0 {
		l.drop(s.events[n-1])
	}
	s.forgetIfOver()
	l.wake()
}

// Read returns a reader that begins at the first unread event. It takes over the stream from the
// current reader, if any.
func (s *Stream) Read() *Reader {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.readFrom(max(s.first, s.unread))
}

// ReadNext waits until nobody reads the stream, and then returns what Read does. The error is that of ctx.
func (s *Stream) ReadNext(ctx context.Context) (*Reader, error) {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	for s.reader != nil && !s.ended && !l.closed {
		if err := l.wait(ctx); err != nil {
			return nil, err
		}
	}
	return s.readFrom(max(s.first, s.unread)), nil
}

// wait waits for a change, or for ctx, whose error it returns. l.mu is held before and after.
func (l *Log) wait(ctx context.Context) error {
	changed := l.changed
	l.mu.Unlock()
	defer l.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Active reports whether the stream has a reader.
func (s *Stream) Active() bool {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.reader != nil
}

func (s *Stream) readFrom(number int) *Reader {
	r := &Reader{stream: s, next: number}
	s.setReader(r)
	s.log.wake()
	return r
}

// Resume returns a reader that begins after an event that the client has; lastID is its [Event.ID].
// The reader takes over the stream from the current reader, if any.
func (l *Log) Resume(lastID string) (*Stream, *Reader, error) {
	stream, position, _ := strings.Cut(lastID, "-")
	number, err := strconv.Atoi(position)
	if err != nil || number < 0 {
		return nil, nil, fmt.Errorf("%w: %q", ErrUnknown, lastID)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.streams[stream]
	if s == nil && slices.Contains(l.over, stream) {
		s = &Stream{log: l, id: stream, first: number + 1, ended: true}
	}
	if s == nil || number+1 < s.first || number >= s.first+len(s.events) {
		return nil, nil, fmt.Errorf("%w: %q", ErrUnknown, lastID)
	}
	return s, s.readFrom(number + 1), nil
}

// An Event is an event of a stream.
type Event struct {
	ID   string // unique in the session
	Data []byte
	Last bool // it ends the stream
}

// First returns an event id that precedes the first event, with which clients resume a stream of
// which they have received nothing yet.
func (s *Stream) First() string { return s.id + "-0" }

// A Reader reads a stream for one HTTP response. It must be used by one goroutine at a time.
type Reader struct {
	stream *Stream
	next   int
}

// Next waits for the next event. The error is io.EOF at the end of the stream, ErrTaken, or ctx.Err().
// An event counts as read when Next is called again.
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
		if err := l.wait(ctx); err != nil {
			return Event{}, err
		}
	}
}

// markRead marks the events that were returned as read. l.mu is held.
func (r *Reader) markRead() {
	s, l := r.stream, r.stream.log
	if s.reader != r || r.next <= s.first {
		return
	}
	e := s.events[min(r.next-s.first, len(s.events))-1]
	if e.sent != nil {
		return
	}
	e.sent = l.sent.PushBack(e)
	s.unread = e.number + 1
	l.read += e.size()
	for l.read > l.keep {
		l.drop(l.sent.Front().Value.(*event))
	}
	l.wake()
}

// Close ends reading when the response has ended. Further events wait until the stream is resumed.
func (r *Reader) Close() {
	l := r.stream.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.stream.reader == r {
		r.stream.setReader(nil)
		l.wake()
	}
}

// Position returns the id of the event before the next one, with which the stream can be resumed.
func (r *Reader) Position() string {
	r.stream.log.mu.Lock()
	defer r.stream.log.mu.Unlock()
	return r.stream.id + "-" + strconv.Itoa(r.next-1)
}
