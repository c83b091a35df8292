package calls_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// documented returns the NATS configuration in the manual.
func documented(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n## Workers\n")
	_, rest, _ = strings.Cut(rest, "\n```\n")
	config, _, ok := strings.Cut(rest, "\n```\n")
	if !ok {
		t.Fatal("docs/SECURITY.md shows no permissions")
	}
	return strings.NewReplacer("$REPLICA_PASSWORD", "r", "$WORKER_PASSWORD", "w", "$TOP_PASSWORD", "t").Replace(config)
}

func TestThePermissionsOfTheManualAreEnoughAndNoMore(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t, func(o *natsserver.Options) {
		if err := o.ProcessConfigString(documented(t)); err != nil {
			t.Fatal(err)
		}
		o.Host, o.Port, o.NoLog, o.NoSigs, o.JetStream, o.StoreDir = "127.0.0.1", natsserver.RANDOM_PORT, true, true, true, t.TempDir()
	})
	as := func(user, password string) calls.Options {
		o := calls.Options{Cluster: "mcp-bash", Name: user, Log: quiet}
		var err error
		o.Conn, err = nats.Connect(r.nats.Load().ClientURL(), nats.UserInfo(user, password))
		is.NoErr(err)
		t.Cleanup(o.Conn.Close)
		return o
	}
	replica, worker := as("replica", "r"), as("worker", "w")
	w := r.worker(2, r.host, worker)
	c := r.caller(calls.CallerOptions{Options: replica})
	_, err := calls.Announce(worker.Conn, "mcp-bash", w.Status)
	is.NoErr(err)
	_, err = calls.Announce(replica.Conn, "mcp-bash", c.Status)
	is.NoErr(err)
	for range 5 {
		_, err := c.Call(t.Context(), r.of("talks", `{}`))
		is.NoErr(err)
	}
	top := as("top", "t")
	waittest.Until(t, "both answer in time", func() bool {
		all, err := calls.Survey(t.Context(), top.Conn, "mcp-bash", 50*time.Millisecond)
		is.NoErr(err)
		return len(all) == 2
	})

	cluster, err := natscluster.Connect(t.Context(), natscluster.Options{
		URL: strings.Replace(r.nats.Load().ClientURL(), "://", "://replica:r@", 1), Name: "mcp-bash", Keep: time.Hour, Log: quiet,
	})
	is.NoErr(err)
	defer cluster.Close()
	first, err := cluster.Use(t.Context(), "id", time.Now().Add(time.Hour))
	is.NoErr(err)
	is.True(first)

	// A worker that sends calls does not find another worker.
	other := as("worker", "w")
	posing := r.caller(calls.CallerOptions{Options: other, MaxWait: 300 * time.Millisecond})
	_, err = posing.Call(t.Context(), r.of("wait", `{}`))
	is.True(err != nil)
	is.Equal(r.lines("runs"), 0)

	// It reads what other workers get, as the manual says.
	spied := make(chan *nats.Msg, 100)
	_, err = other.Conn.ChanSubscribe("mcp-bash.work.w.>", spied)
	is.NoErr(err)
	is.NoErr(other.Conn.Flush())
	_, err = c.Call(t.Context(), r.of("talks", `{"secret":1}`))
	is.NoErr(err)
	for m := range spied {
		if strings.Contains(string(m.Data), `"secret":1`) {
			break
		}
	}
}
