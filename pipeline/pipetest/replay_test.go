package pipetest_test

import (
	"context"
	"testing"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func TestARecordedConversationIsPlayedInFakeTime(t *testing.T) {
	methods := pipeline.Mux{
		"ping": pipetest.OK,
		"slow": func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			pipeline.Yield(ctx)
			<-time.After(time.Hour)
			return m.Answer("an hour later")
		},
	}
	pipetest.Replay(t, "testdata/echo", func(t testing.TB) *pipetest.Client {
		return pipetest.Start(t, nil, methods.Serve, pipeline.Options{})
	})
}
