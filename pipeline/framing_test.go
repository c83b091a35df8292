package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// ours are the framings of the package: what all of them keep to is tested of each that has a row.
var ours = map[string]struct {
	open  func(r io.Reader, w io.Writer, max int) jsonrpc2.ObjectStream
	frame func(message string) string
}{
	"NDJSON": {
		func(r io.Reader, w io.Writer, max int) jsonrpc2.ObjectStream { return pipeline.NewNDJSON(r, w, max) },
		func(message string) string { return message + "\n" },
	},
	"ContentLength": {
		func(r io.Reader, w io.Writer, max int) jsonrpc2.ObjectStream {
			return pipeline.NewContentLength(r, w, max)
		},
		frame,
	},
}

// framings are the streams that a pipeline can serve: ours and those of jsonrpc2.
var framings = map[string]func(io.ReadWriteCloser) jsonrpc2.ObjectStream{
	"jsonrpc2 VSCode": buffered(jsonrpc2.VSCodeObjectCodec{}),
	"jsonrpc2 varint": buffered(jsonrpc2.VarintObjectCodec{}),
	//lint:ignore SA1019 programs may still use it
	"jsonrpc2 plain":        buffered(jsonrpc2.PlainObjectCodec{}),
	"jsonrpc2 plain stream": jsonrpc2.NewPlainObjectStream,
}

func init() {
	for name, f := range ours {
		framings[name] = func(c io.ReadWriteCloser) jsonrpc2.ObjectStream { return f.open(c, c, 0) }
	}
}

func buffered(codec jsonrpc2.ObjectCodec) func(io.ReadWriteCloser) jsonrpc2.ObjectStream {
	return func(c io.ReadWriteCloser) jsonrpc2.ObjectStream { return jsonrpc2.NewBufferedStream(c, codec) }
}

// dial starts a pipeline over a stream and connects a client of jsonrpc2 to it.
func dial(t *testing.T, framing func(io.ReadWriteCloser) jsonrpc2.ObjectStream, handler pipeline.Handler) *jsonrpc2.Conn {
	ours, theirs := net.Pipe()
	p := pipeline.New(framing(ours), nil, handler, pipeline.Options{})
	ended := make(chan error, 1)
	go func() { ended <- p.Run(context.Background()) }()
	client := jsonrpc2.NewConn(t.Context(), framing(theirs), jsonrpc2.AsyncHandler(nil))
	t.Cleanup(func() {
		client.Close()
		if err := <-ended; err != nil {
			t.Errorf("the pipeline ended with: %v", err)
		}
	})
	return client
}

func TestEachCallKeepsItsBytesInEveryFraming(t *testing.T) {
	const calls = 16
	for name, framing := range framings {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			var all sync.WaitGroup
			all.Add(calls)
			client := dial(t, framing, func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
				pipeline.Yield(ctx)
				all.Done()
				all.Wait() // until all of them were read
				return m.Answer(m.Params())
			})
			var waiting [calls]jsonrpc2.Waiter
			for i := range calls {
				var err error
				waiting[i], err = client.DispatchCall(t.Context(), "echo", map[string]string{"text": strings.Repeat(fmt.Sprint(i%10), 1000+i)})
				is.NoErr(err)
			}
			for i := range calls {
				var got struct{ Text string }
				is.NoErr(waiting[i].Wait(t.Context(), &got))
				is.Equal(got.Text, strings.Repeat(fmt.Sprint(i%10), 1000+i)) // its own bytes, not those of another call
			}
		})
	}
}

// frame puts a header before a message.
func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// over sends raw bytes to a pipeline in a framing of ours and returns the messages that it writes.
func over(t *testing.T, framing, in string, max int) ([]string, error) {
	var out strings.Builder
	f := ours[framing]
	err := pipeline.New(f.open(strings.NewReader(in), &out, max), nil, methods().Serve, pipeline.Options{}).Run(t.Context())
	var lines []string
	read := f.open(strings.NewReader(out.String()), nil, 0)
	for {
		var line json.RawMessage
		if read.ReadObject(&line) != nil {
			return lines, err
		}
		lines = append(lines, string(line))
	}
}

func TestAMalformedBodyCostsOnlyItself(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"short", `{"jsonrpc"`, `"error":{"code":-32700`},
		{"longer than any buffer", `{"jsonrpc"` + strings.Repeat("x", 100_000), `"error":{"code":-32700`},
		{"followed by something", ping1 + strings.Repeat(" ", 1000) + "x", `"error":{"code":-32700`},
		{"empty", ``, `"error":{"code":-32700`},
		{"too long", ping1 + strings.Repeat(" ", 200_000), `"id":1,"error":{"code":-32600`},
	} {
		for name, f := range ours {
			t.Run(c.name+" "+name, func(t *testing.T) {
				is := is.New(t)
				got, err := over(t, name, f.frame(c.body)+f.frame(ping1), 150_000)
				is.NoErr(err)
				is.Equal(len(got), 2)
				is.True(strings.HasPrefix(got[0], `{"jsonrpc":"2.0",`+c.want)) // one error
				is.Equal(got[1], pong1)                                        // and the session goes on
			})
		}
	}
}

