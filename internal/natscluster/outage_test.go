package natscluster_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"
	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// A journal is a log that a test reads.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// count returns how often a text was logged.
func (j *journal) count(text string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.text.String(), text)
}

func TestAPasswordInAFileIsReadAgainForEachConnection(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	b := newBroker(t, func(o *natsserver.Options) { o.Username, o.Password = "u", "first" })
	file := filepath.Join(t.TempDir(), "password")
	is.NoErr(os.WriteFile(file, []byte("u:first\n"), 0o600))
	var log journal
	conn, err := natscluster.Dial(natscluster.Options{URL: b.server.ClientURL(), Name: "test", Creds: file, Log: slog.New(slog.NewTextHandler(&log, nil))})
	is.NoErr(err)
	defer conn.Close()
	b.stop()
	is.NoErr(os.WriteFile(file, []byte("u:sec:ond\n"), 0o600))
	b.options.Password = "sec:ond"
	b.start()
	waittest.Until(t, "it is connected", conn.IsConnected)
}

func TestAFileWithoutCredentialsIsRefused(t *testing.T) {
	is := is.New(t)
	file := filepath.Join(t.TempDir(), "password")
	for _, text := range []string{"", "u", "u:", ":p", "u:p\nv:q"} {
		is.NoErr(os.WriteFile(file, []byte(text), 0o600))
		_, err := natscluster.Dial(natscluster.Options{URL: "nats://127.0.0.1:1", Name: "test", Creds: file, Log: slog.New(slog.DiscardHandler)})
		is.Equal(err.Error(), file+": must be a file of credentials for NATS, or have one line USER:PASSWORD")
	}
}

func TestAConnectionWhoseCredentialsWereRefusedForAWhileIsMadeAgain(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	b := newBroker(t, func(o *natsserver.Options) { o.Username, o.Password = "u", "right" })
	var log journal
	conn, err := natscluster.Dial(natscluster.Options{
		URL: strings.Replace(b.server.ClientURL(), "://", "://u:right@", 1), Name: "test", Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	is.NoErr(err)
	defer conn.Close()
	b.stop()
	b.options.Password = "another"
	b.start()
	waittest.Until(t, "it was refused twice", func() bool { return conn.IsClosed() || log.count("uthorization") >= 2 })
	b.stop()
	b.options.Password = "right"
	b.start()
	waittest.Until(t, "it is connected", conn.IsConnected)
}

func TestBucketsAreMadeAgainAsSoonAsJetStreamIsBack(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	b := newBroker(t)
	c := b.connect(0)
	b.stop()
	b.options.JetStream, b.options.StoreDir = false, t.TempDir() // it has lost all buckets
	b.start()
	waittest.Until(t, "it is connected", func() bool { return c.Tell(nil) == nil })
	_, err := c.Use(t.Context(), "a", time.Now().Add(time.Hour))
	is.True(err != nil)
	is.NoErr(b.server.EnableJetStream(&natsserver.JetStreamConfig{StoreDir: b.options.StoreDir}))
	waittest.Until(t, "an id can be used", func() bool {
		first, err := c.Use(t.Context(), "a", time.Now().Add(time.Hour))
		return err == nil && first
	})
}

func TestARequestThatItsClientCancelsIsNotAFailureOfNATS(t *testing.T) {
	is := is.New(t)
	b := newBroker(t)
	var log journal
	c, err := natscluster.Connect(t.Context(), natscluster.Options{
		URL: b.server.ClientURL(), Name: "test", Keep: time.Hour, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	is.NoErr(err)
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = c.Look(ctx, "a")
	is.True(errors.Is(err, context.Canceled))
	is.Equal(log.count("NATS has failed"), 0)
}

func TestReplicasCountAsAliveForAWhileAfterJetStreamIsBack(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	const lease = 3 * time.Second
	b := newBroker(t)
	c := b.connect(lease)
	b.stop()
	b.options.JetStream, b.options.StoreDir = false, t.TempDir() // it has lost all leases
	b.start()
	waittest.Until(t, "it is connected", func() bool { return c.Tell(nil) == nil })
	began := time.Now()
	waittest.Until(t, "a lease is over", func() bool { return time.Since(began) > lease })
	is.NoErr(b.server.EnableJetStream(&natsserver.JetStreamConfig{StoreDir: b.options.StoreDir}))
	var alive bool
	waittest.Until(t, "the buckets are back", func() bool {
		var err error
		alive, err = c.Alive(t.Context(), "another replica, which has not renewed its lease yet")
		return err == nil
	})
	is.True(alive)
}
