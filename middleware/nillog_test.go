package middleware_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestAStageWithoutALogUsesTheDefaultOne(t *testing.T) {
	before := slog.Default()
	defer slog.SetDefault(before)
	for name, c := range map[string]struct {
		stage func() pipeline.Middleware
		says  string
	}{
		"recover": {func() pipeline.Middleware { return middleware.Recover(nil) }, "panic=oops"},
		"token": {func() pipeline.Middleware {
			return middleware.Token(middleware.Secret{Token: strings.Repeat("x", 32), Keys: []string{"t"}}, nil)
		}, "without the remote token"},
		"record": {func() pipeline.Middleware { return middleware.Record(middleware.Recording{To: broken{}}, nil, nil) }, "the disk is full"},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			var logged bytes.Buffer
			slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
			pipetest.In(t, c.stage(), func(context.Context, *pipeline.Message) (*pipeline.Message, error) {
				if name == "recover" {
					panic("oops")
				}
				return nil, nil
			}, `{"jsonrpc":"2.0","id":1,"method":"a"}`)
			is.True(strings.Contains(logged.String(), c.says))
		})
	}
}
