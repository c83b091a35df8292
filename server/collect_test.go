package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// collected returns what a client receives from a call that logs n times, in order.
func collected(t *testing.T, n int) []string {
	t.Helper()
	is := is.New(t)
	var told []string
	failed := errors.New("failed")
	call := collect(func(_ context.Context, c run.Call) (*mcp.CallToolResult, error) {
		c.Progress(t.Context(), mcp.ProgressParams{})
		for i := 1; i < n; i++ {
			c.Log(t.Context(), mcp.LogParams{Data: fmt.Sprint(i)})
		}
		is.Equal(len(told), 0) // nothing before the end
		return nil, failed
	})
	_, err := call(t.Context(), run.Call{Call: sdk.Call{
		Progress: func(context.Context, mcp.ProgressParams) error { told = append(told, "0"); return nil },
		Log:      func(_ context.Context, p mcp.LogParams) error { told = append(told, p.Data.(string)); return nil },
	}})
	is.Equal(err, failed) // the result is returned
	return told
}

func TestNotificationsAreSentAtTheEndOfTheCall(t *testing.T) {
	for _, n := range []int{1, 3, 50, 51, 99, 100} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			is := is.New(t)
			var want []string
			for i := range n {
				want = append(want, fmt.Sprint(i))
			}
			is.Equal(strings.Join(collected(t, n), " "), strings.Join(want, " ")) // all of it, in order
		})
	}
}

func TestTheMiddleOfTooManyNotificationsIsOmitted(t *testing.T) {
	for _, n := range []int{101, 149, 150, 12345} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			is := is.New(t)
			told := collected(t, n)
			is.Equal(len(told), 101)
			for i := range 50 {
				is.Equal(told[i], fmt.Sprint(i))         // the first
				is.Equal(told[51+i], fmt.Sprint(n-50+i)) // the last
			}
			is.Equal(told[50], fmt.Sprintf("%d notifications omitted: MCPBASH_ENABLE_LIVE_PROGRESS=false keeps the first 50 and the last 50 of a call", n-100))
		})
	}
}
