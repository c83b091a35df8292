//go:build unix

package wrap_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/wrap"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/behind"
)

// program returns a shell script as a server, which logs to log.
func program(t *testing.T, server string, log io.Writer) wrap.Server {
	t.Helper()
	runner := &process.Runner{}
	t.Cleanup(func() { runner.Close(time.Second) })
	_ = runner.Adopt()
	dialect := pipeline.MCP
	dialect.Relayed = true
	return wrap.Server{
		Runner:     runner,
		Command:    process.Command{Path: "/bin/sh", Args: []string{"-c", server}, Env: os.Environ(), Stderr: io.Discard},
		MaxMessage: 1 << 20,
		LastWords:  1 << 10,
		Dialect:    dialect,
		Log:        slog.New(slog.NewTextHandler(log, nil)),
	}
}

func standard(s wrap.Server, more ...pipeline.Middleware) []pipeline.Middleware {
	return append(middleware.Standard(middleware.Settings{Dialect: s.Dialect, Log: s.Log, MaxMessage: s.MaxMessage,
		Trip: middleware.Trip{Never: true}}), more...)
}

// serve runs a shell script as the server, and returns what the client got, and the log.
func serve(t *testing.T, server, client string, more ...pipeline.Middleware) (out, log string, err error) {
	t.Helper()
	var logged, got bytes.Buffer
	s := program(t, server, &logged)
	err = s.Serve(t.Context(), pipeline.NewNDJSON(io.NopCloser(strings.NewReader(client)), &got, 1<<20), standard(s, more...))
	return got.String(), logged.String(), err
}

const call = `{"jsonrpc":"2.0", "id":"a","method":"tools/call","params":{"name":"x"}}` + "\n"

func TestWhatPassesKeepsItsBytes(t *testing.T) {
	is := is.New(t)
	answer := `{"result" : {"x": 1.50}, "jsonrpc":"2.0", "id":"a"}`
	out, _, err := serve(t, `IFS= read -r line; echo '`+answer+`'; cat >/dev/null`, call)
	is.NoErr(err)
	is.Equal(out, answer+"\n")
}

func TestLinesThatAreNoMessagesStayOffTheClientsStream(t *testing.T) {
	is := is.New(t)
	out, log, err := serve(t, `read -r line; echo 'Server running'; printf '{"half":'; echo
		echo '{"jsonrpc":"2.0","id":"a","result":{}}'; cat >/dev/null`, call)
	is.NoErr(err)
	is.Equal(out, `{"jsonrpc":"2.0","id":"a","result":{}}`+"\n")
	is.True(strings.Contains(log, "Server running"))
}

func TestALineOfTheServerThatIsTooLongIsLeftOut(t *testing.T) {
	is := is.New(t)
	out, _, err := serve(t, `read -r line; head -c 3000000 /dev/zero | tr '\0' x; echo
		echo '{"jsonrpc":"2.0","id":"a","result":{}}'; cat >/dev/null`, call)
	is.NoErr(err)
	is.Equal(out, `{"jsonrpc":"2.0","id":"a","result":{}}`+"\n")
}

func TestASecondAnswerAndOneThatNobodyAskedForAreDropped(t *testing.T) {
	is := is.New(t)
	out, _, err := serve(t, `read -r line; for id in '"b"' '"a"' '"a"'; do
		echo '{"jsonrpc":"2.0","id":'"$id"',"result":{}}'; done; cat >/dev/null`, call)
	is.NoErr(err)
	is.Equal(out, `{"jsonrpc":"2.0","id":"a","result":{}}`+"\n")
}

func TestCallsOfAServerThatDiesAreAnsweredWithHowAndWhatItSaid(t *testing.T) {
	is := is.New(t)
	out, _, err := serve(t, `read -r line; echo 'no such key' >&2; exit 3`, call)
	is.Equal(out, `{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":`+
		`"the server has ended: exit code 3: no such key"}}`+"\n")
	is.True(errors.Is(err, behind.ErrGone))
}

func TestAServerThatIgnoresTheEndOfItsInputIsEndedWithAllThatItStarted(t *testing.T) {
	is := is.New(t)
	fifo := filepath.Join(t.TempDir(), "alive")
	is.NoErr(syscall.Mkfifo(fifo, 0o600))
	began := time.Now()
	_, _, err := serve(t, `exec 9<>'`+fifo+`'; sleep 100 & cat >/dev/null; sleep 100`, "")
	is.NoErr(err)
	is.True(time.Since(began) < time.Minute)
	_, err = os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	is.True(errors.Is(err, syscall.ENXIO)) // nobody has it open any more
}

func TestHiddenToolsAreNeitherListedNorCalled(t *testing.T) {
	is := is.New(t)
	tools := wrap.Tools{Allow: []string{"read_*", "stat"}, Deny: []string{"read_secret"}}
	out, _, err := serve(t, `read -r line
		echo '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name": "read_file" },{"name":"read_secret"},{"name":"rm"},{"name":"stat"}],"nextCursor":"x"}}'
		read -r line; cat >/dev/null`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n"+
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"rm"}}`+"\n", tools.Stage())
	is.NoErr(err)
	is.True(strings.Contains(out, `"tools":[{"name":"read_file"},{"name":"stat"}],"nextCursor":"x"`))
	is.True(strings.Contains(out, `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unknown tool: rm"}}`))
}

func TestAHiddenToolIsNotCalledByAnotherSpelling(t *testing.T) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"stat","name":"rm/all"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"stat","Name":"rm/all"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"rm/all"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"x","Method":"tools/call","params":{"name":"rm/all"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"stat"},"PARAMS":{"name":"rm/all"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":["rm/all"]}`,
	} {
		t.Run(line, func(t *testing.T) {
			is := is.New(t)
			out, _, err := serve(t, `if read -r line; then echo '{"jsonrpc":"2.0","id":2,"result":{}}'; fi; cat >/dev/null`,
				line+"\n", wrap.Tools{Deny: []string{"rm*"}}.Stage())
			is.NoErr(err)
			is.True(strings.Contains(out, `"error"`)) // the server has not seen it
		})
	}
}

func TestAPatternThatIsNoneIsAnError(t *testing.T) {
	is := is.New(t)
	is.NoErr(wrap.Tools{Allow: []string{"read_*", "?"}}.Check())
	is.True(wrap.Tools{Deny: []string{"read_["}}.Check() != nil)
}

func TestAProgramThatCannotBeStartedIsAnError(t *testing.T) {
	is := is.New(t)
	runner := &process.Runner{}
	defer runner.Close(time.Second)
	s := wrap.Server{
		Runner:  runner,
		Command: process.Command{Path: "/nonexistent", Stderr: io.Discard},
		Log:     slog.New(slog.DiscardHandler),
	}
	err := s.Serve(context.Background(), pipeline.NewNDJSON(io.NopCloser(strings.NewReader("")), io.Discard, 0), nil)
	var start *process.StartError
	is.True(errors.As(err, &start))
	_, err = wrap.Find([]string{"no-such-program-anywhere"})
	is.Equal(err.Error(), "no-such-program-anywhere cannot be started: executable file not found in $PATH")
}
