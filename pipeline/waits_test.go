package pipeline_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

func TestAMessageThatWaitsForOthersDelaysTheEndByTheGraceAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		h := make(hold)
		waits := func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
			pipeline.Yield(ctx)
			defer pipeline.Waits(ctx)()
			<-h
			return m.Answer(nil)
		}
		took, err := stuckWith(t, h, io.Discard, nil, waits, pipeline.Options{Grace: 4 * time.Second}) // no limit to draining
		is.True(errors.Is(err, pipeline.ErrStuck))
		is.Equal(took, 4*time.Second)
	})
}
