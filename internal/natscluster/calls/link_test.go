package calls

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/matryer/is"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

func TestWhatTheOtherSideSaysShowsThatMessagesAreMissing(t *testing.T) {
	for _, c := range []struct {
		name           string
		sent, received uint64 // here
		over           bool
		theirs         uint64
		known, missing bool
	}{
		{"all has arrived", 1, 3, false, 3, true, false},
		{"more has arrived since it said so", 1, 3, false, 2, true, false},
		{"one is missing", 1, 3, false, 4, true, true},
		{"it does not know the call yet", 0, 0, false, 0, false, false},
		{"it has forgotten the call, and its last message is missing", 1, 3, false, 0, false, true},
		{"it has forgotten the call, and its last message is here", 1, 3, true, 0, false, false},
		{"it has forgotten a call that was only begun", 1, 0, false, 0, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			l := &link{sent: c.sent, received: c.received, over: c.over}
			is.Equal(l.misses(c.theirs, c.known), c.missing)
		})
	}
}

// peers returns two connected peers.
func peers(t *testing.T) (one, other *peer) {
	t.Helper()
	is := is.New(t)
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoLog: true, NoSigs: true})
	is.NoErr(err)
	go s.Start()
	t.Cleanup(s.Shutdown)
	is.True(s.ReadyForConnections(time.Minute))
	all := make([]*peer, 2)
	for i := range all {
		conn, err := nats.Connect(s.ClientURL())
		is.NoErr(err)
		t.Cleanup(conn.Close)
		all[i], err = newPeer(Options{Conn: conn, Cluster: "test", Name: "peer", Beat: 20 * time.Millisecond, Log: slog.New(slog.DiscardHandler)}, []string{"r", "w"}[i], nil)
		is.NoErr(err)
		t.Cleanup(all[i].close)
		is.NoErr(conn.Flush()) // the other peer may send now
	}
	return all[0], all[1]
}

func TestACallOfWhichAMessageIsLostEndsOnBothSides(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	one, other := peers(t)
	mine, theirs := one.link("CALL", other.address), other.link("CALL", one.address)
	is.NoErr(mine.send(t.Context(), kindLog, "first"))
	m, err := theirs.next(t.Context())
	is.NoErr(err)
	is.Equal(m.kind, kindLog)
	mine.mu.Lock()
	mine.sent++ // a message that never arrives
	mine.mu.Unlock()
	_, err = theirs.next(t.Context())
	is.True(errors.As(err, new(errLost)))
	other.unlink(theirs)
	_, err = mine.next(t.Context()) // by the other calls of the two, or for lack of them by its silence
	is.True(errors.As(err, new(errLost)) || errors.As(err, new(errGone)))
}

func TestNoMoreMessagesThanTheWindowAreUnderWay(t *testing.T) {
	is := is.New(t)
	one, other := peers(t)
	mine, theirs := one.link("CALL", other.address), other.link("CALL", one.address)
	for range window {
		is.NoErr(mine.send(t.Context(), kindLog, "x"))
	}
	sent := make(chan error, 1)
	go func() { sent <- mine.send(t.Context(), kindLog, "one more") }()
	_, err := theirs.next(t.Context())
	is.NoErr(err)
	select {
	case <-sent:
		t.Fatal("it was sent before another one was dealt with")
	default:
	}
	theirs.ack()
	is.NoErr(<-sent)
	theirs.fail(errors.New("over"))
}

func TestTheReasonWhyALinkIsBrokenCanStillBeSentAndNothingForACancelledCall(t *testing.T) {
	is := is.New(t)
	one, other := peers(t)
	for range 20 {
		l := newLink(one, "CALL", other.address)
		l.fail(errors.New("a message is missing"))
		is.NoErr(l.send(t.Context(), kindFailed, failure{Message: "a message is missing"}))
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		is.Equal(l.send(cancelled, kindBegin, begin{}), context.Canceled)
	}
}

func TestAcksThatAreLostDoNotStopACall(t *testing.T) {
	is := is.New(t)
	one, other := peers(t)
	mine, theirs := one.link("CALL", other.address), other.link("CALL", one.address)
	for range 3 * window {
		is.NoErr(mine.send(t.Context(), kindLog, "x")) // waits for the window
		_, err := theirs.next(t.Context())
		is.NoErr(err)
		theirs.mu.Lock()
		theirs.done++ // and its ack never arrives
		theirs.mu.Unlock()
	}
	mine.fail(errors.New("over"))
	theirs.fail(errors.New("over"))
}
