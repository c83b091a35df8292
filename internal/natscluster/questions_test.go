package natscluster_test

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

func TestAQuestionIsAnsweredThroughAnotherReplica(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	x := newReplicas(t, 0)
	for range 3 { // whichever is asked first
		asked := x.call("ask", "")
		if asked.Result.ResultType != "input_required" {
			t.Fatal(asked.raw)
		}
		done := x.call("ask", withState(asked))
		is.Equal(done.Result.text(), "hello Ada")
	}
	for _, r := range x.all {
		is.Equal(r.served.Load(), int64(2))
	}
	runs, _ := x.asking()
	is.Equal(runs, 6) // each answer had its own run
	waittest.Until(t, "the runs that have asked wait no longer", func() bool { _, left := x.asking(); return left == 0 })
}

func TestAStateIsUsedOnceWhicheverReplicaIsAsked(t *testing.T) {
	is := is.New(t)
	x := newReplicas(t, 0)
	asked := x.call("ask", "")
	is.Equal(x.call("ask", withState(asked)).Result.text(), "hello Ada")
	for range 3 {
		again := x.call("ask", withState(asked))
		is.Equal(again.Error.Code, -32602)
		is.True(strings.Contains(again.Error.Message, "already used"))
	}
}

func TestASessionOfAnOlderRevisionStaysOnTheReplicaThatItsIDNames(t *testing.T) {
	t.Parallel() // it mostly waits
	is := is.New(t)
	x := newReplicas(t, 0)
	seen := make(map[string]bool)
	for range 3 {
		s := httpdtest.Visit(t, x.url, "2025-11-25", nil)
		seen[session.ReplicaOf(s.ID())] = true
		for range 4 {
			text, err := s.Call(t.Context(), "ask")
			is.NoErr(err)
			is.True(strings.Contains(text, "Ada"))
		}
	}
	is.True(len(seen) > 1)
}
