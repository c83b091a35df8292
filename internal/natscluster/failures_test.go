package natscluster_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

func TestWhenAReplicaIsKilledItsCallsFailAndNothingRunsTwice(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	x := newReplicas(t, time.Second)
	called := make(chan answer)
	go func() { called <- x.call("hold", "") }()
	waittest.Until(t, "the call runs", func() bool { return x.runs() == 1 })
	owner := x.all[1] // whose turn was first
	is.Equal(owner.served.Load(), int64(1))
	task := x.ask(owner.web.URL, "tools/call", "wait", `"name":"wait","arguments":{}`).Result.TaskID
	waittest.Until(t, "the task runs", func() bool { return x.runs() == 2 })
	owner.kill()
	is.Equal((<-called).status, http.StatusBadGateway)
	failed := x.becomes(task, "failed")
	is.True(strings.Contains(failed.Result.StatusMessage, "the replica that ran the task is gone"))
	for range 2 {
		is.Equal(x.task("get", task, "").Result.Status, "failed") // and its status does not change again
	}
	is.Equal(x.call("greet", "").Result.text(), "hello")
	is.Equal(x.runs(), 2)
}

func TestWhatAReplicaHasDoneOutlivesIt(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	x := newReplicas(t, 0)
	owner := x.all[0]
	begin := func(tool string) string {
		return x.ask(owner.web.URL, "tools/call", tool, `"name":"`+tool+`","arguments":{}`).Result.TaskID
	}
	ended, open := begin("long"), begin("wait")
	x.becomes(ended, "completed")
	owner.dead.Store(true)
	is.NoErr(owner.server.Close()) // as in an orderly shutdown
	for range 2 {
		is.Equal(len(x.task("get", ended, "").Result.Result.text()), 2000000)
		a := x.task("get", open, "")
		is.Equal(a.Result.Status, "failed")
		is.True(strings.Contains(a.Result.StatusMessage, "the server has ended"))
	}
}

func TestWithoutNATSWhatNeedsItFailsWithAReasonAndAllElseGoesOn(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	x := newReplicas(t, 0)
	asked := x.call("ask", "")
	task := x.call("wait", "").Result.TaskID
	x.broker.stop()
	waittest.Until(t, "all three have noticed", func() bool {
		for _, r := range x.all {
			if r.cluster.Tell(nil) == nil {
				return false
			}
		}
		return true
	})
	const why = "the other replicas of this server cannot be reached; try again later"
	for range 3 {
		is.Equal(x.call("greet", "").Result.text(), "hello")
		refused := x.call("ask", withState(asked))
		is.Equal(refused.Error.Code, -32603)
		is.True(strings.Contains(refused.Error.Message, why))
	}
	unknown, own := 0, 0
	for range 3 {
		switch a := x.task("get", task, ""); {
		case strings.Contains(a.Error.Message, why):
			unknown++
		case a.Result.Status == "working":
			own++
		}
	}
	is.Equal(fmt.Sprint(unknown, own), "2 1") // its own replica knows it
	x.release()
	is.Equal(x.call("wait", "").Result.text(), "done") // it does not become a task
	x.broker.start()
	waittest.Until(t, "the state is taken, as no refusal has used it", func() bool {
		return x.call("ask", withState(asked)).Result.ResultType == "complete"
	})
	for range 3 {
		x.becomes(task, "completed")
	}
	is.Equal(x.runs(), 2)
}
