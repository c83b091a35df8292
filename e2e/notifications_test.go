package e2e

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// next waits for the next notification that a handler has received.
func next[T any](t *testing.T, heard <-chan T) T {
	t.Helper()
	select {
	case v := <-heard:
		return v
	case <-patient(t).Done():
		t.Fatal("waited in vain for a notification")
		panic("unreachable")
	}
}

func TestProgressIsToldWhileTheToolWorks(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	dir := t.TempDir()
	gate := fifo(t, filepath.Join(dir, "gate"))
	heard := make(chan mcp.ProgressNotificationParams, 10)
	session := connect(t, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, n *mcp.ProgressNotificationClientRequest) { heard <- *n.Params },
	}, "MCP_E2E_DIR="+dir)

	answer := make(chan string, 1)
	go func() {
		params := &mcp.CallToolParams{Name: "progress"}
		params.SetProgressToken("p")
		result, err := session.CallTool(patient(t), params)
		if err != nil {
			answer <- err.Error()
			return
		}
		answer <- textOf(result)
	}()
	is.Equal(cmp.Diff(next(t, heard), progress(1, "begun")), "") // while the tool waits at the gate
	_, err := gate.WriteString("go on\n")
	is.NoErr(err)
	is.Equal(cmp.Diff(next(t, heard), progress(2, "halfway")), "")
	is.Equal(cmp.Diff(next(t, heard), progress(3, "done")), "") // a step back is not reported
	is.Equal(next(t, answer), "All done.\n")
}

func progress(n float64, message string) mcp.ProgressNotificationParams {
	return mcp.ProgressNotificationParams{ProgressToken: "p", Progress: n, Total: 3, Message: message}
}

func TestLogMessagesAreToldFromTheLevelOn(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	heard := make(chan mcp.LoggingMessageParams, 10)
	session := connect(t, &mcp.ClientOptions{
		LoggingMessageHandler: func(_ context.Context, n *mcp.LoggingMessageRequest) { heard <- *n.Params },
	})
	for _, c := range []struct {
		level mcp.LoggingLevel // "": the client has not set one
		want  []mcp.LoggingLevel
	}{
		{"", []mcp.LoggingLevel{"info", "warning", "error"}},
		{"error", []mcp.LoggingLevel{"error"}},
		{"debug", []mcp.LoggingLevel{"debug", "info", "warning", "error"}},
	} {
		if c.level != "" {
			is.NoErr(session.SetLoggingLevel(patient(t), &mcp.SetLoggingLevelParams{Level: c.level}))
		}
		is.Equal(textOf(call(t, session, "log", "")), "Logged.\n")
		for _, level := range c.want {
			is.Equal(cmp.Diff(next(t, heard), mcp.LoggingMessageParams{
				Level: level, Logger: "weather", Data: map[string]any{"said": string(level)},
			}), "") // in order, and none of a lower level between
		}
	}
}

func TestProgressIsToldInOrderAndNotAfterTheAnswer(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := start(t, command(t, "serve", "-C", workshop))
	s.send(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":"p"}}}`,
	)
	s.in.Close()
	lines := s.rest()
	is.Equal(len(lines), 5)
	for i, id := range []string{"1", "", "", "", "2"} {
		is.Equal(answered(lines[i]), id) // three notifications between the answers
	}
}
