package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// noting is a stage that notes what passes its doors.
func noting(name string, notes *[]string) pipeline.Middleware {
	note := func(door string, m *pipeline.Message) {
		*notes = append(*notes, strings.TrimSpace(fmt.Sprint(name, " ", door, " ", m.Kind(), " ", m.Method())))
	}
	return pipeline.Middleware{
		Name: name,
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			note("in", m)
			return next(ctx, m)
		},
		Leaving: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			note("leaving", m)
			return next(ctx, m)
		},
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			note("out", m)
			return next(ctx, m)
		},
	}
}

func TestSeveralStagesAsOneAreWhatTheyAreInAList(t *testing.T) {
	is := is.New(t)
	var apart, together []string
	pipetest.Chain(t, []pipeline.Middleware{noting("a", &apart), noting("b", &apart)}, pipetest.OK, ping1)
	both := pipeline.Combine("both", noting("a", &together), noting("b", &together))
	is.Equal(both.Name, "both")
	is.Equal(pipetest.Chain(t, []pipeline.Middleware{both}, pipetest.OK, ping1), []string{pong1})
	is.Equal(together, apart)
	is.True(pipeline.Combine("none").Outbound == nil) // a door that nobody needs costs nothing
}

func TestStagesAsOneServeManyPipelinesAndEachOther(t *testing.T) {
	is := is.New(t)
	var seen []string
	inner := pipeline.Combine("inner", noting("a", &seen), noting("b", &seen))
	outer := pipeline.Combine("outer", inner, noting("c", &seen), inner)
	for range 2 {
		seen = nil
		is.Equal(pipetest.Chain(t, []pipeline.Middleware{outer, inner}, pipetest.OK, ping1), []string{pong1})
		is.Equal(len(seen), 3*7) // each door of a, b, c, a, b, a, b
	}
}

func TestAStageForSomeMethodsSeesThemAndWhatTheyCause(t *testing.T) {
	is := is.New(t)
	var notes []string
	handler := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		return m.Answer(pipeline.From(ctx).Notify(ctx, "note", nil))
	}
	chain := []pipeline.Middleware{pipeline.For([]string{"ping"}, noting("s", &notes))}
	pipetest.Chain(t, chain, handler, ping1, pipetest.Call(2, "other", ""), pipetest.Notification("ping", ""))
	is.Equal(notes, []string{
		"s in call ping", "s leaving notification note", "s out notification note", "s leaving response", "s out response",
		"s in notification ping", "s leaving notification note", "s out notification note",
	})
}

func TestStagesAreAddedByTheNameOfAnother(t *testing.T) {
	is := is.New(t)
	stage := func(name string) pipeline.Middleware { return pipeline.Middleware{Name: name} }
	names := func(chain []pipeline.Middleware) (all string) {
		for _, s := range chain {
			all += s.Name
		}
		return all
	}
	chain := []pipeline.Middleware{stage("a"), stage("b"), stage("c")}[:2:3]
	is.Equal(names(pipeline.Before(chain, "b", stage("x"), stage("y"))), "axyb")
	is.Equal(names(pipeline.After(chain, "b", stage("x"))), "abx")
	is.Equal(names(chain[:3]), "abc") // as it was
	defer func() { is.Equal(recover(), `the chain has no stage "z"; it has: a, b`) }()
	pipeline.Before(chain, "z", stage("x"))
}
