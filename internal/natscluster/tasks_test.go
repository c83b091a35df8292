package natscluster_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

func TestATaskIsPolledThroughAnyReplicaWithItsResult(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	born := x.call("wait", "")
	is.Equal(born.Result.ResultType, "task")
	for range 3 {
		is.Equal(x.task("get", born.Result.TaskID, "").Result.Status, "working")
	}
	x.release()
	x.becomes(born.Result.TaskID, "completed")
	waittest.Until(t, "all know the result", func() bool {
		known := 0
		for range 3 {
			if a := x.task("get", born.Result.TaskID, ""); a.Result.Result.text() == "done" {
				known++
			}
		}
		return known == 3
	})
	is.Equal(x.runs(), 1)
	is.Equal(x.task("get", "no such task", "").Error.Code, -32602)
}

func TestAResultThatIsTooLongForAMessageReachesOtherReplicas(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	x := newReplicas(t, 0)
	born := x.call("long", "")
	is.Equal(born.Result.ResultType, "task")
	for range 3 {
		a := x.becomes(born.Result.TaskID, "completed")
		is.Equal(len(a.Result.Result.text()), 2000000)
	}
}

func TestAResultIsTheSameWhicheverReplicaReturnsIt(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	id := x.call("exact", "").Result.TaskID
	seen := make(map[string]bool)
	for range 3 {
		seen[x.becomes(id, "completed").raw] = true
	}
	for raw := range seen {
		t.Log(raw)
		is.True(strings.Contains(raw, `"text":"<&>"`))
	}
	is.Equal(len(seen), 1)
}

func TestATaskIsAnsweredAndCancelledThroughAnotherReplica(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	x := newReplicas(t, 0)
	born := x.call("later", "")
	is.Equal(born.Result.ResultType, "task")
	x.release() // what it asked before, its call would have asked
	asked := x.becomes(born.Result.TaskID, "input_required")
	x.turn() // the next but one, so that none of the three requests has the same replica
	is.Equal(x.task("update", born.Result.TaskID, answers(asked)).Error.Code, 0)
	done := x.becomes(born.Result.TaskID, "completed")
	is.Equal(done.Result.Result.text(), "hello Ada")

	is.NoErr(os.Remove(filepath.Join(x.root, "go")))
	born = x.call("wait", "")
	is.Equal(x.task("cancel", born.Result.TaskID, "").Error.Code, 0)
	for range 3 {
		is.Equal(x.task("get", born.Result.TaskID, "").Result.Status, "cancelled")
	}
}

func TestWhoListensOnAnotherReplicaHearsWhatATaskDoes(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	born := x.call("wait", "")
	stream := x.post(x.url, "subscriptions/listen", "", `"notifications":{"taskIds":["`+born.Result.TaskID+`"]}`)
	lines := bufio.NewScanner(stream.Body)
	lines.Buffer(nil, 1<<20)
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
	is.True(strings.Contains(next(), `"taskIds":["`+born.Result.TaskID+`"]`)) // acknowledged
	x.release()
	told := next()
	is.True(strings.Contains(told, "notifications/tasks"))
	is.True(strings.Contains(told, `"status":"completed"`))
	is.True(strings.Contains(told, `"text":"done`))
}

func TestATaskAndAStateServeOnlyTheUserWhoseCallItWas(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	x.user = "ada"
	task, asked := x.call("wait", "").Result.TaskID, x.call("ask", "")
	x.user = "bob"
	for range 3 { // through each replica
		for _, method := range []string{"get", "cancel", "update"} {
			refused := x.task(method, task, `,"inputResponses":{}`)
			is.Equal(refused.Error.Code, -32602)
			is.Equal(refused.Error.Message, "Unknown task: "+task)
		}
		refused := x.call("ask", withState(asked))
		is.Equal(refused.Error.Code, -32602)
		is.True(strings.Contains(refused.Error.Message, "of another user"))
		stream := x.post(x.url, "subscriptions/listen", "", `"notifications":{"taskIds":["`+task+`"]}`)
		accepted, err := bufio.NewReader(stream.Body).ReadString('}')
		is.NoErr(err)
		is.True(!strings.Contains(accepted, task))
	}
	x.user = "ada"
	for range 3 {
		is.Equal(x.task("get", task, "").Result.Status, "working")
	}
	is.Equal(x.call("ask", withState(asked)).Result.ResultType, "complete")
	x.task("cancel", task, "")
	x.becomes(task, "cancelled")
}
