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
	return strings.NewReplacer("$REPLICA_PASSWORD", "r", "$FORGE_1_PASSWORD", "one", "$FORGE_2_PASSWORD", "two", "$TOP_PASSWORD", "t").Replace(config)
}

// guardedRig returns a rig that has a NATS server with the permissions in the manual.
func guardedRig(t *testing.T) *rig {
	t.Helper()
	return newRig(t, func(o *natsserver.Options) {
		if err := o.ProcessConfigString(documented(t)); err != nil {
			t.Fatal(err)
		}
		o.Host, o.Port, o.NoLog, o.NoSigs, o.JetStream, o.StoreDir = "127.0.0.1", natsserver.RANDOM_PORT, true, true, true, t.TempDir()
	})
}

// as returns the options of a process with the name and password of a user of NATS.
func (r *rig) as(user, password string) calls.Options {
	r.t.Helper()
	conn, err := nats.Connect(r.nats.Load().ClientURL(), nats.UserInfo(user, password))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(conn.Close)
	return calls.Options{Cluster: "mcp-bash", Name: user, Log: quiet, Conn: conn}
}

func TestThePermissionsOfTheManualAreEnough(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := guardedRig(t)
	replica, worker := r.as("replica", "r"), r.as("forge-1", "one")
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
	top := r.as("top", "t")
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
}

// An evil worker has the permissions of the manual for forge-2, and tries to misuse them against forge-1.
type evil struct {
	*nats.Conn
	heard   chan *nats.Msg
	refused chan error
}

func newEvil(t *testing.T, r *rig) *evil {
	t.Helper()
	e := &evil{heard: make(chan *nats.Msg, 1000), refused: make(chan error, 1000)}
	var err error
	e.Conn, err = nats.Connect(r.nats.Load().ClientURL(), nats.UserInfo("forge-2", "two"),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { e.refused <- err }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func TestAnEvilWorkerDoesNotHearWhatIsSentToOthers(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := guardedRig(t)
	r.worker(1, r.host, r.as("forge-1", "one"))
	c := r.caller(calls.CallerOptions{Options: r.as("replica", "r")})
	e := newEvil(t, r)
	wanted := []string{">", "mcp-bash.>", "mcp-bash.work.>", "mcp-bash.work.w.>", "mcp-bash.work.w.forge-1.>", "mcp-bash.work.w.*.*.*.*.*.begin",
		"mcp-bash.work.r.>", "mcp-bash.work.offer.>", "mcp-bash.work.offer.*", "$KV.mcp-bash-tasks.>", "_INBOX.>"}
	for _, subject := range wanted {
		_, err := e.ChanSubscribe(subject, e.heard)
		is.NoErr(err) // the refusal comes later
	}
	is.NoErr(e.Flush())
	for range wanted {
		is.True(strings.Contains((<-e.refused).Error(), "Permissions Violation for Subscription"))
	}
	_, err := c.Call(t.Context(), r.of("talks", `{"secret":1}`))
	is.NoErr(err)
	is.NoErr(e.Flush())
	is.Equal(len(e.heard), 0)
}

func TestAnEvilWorkerSendsNothingInTheNameOfOthers(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := guardedRig(t)
	r.worker(1, r.host, r.as("forge-1", "one"))
	replica := r.as("replica", "r")
	c := r.caller(calls.CallerOptions{Options: replica})
	spy, err := nats.Connect(r.nats.Load().ClientURL(), nats.UserInfo("replica", "r")) // so the test knows more than the worker can
	is.NoErr(err)
	defer spy.Close()
	taken, err := spy.SubscribeSync("mcp-bash.work.r.*.*.*.*.*.taken")
	is.NoErr(err)
	is.NoErr(spy.Flush())
	done := goes(t.Context(), c, r.of("wait", `{}`))
	m, err := taken.NextMsg(time.Minute)
	is.NoErr(err)
	waittest.Until(t, "the tool runs", func() bool { return r.lines("runs") == 1 })
	hers := strings.TrimSuffix(m.Subject, "taken")
	own := strings.Replace(hers, ".forge-1.", ".forge-2.", 1)
	e := newEvil(t, r)
	forged := []byte(`{"content":[{"type":"text","text":"forged"}]}`)
	for _, subject := range []string{hers + "result", "mcp-bash.work.offer.wait", strings.Replace(hers, ".r.", ".w.", 1) + "cancel", "$KV.mcp-bash-tasks.x", "mcp-bash.news", "mcp-bash.ask.replica"} {
		is.NoErr(e.Publish(subject, forged))
		is.NoErr(e.Flush())
		is.True(strings.Contains((<-e.refused).Error(), "Permissions Violation for Publish"))
	}
	for _, kind := range []string{"taken", "result", "failed", "alive", "refused"} { // in its own name, with the id of the call
		is.NoErr(e.Publish(own+kind, forged))
	}
	is.NoErr(e.Flush())
	is.NoErr(replica.Conn.Flush())
	r.release()
	o := <-done
	is.NoErr(o.err)
	is.True(strings.Contains(shown(t, o.result), "done")) // by the worker that has taken the call
}

func TestAnEvilWorkerSendsNoCallsToOthers(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := guardedRig(t)
	r.worker(1, r.host, r.as("forge-1", "one"))
	posing := r.caller(calls.CallerOptions{Options: r.as("forge-2", "two"), MaxWait: 300 * time.Millisecond})
	_, err := posing.Call(t.Context(), r.of("wait", `{}`))
	is.True(err != nil)
	is.Equal(r.lines("runs"), 0)
}
