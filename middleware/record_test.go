package middleware_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func ExampleRecord() {
	var recording bytes.Buffer
	record := middleware.Record(middleware.Recording{To: &recording}, nil, slog.New(slog.DiscardHandler))
	pipetest.Serve(io.Discard, []pipeline.Middleware{record}, nil,
		`{"jsonrpc":"2.0","id":1,"method":"login","params":{"user":"me","password":"1234"}}`)
	for line := range strings.Lines(recording.String()) {
		os.Stdout.WriteString(line[strings.Index(line, `"way"`):]) // without the time
	}
	// Output:
	// "way":"start","message":{}}
	// "way":"in","line":1,"message":{"jsonrpc":"2.0","id":1,"method":"login","params":{"user":"me","password":"[redacted]"}}}
	// "way":"out","line":1,"message":{"jsonrpc":"2.0","id":1,"result":{}}}
}

func recorded(t *testing.T, next pipeline.Handler, lines ...string) (got []string, recording string) {
	t.Helper()
	var w bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		got = pipetest.In(t, middleware.Record(middleware.Recording{To: &w, Project: "/srv/notes"}, []string{"hush"}, quiet), next, lines...)
	})
	return got, anySession.ReplaceAllString(w.String(), `"session":"S"`)
}

// anySession is different for each stream.
var anySession = regexp.MustCompile(`"session":"[A-Z2-7]{10}"`)

func TestEachMessageIsRecordedAsItPasses(t *testing.T) {
	is := is.New(t)
	got, recording := recorded(t, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		pipeline.From(ctx).Notify(ctx, logs, "working")
		return m.Answer(nil)
	}, ping(1), "nonsense", pipetest.Notification("note", ""))
	is.Equal(len(got), 4) // nothing is lost
	const at = `{"session":"S","time":"2000-01-01T00:00:00.000000Z","way":`
	said := `"message":` + pipetest.Notification(logs, `"working"`) + "}\n"
	is.Equal(recording, at+`"start","message":{"project":"/srv/notes"}}`+"\n"+
		at+`"in","line":1,"message":`+ping(1)+"}\n"+
		at+`"out","line":1,`+said+
		at+`"out","line":1,"message":`+pong(1)+"}\n"+
		at+`"in","line":2,"message":"nonsense"}`+"\n"+ // not JSON: recorded as text
		at+`"out","line":2,"message":`+got[2]+"}\n"+
		at+`"in","line":3,"message":`+pipetest.Notification("note", "")+"}\n"+
		at+`"out","line":3,`+said)
}

func TestSecretsAreNotRecordedAndPassAsTheyAre(t *testing.T) {
	is := is.New(t)
	secrets := pipetest.Call(1, "echo", `{"token":"abc","text":"hush!"}`)
	got, recording := recorded(t, func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		return m.Answer(m.Params())
	}, secrets)
	is.Equal(got, []string{answer(1, `{"token":"abc","text":"hush!"}`)})
	is.True(!strings.Contains(recording, "abc"))                                         // recognized by its name
	is.True(!strings.Contains(recording, "hush"))                                        // named by the caller
	is.Equal(strings.Count(recording, `{"token":"[redacted]","text":"[redacted]!"}`), 2) // both ways
	is.Equal(middleware.Record(middleware.Recording{}, nil, quiet).Inbound == nil, true) // nothing to redact
	is.Equal(pipetest.In(t, middleware.Record(middleware.Recording{}, nil, quiet), nil, ping(1))[0], pong(1))
}

// full is a writer that always fails, as a full disk does.
type full struct{ tries int }

func (f *full) Write([]byte) (int, error) {
	f.tries++
	return 0, errors.New("no room")
}

func TestAFailedRecordingDoesNotStopTheServer(t *testing.T) {
	is := is.New(t)
	var told bytes.Buffer
	disk := &full{}
	record := middleware.Record(middleware.Recording{To: disk}, nil, slog.New(slog.NewTextHandler(&told, nil)))
	is.Equal(pipetest.In(t, record, nil, ping(1), ping(2)), []string{pong(1), pong(2)})
	is.Equal(disk.tries, 1)                                                                            // tried only once
	is.Equal(strings.Count(told.String(), `msg="recording stopped: cannot write" error="no room"`), 1) // and logged once
}

func BenchmarkRecord(b *testing.B) {
	stage := middleware.Record(middleware.Recording{To: io.Discard}, []string{sesame}, quiet)
	m := pipeline.Parse([]byte(pipetest.Call(1, "tools/call", `{"name":"hello","arguments":{"name":"you"},"_meta":{"progressToken":1}}`)))
	next := func(context.Context, *pipeline.Message) (*pipeline.Message, error) { return nil, nil }
	for b.Loop() {
		stage.Inbound(b.Context(), m, next)
	}
}

func TestOnlySentMessagesAreRecorded(t *testing.T) {
	is := is.New(t)
	var w bytes.Buffer
	stages := chain(middleware.Record(middleware.Recording{To: &w, Project: "/srv/notes"}, nil, quiet), pipeline.Middleware{Name: "wire", Outbound: func(_ context.Context, m *pipeline.Message, next pipeline.Sender) error {
		return errors.New("the client is gone")
	}})
	slices.Reverse(stages) // the stage record, and those between it and the client
	pipetest.Chain(t, stages, nil, ping(1))
	is.Equal(strings.Count(w.String(), `"way":"in"`), 1)
	is.Equal(strings.Count(w.String(), `"way":"out"`), 0)
}
