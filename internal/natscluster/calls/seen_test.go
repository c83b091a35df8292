package calls_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

func TestAReplicaKnowsItsWorkersAndWhichAreBusy(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	c := r.caller(calls.CallerOptions{Options: r.options("a")})
	is.True(!c.Ready())
	first := r.worker(1, r.host, r.options("first"))
	r.worker(2, r.host, r.options("second"))
	sees := func(all, busy int) func() bool {
		return func() bool { a, b := c.Seen(); return a == all && b == busy }
	}
	waittest.Until(t, "both are seen", sees(2, 0))
	is.True(c.Ready())
	done := goes(t.Context(), c, r.of("wait", ""))
	other := goes(t.Context(), c, r.of("wait", ""))
	third := goes(t.Context(), c, r.of("wait", ""))
	waittest.Until(t, "both are busy", sees(2, 2))
	write(t, r.root, "go", "")
	for _, one := range []<-chan outcome{done, other, third} {
		is.NoErr((<-one).err)
	}
	waittest.Until(t, "both are free", sees(2, 0))
	first.Close(0)
	waittest.Until(t, "the one that has ended is not seen", sees(1, 0))
}

func TestAWorkerThatIsSilentIsForgotten(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	r := newRig(t)
	o := r.options("a")
	o.Patience = 200 * time.Millisecond
	c := r.caller(calls.CallerOptions{Options: o})
	one := r.options("one").Conn
	report, err := json.Marshal(map[string]int{"slots": 1})
	is.NoErr(err)
	is.NoErr(one.Publish("test.work.r.all.all.one.ID.-.here", []byte("{")))
	waittest.Until(t, "it is seen", func() bool {
		is.NoErr(one.Publish("test.work.r.all.all.one.ID.-.here", report)) // the replica may not listen yet
		all, _ := c.Seen()
		return all == 1 && c.Ready()
	})
	waittest.Until(t, "it is forgotten", func() bool { all, _ := c.Seen(); return all == 0 && !c.Ready() })
}
