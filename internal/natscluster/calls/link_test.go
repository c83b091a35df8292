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

func TestMessagesThatAreLostAreSentAgainInOrder(t *testing.T) {
	is := is.New(t)
	one, other := peers(t)
	mine, theirs := one.link("CALL", other.address), other.link("CALL", one.address)
	mine.mu.Lock()
	mine.sent++ // NATS loses it
	mine.unacked = append(mine.unacked, frame{kind: kindLog, number: mine.sent, data: []byte(`"lost"`)})
	<-mine.credits
	mine.mu.Unlock()
	is.NoErr(mine.send(t.Context(), kindLog, "next"))
	for _, want := range []string{`"lost"`, `"next"`} {
		m, err := theirs.next(t.Context())
		is.NoErr(err)
		is.Equal(string(m.data), want)
		theirs.ack()
	}
	is.NoErr(mine.drain(t.Context())) // all have arrived
}

func TestAMessageThatArrivesTwiceIsHeardOnce(t *testing.T) {
	is := is.New(t)
	one, other := peers(t)
	l := newLink(one, "CALL", other.address)
	for _, number := range []uint64{1, 1, 3, 2, 1, 3} {
		l.receive(kindLog, number, nil)
	}
	is.Equal(len(l.in), 3)
}

func TestACallThatOneEndHasForgottenEndsAtTheOther(t *testing.T) {
	is := is.New(t)
	one, other := peers(t)
	mine, theirs := one.link("CALL", other.address), other.link("CALL", one.address)
	is.NoErr(mine.send(t.Context(), kindLog, "first"))
	_, err := theirs.next(t.Context())
	is.NoErr(err)
	other.unlink(theirs)
	_, err = mine.next(t.Context())
	is.True(errors.As(err, new(errEnded)))
}

func TestACallThatIsNotBegunYetIsNotEnded(t *testing.T) {
	is := is.New(t)
	one, other := peers(t)
	asked, err := other.Conn.SubscribeSync(one.topic(other.address, "CALL", kindAck) + ".>")
	is.NoErr(err)
	l := one.link("CALL", other.address)
	for range 3 {
		l.beat()
	}
	is.NoErr(one.Conn.Flush())
	is.NoErr(other.Conn.Flush())
	pending, _, err := asked.Pending()
	is.NoErr(err)
	is.Equal(pending, 0)
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