func TestHeadersAreReadAsOthersWriteThem(t *testing.T) {
	for _, header := range []string{
		"Content-Length: %d\r\n\r\n", "content-length:%d\r\n\r\n", "Content-Length: %d\n\n",
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
	} {
		is := is.New(t)
		got, err := over(t, "ContentLength", fmt.Sprintf(header, len(ping1))+ping1, 0)
		is.NoErr(err)
		is.Equal(got, []string{pong1})
	}
}

func TestAHeaderThatDoesNotSayTheLengthEndsTheSession(t *testing.T) {
	for header, want := range map[string]string{
		"Content-Type: x\r\n\r\n":                      `read: header without Content-Length`,
		"Content-Length: -1\r\n\r\n":                   `read: Content-Length: "-1" is not a length`,
		"Content-Length: 1e3\r\n\r\n":                  `read: Content-Length: "1e3" is not a length`,
		"hello\r\n\r\n":                                `read: "hello" is not a header`,
		"Content-Length: 5":                            `read: the input ends within a message`,
		"Content-Length: 100\r\n\r\n{}":                `read: the input ends within a message`,
		"X: " + strings.Repeat("x", 100_000) + "\r\n":  `read: a line of the header is too long`,
		"Content-Length: 99999999999999999999\r\n\r\n": `read: Content-Length: "99999999999999999999" is not a length`,
	} {
		is := is.New(t)
		got, err := over(t, "ContentLength", frame(ping1)+header, 0)
		is.Equal(got, []string{pong1}) // what was read before is answered
		is.True(err != nil)            // after that, the start of the next message is unknown
		is.Equal(err.Error(), want)
	}
}

func TestAParseErrorEndsTheSessionIfTheNextMessageCannotBeFound(t *testing.T) {
	is := is.New(t)
	ours, theirs := net.Pipe()
	go func() {
		io.WriteString(theirs, ping1+`{"jsonrpc"]`+ping1)
	}()
	var got []json.RawMessage
	read := make(chan struct{})
	go func() {
		defer close(read)
		for d := json.NewDecoder(theirs); ; {
			var line json.RawMessage
			if d.Decode(&line) != nil {
				return
			}
			got = append(got, line)
		}
	}()
	p := pipeline.New(jsonrpc2.NewPlainObjectStream(ours), nil, pipetest.OK, pipeline.Options{})
	err := p.Run(t.Context())
	<-read
	is.True(err != nil && strings.HasPrefix(err.Error(), "read: ")) // returned from Run
	is.Equal(len(got), 2)
	is.Equal(string(got[0]), pong1)
	is.True(strings.HasPrefix(string(got[1]), `{"jsonrpc":"2.0","error":{"code":-32700,`)) // and sent to the client
}

func TestABodyThatIsNotJSONCostsNoOtherMessage(t *testing.T) {
	for name, framing := range map[string]func(io.ReadWriteCloser) jsonrpc2.ObjectStream{
		"ours": framings["ContentLength"], "jsonrpc2": framings["jsonrpc2 VSCode"],
	} {
		for _, body := range []string{`{bad`, `{"jsonrpc":"2.0",`, `{"a":1}}`, `]` + strings.Repeat(" ", 500)} {
			t.Run(name+" "+body[:4], func(t *testing.T) {
				is := is.New(t)
				input := frame(body) + frame(ping1)
				var out strings.Builder
				p := pipeline.New(framing(rwc{strings.NewReader(input), &out}), nil, pipetest.OK, pipeline.Options{})
				is.NoErr(p.Run(t.Context()))
				first, rest, _ := strings.Cut(out.String(), "}Content-Length")
				is.True(strings.Contains(first, `"error":{"code":-32`))
				is.True(strings.HasSuffix(rest, pong1))
			})
		}
	}
}

// rwc makes a connection of two sides.
type rwc struct {
	io.Reader
	io.Writer
}

func (rwc) Close() error { return nil }

func TestAResultThatTheStreamCannotEncodeCostsOnlyItsCall(t *testing.T) {
	is := is.New(t)
	client := dial(t, framings["jsonrpc2 VSCode"], func(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		if m.Method() == "broken" {
			return m.Answer(json.RawMessage(`{"a":`))
		}
		return m.Answer(nil)
	})
	err := client.Call(t.Context(), "broken", nil, nil)
	var fault *jsonrpc2.Error
	is.True(errors.As(err, &fault)) // the call is answered
	is.Equal(fault.Code, int64(jsonrpc2.CodeInternalError))
	is.NoErr(client.Call(t.Context(), "ping", nil, nil)) // and the session goes on
}
