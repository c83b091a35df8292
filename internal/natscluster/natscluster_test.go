package natscluster_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

func TestAnIDIsUsedOnceWhicheverReplicaUsesIt(t *testing.T) {
	is := is.New(t)
	b := newBroker(t)
	one, other := b.connect(0), b.connect(0)
	soon := time.Now().Add(time.Hour)
	for _, id := range []string{"a", "with.dots and *", ""} {
		first, err := one.Use(t.Context(), id, soon)
		is.NoErr(err)
		is.True(first)
		for _, c := range []*natscluster.Cluster{one, other} {
			first, err = c.Use(t.Context(), id, soon)
			is.NoErr(err)
			is.True(!first)
		}
	}
	first, err := one.Use(t.Context(), "old", time.Now().Add(-time.Second))
	is.NoErr(err)
	is.True(!first) // it has expired
}

func TestAValueIsReplacedOnlyByThoseWhoKnowIt(t *testing.T) {
	is := is.New(t)
	b := newBroker(t)
	one, other := b.connect(0), b.connect(0)
	none, version, err := other.Look(t.Context(), "task-A")
	is.NoErr(err)
	is.True(none == nil && version == 0)
	for _, value := range [][]byte{[]byte("short"), {}, bytes.Repeat([]byte("long "), 1<<20), []byte("short again")} {
		next, err := one.Keep(t.Context(), "task-A", value, version)
		is.NoErr(err)
		_, err = other.Keep(t.Context(), "task-A", []byte("x"), version)
		is.True(errors.Is(err, handlers.ErrConflict))
		version = next
		got, found, err := other.Look(t.Context(), "task-A")
		is.NoErr(err)
		is.True(bytes.Equal(got, value))
		is.Equal(found, version)
	}
}

// member returns a member that answers with its name, and a channel of the news that it gets.
func member(name string) (handlers.Member, chan string) {
	heard := make(chan string, 16)
	return handlers.Member{
		Answer: func(_ context.Context, question []byte) []byte { return []byte(name + " " + string(question)) },
		Hear:   func(news []byte) { heard <- string(news) },
	}, heard
}

func TestReplicasAnswerAndHearEachOtherUntilTheyLeave(t *testing.T) {
	is := is.New(t)
	b := newBroker(t)
	one, other := b.connect(0), b.connect(0)
	m, heard := member("one")
	leave, err := one.Join(t.Context(), "one", m)
	is.NoErr(err)
	n, heardOther := member("other")
	leaveOther, err := other.Join(t.Context(), "other", n)
	is.NoErr(err)
	defer leaveOther()
	answer, err := other.Ask(t.Context(), "one", []byte("hello"))
	is.NoErr(err)
	is.Equal(string(answer), "one hello")
	is.NoErr(other.Tell([]byte("changed")))
	is.Equal(<-heard, "changed")
	is.Equal(len(heardOther), 0) // the sender does not get its own news
	alive, err := other.Alive(t.Context(), "one")
	is.NoErr(err)
	is.True(alive)
	leave()
	alive, err = other.Alive(t.Context(), "one")
	is.NoErr(err)
	is.True(!alive)
	_, err = other.Ask(t.Context(), "one", []byte("hello"))
	is.True(errors.Is(err, handlers.ErrUnreachable))
}

// isAlive returns a condition: whether Alive reports want for the replica "one".
func isAlive(t *testing.T, c *natscluster.Cluster, want bool) func() bool {
	return func() bool {
		alive, err := c.Alive(t.Context(), "one")
		return err == nil && alive == want
	}
}

func TestAReplicaThatIsKilledIsSoonNotAliveAnyMore(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	b := newBroker(t)
	one, other := b.connect(time.Second), b.connect(time.Second)
	m, _ := member("one")
	_, err := one.Join(t.Context(), "one", m)
	is.NoErr(err)
	waittest.Until(t, "one is alive", isAlive(t, other, true))
	one.Close()
	waittest.Until(t, "one is not alive any more", isAlive(t, other, false))
}

func TestWithoutNATSEverythingFailsAtOnceAndWorksAgainWhenItIsBack(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	b := newBroker(t)
	one, other := b.connect(0), b.connect(0)
	m, heard := member("one")
	leave, err := one.Join(t.Context(), "one", m)
	is.NoErr(err)
	defer leave()
	soon := time.Now().Add(time.Hour)
	_, err = one.Use(t.Context(), "before", soon)
	is.NoErr(err)
	b.stop()
	waittest.Until(t, "other notices", func() bool { return other.Tell([]byte("x")) != nil })
	_, err = other.Use(t.Context(), "a", soon)
	is.True(errors.Is(err, handlers.ErrUnreachable))
	_, err = other.Keep(t.Context(), "a", nil, 0)
	is.True(errors.Is(err, handlers.ErrUnreachable))
	_, _, err = other.Look(t.Context(), "a")
	is.True(errors.Is(err, handlers.ErrUnreachable))
	_, err = other.Alive(t.Context(), "one")
	is.True(errors.Is(err, handlers.ErrUnreachable))
	_, err = other.Ask(t.Context(), "one", nil)
	is.True(errors.Is(err, handlers.ErrUnreachable))
	b.start()
	waittest.Until(t, "an id can be used again", func() bool {
		first, err := other.Use(t.Context(), "a", soon)
		return err == nil && first
	})
	first, err := other.Use(t.Context(), "before", soon)
	is.NoErr(err)
	is.True(!first)
	waittest.Until(t, "one answers again", func() bool {
		_, err := other.Ask(t.Context(), "one", nil)
		return err == nil
	})
	waittest.Until(t, "one is alive again", isAlive(t, other, true))
	is.NoErr(other.Tell([]byte("news")))
	is.Equal(<-heard, "news")
}

func TestWhatCannotBeConnectedIsRefusedWithAReason(t *testing.T) {
	is := is.New(t)
	b := newBroker(t)
	for _, c := range []struct {
		options natscluster.Options
		want    string
	}{
		{natscluster.Options{URL: b.server.ClientURL(), Name: "a b"}, `the name "a b" must be`},
		{natscluster.Options{URL: "nats://127.0.0.1:1", Name: "a"}, "no servers available"},
		{natscluster.Options{URL: b.server.ClientURL(), Name: "a", CA: "/nowhere"}, "/nowhere"},
		{natscluster.Options{URL: b.server.ClientURL(), Name: "a", Creds: "/nowhere"}, "/nowhere"},
		{natscluster.Options{URL: b.server.ClientURL(), Name: "a", Copies: 3}, "replicas > 1 not supported"},
	} {
		c.options.Log = slog.New(slog.DiscardHandler)
		_, err := natscluster.Connect(t.Context(), c.options)
		is.True(err != nil)
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v", err)
		}
	}
}

func TestABucketInWhichNoKeyExpiresByItselfIsRefused(t *testing.T) {
	is := is.New(t)
	b := newBroker(t)
	conn, err := nats.Connect(b.server.ClientURL())
	is.NoErr(err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	is.NoErr(err)
	_, err = js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "mine-used"})
	is.NoErr(err)
	_, err = natscluster.Connect(t.Context(), natscluster.Options{URL: b.server.ClientURL(), Name: "mine", Log: slog.New(slog.DiscardHandler)})
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), "nats kv add mine-used --marker-ttl 1m"))
}
