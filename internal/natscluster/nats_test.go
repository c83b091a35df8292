package natscluster_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster"
	"github.com/mcp-bash/mcp-bash/v2/internal/shelltest"
)

func TestMain(m *testing.M) {
	shelltest.AtOnce(6)
	os.Exit(m.Run())
}

// A broker is a NATS server in this process, which can be stopped and started again.
type broker struct {
	t       *testing.T
	options natsserver.Options
	server  *natsserver.Server
}

func newBroker(t *testing.T, change ...func(*natsserver.Options)) *broker {
	t.Helper()
	b := &broker{t: t, options: natsserver.Options{Host: "127.0.0.1", Port: port(t), JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}}
	for _, c := range change {
		c(&b.options)
	}
	b.start()
	t.Cleanup(b.stop)
	return b
}

// port returns a free port below 32768, where systems do not allocate ports for other programs: one of
// them could take the port while a broker is stopped.
func port(t *testing.T) int {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(12000)))
		if err != nil {
			continue
		}
		defer l.Close()
		return l.Addr().(*net.TCPAddr).Port
	}
	t.Fatal("no port is free")
	return 0
}

func (b *broker) start() {
	b.t.Helper()
	options := b.options
	s, err := natsserver.NewServer(&options)
	if err != nil {
		b.t.Fatal(err)
	}
	go s.Start()
	if !s.ReadyForConnections(time.Minute) {
		b.t.Fatal("the NATS server does not start")
	}
	b.server = s
}

func (b *broker) stop() {
	b.server.Shutdown()
	b.server.WaitForShutdown()
}

// connect returns a connection for one replica.
func (b *broker) connect(lease time.Duration) *natscluster.Cluster {
	b.t.Helper()
	c, err := natscluster.Connect(b.t.Context(), natscluster.Options{
		URL: b.server.ClientURL(), Name: "test", Keep: time.Hour, Lease: lease, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(c.Close)
	return c
}
