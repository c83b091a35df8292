package behind_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/behind"
)

var quiet = slog.New(slog.DiscardHandler)

// chain is that of a relay for MCP.
func chain(server *behind.Server) []pipeline.Middleware {
	return []pipeline.Middleware{
		middleware.Breaker(middleware.Trip{Never: true}, quiet),
		middleware.Sanitize(),
		middleware.Batch(pipeline.MCP, func() bool { return true }),
		middleware.Cancel(relayed, quiet),
		middleware.Recover(quiet),
		server.Stage(),
	}
}

// A party is one of the two that speak: it writes lines and keeps those that it gets.
type party struct {
	conn net.Conn
	got  chan string
}

func newParty(conn net.Conn) *party {
	p := &party{conn: conn, got: make(chan string, 100_000)}
	go func() {
		in := bufio.NewReader(conn)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				close(p.got)
				return
			}
			p.got <- strings.TrimSuffix(line, "\n")
		}
	}()
	return p
}

func (p *party) send(lines ...string) {
	for _, line := range lines {
		io.WriteString(p.conn, line+"\n")
	}
}

// recv returns the next n lines.
func (p *party) recv(n int) (lines []string) {
	for range n {
		line, open := <-p.got
		if !open {
			return append(lines, "the end")
		}
		lines = append(lines, line)
	}
	return lines
}

// relayed is the dialect of stages in front of another server.
var relayed = func(d pipeline.Dialect) pipeline.Dialect { d.Relayed = true; return d }(pipeline.MCP)

// between returns a client and a server with a relay between them, and what ends it.
func between(t *testing.T, stages func(*behind.Server) []pipeline.Middleware, o behind.Options) (client, server *party, end func()) {
	t.Helper()
	inside, a := socket(t)
	outside, b := socket(t)
	o.Dialect, o.Log = pipeline.MCP, quiet
	s := behind.New(pipeline.NewNDJSON(inside, inside, 0), o)
	p := pipeline.New(pipeline.NewNDJSON(outside, outside, 0), stages(s), s.Handle, pipeline.Options{Log: quiet, CallIDs: "relay-"})
	var running sync.WaitGroup
	running.Go(func() { p.Run(context.Background()); inside.Close() })
	running.Go(func() { s.Run(context.Background(), p); p.Finish() })
	client, server = newParty(b), newParty(a)
	var once sync.Once
	end = func() {
		once.Do(func() {
			a.Close()
			running.Wait()
		})
	}
	t.Cleanup(end)
	return client, server, end
}

// socket returns both ends of a connection that holds what nobody has read yet.
func socket(t *testing.T) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

func TestEverythingPassesInOrderAndByteForByte(t *testing.T) {
	for _, inFlight := range []int{1, 64} {
		t.Run(fmt.Sprint(inFlight, " in flight"), func(t *testing.T) {
			is := is.New(t)
			client, server, _ := between(t, chain, behind.Options{})
			const n = 512
			var calls, notes, answers []string
			for i := range n {
				// the ids, blanks and escapes of another's encoder
				calls = append(calls, fmt.Sprintf(`{ "id":%d.0, "method":"tools/call","params":{"a" : "\u00e4",  "_meta":{"progressToken":"t%d"}},"jsonrpc":"2.0"}`, i, i))
				notes = append(notes, fmt.Sprintf(`{"method":"note%d" ,"jsonrpc":"2.0"}`, i))
				answers = append(answers,
					fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t%d","progress":1e0}}`, i),
					fmt.Sprintf(`{"result":{"n" : %d}, "id":%d.0,"jsonrpc":"2.0"}`, i, i),
					fmt.Sprintf(`{"jsonrpc":"2.0", "method":"after%d"}`, i))
			}
			var sent, got []string
			for part := 0; part < n; part += inFlight {
				var lines []string
				for i := part; i < part+inFlight; i++ {
					lines = append(lines, calls[i], notes[i])
				}
				client.send(lines...)
				sent = append(sent, server.recv(len(lines))...)
				server.send(answers[3*part : 3*(part+inFlight)]...)
				got = append(got, client.recv(3*inFlight)...)
			}
			for i := range n {
				is.Equal(sent[2*i:2*i+2], []string{calls[i], notes[i]})
			}
			is.Equal(got, answers)
		})
	}
}

func TestAnAnswerWithAByteOrderMarkOrBytesThatAreNotUTF8ReachesItsCall(t *testing.T) {
	is := is.New(t)
	client, server, _ := between(t, chain, behind.Options{})
	client.send(`{"jsonrpc":"2.0","id":1,"method":"a"}`, `{"jsonrpc":"2.0","id":2,"method":"a"}`)
	server.recv(2)
	server.send("\ufeff"+`{"jsonrpc":"2.0","id":1,"result":{}}`, "garbage \xff", `{"jsonrpc":"2.0","id":2,"result":"caf`+"\xe9"+`"}`)
	is.Equal(client.recv(2), []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":"caf�"}`})
}

func TestTheServersOwnCallsAreAnsweredByTheClientInTheOrderInWhichItWrites(t *testing.T) {
	is := is.New(t)
	client, server, _ := between(t, chain, behind.Options{})
	var asked, answered []string
	for i := range 500 {
		asked = append(asked, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"sampling/createMessage"}`, i))
		answered = append(answered, fmt.Sprintf(`{"jsonrpc":"2.0","id": %d,"result":{}}`, i), fmt.Sprintf(`{"jsonrpc":"2.0","method":"then%d"}`, i))
	}
	server.send(asked...)
	is.Equal(client.recv(len(asked)), asked)
	client.send(answered...)
	is.Equal(server.recv(len(answered)), answered)
}

func TestALateAnswerToACallThatTheServerHasCancelledDoesNotReachIt(t *testing.T) {
	is := is.New(t)
	client, server, _ := between(t, chain, behind.Options{})
	server.send(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	client.recv(2)
	client.send(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`, `{"jsonrpc":"2.0","method":"after"}`)
	is.Equal(server.recv(1), []string{`{"jsonrpc":"2.0","method":"after"}`})
}

func TestWhatIsNoMessageIsKeptFromTheClientAndCounted(t *testing.T) {
	is := is.New(t)
	var log lockedBuffer
	stages := func(s *behind.Server) []pipeline.Middleware {
		return []pipeline.Middleware{middleware.Breaker(middleware.Trip{Threshold: 3}, slog.New(slog.NewTextHandler(&log, nil))), s.Stage()}
	}
	client, server, _ := between(t, stages, behind.Options{})
	const note = `{"jsonrpc":"2.0","method":"note"}`
	server.send("Listening on stdio", note)
	is.Equal(client.recv(1), []string{note})
	server.send("again", "and again")
	is.Equal(client.recv(1), []string{"the end"}) // a server that keeps doing so is broken
	is.Equal(strings.Count(log.String(), `msg="corrupt output"`), 3)
}

func TestACallThatAStageEndsIsCancelledBehind(t *testing.T) {
	is := is.New(t)
	stages := func(s *behind.Server) []pipeline.Middleware {
		return []pipeline.Middleware{middleware.Timeout(func(*pipeline.Message) time.Duration { return time.Millisecond }), s.Stage()}
	}
	client, server, _ := between(t, stages, behind.Options{})
	const call = `{"jsonrpc":"2.0","id":"x","method":"slow"}`
	client.send(call)
	got := server.recv(2)
	is.Equal(got[0], call)
	is.True(strings.Contains(got[1], `"method":"notifications/cancelled"`) && strings.Contains(got[1], `"requestId":"x"`))
	is.True(strings.Contains(client.recv(1)[0], `"id":"x","error"`))
	server.send(`{"jsonrpc":"2.0","id":"x","result":{}}`, `{"jsonrpc":"2.0","method":"note"}`)
	is.Equal(client.recv(1), []string{`{"jsonrpc":"2.0","method":"note"}`}) // the late answer is not sent
}

func TestTheProgressOfACallPassesWhenAnotherWithItsTokenWasGivenUp(t *testing.T) {
	is := is.New(t)
	stages := func(s *behind.Server) []pipeline.Middleware {
		return []pipeline.Middleware{middleware.Timeout(func(m *pipeline.Message) time.Duration {
			if m.Method() == "slow" {
				return 20 * time.Millisecond
			}
			return 0
		}), s.Stage()}
	}
	client, server, _ := between(t, stages, behind.Options{})
	const params = `"params":{"_meta":{"progressToken":"t"}}}`
	client.send(`{"jsonrpc":"2.0","id":1,"method":"slow",`+params, `{"jsonrpc":"2.0","id":2,"method":"long",`+params)
	is.True(strings.Contains(strings.Join(server.recv(3), ""), `"method":"notifications/cancelled"`))
	client.recv(1)
	const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`
	server.send(progress, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	is.Equal(client.recv(1), []string{progress})
}

func TestAServerHasABoundedNumberOfCallsThatTheClientHasNotAnswered(t *testing.T) {
	is := is.New(t)
	client, server, _ := between(t, chain, behind.Options{})
	for i := range 1001 {
		server.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"sampling/createMessage"}`, i))
	}
	is.True(strings.HasPrefix(server.recv(1)[0], `{"jsonrpc":"2.0","id":1000,"error":`))
	client.recv(1000)
	client.send(`{"jsonrpc":"2.0","id":0,"result":{}}`)
	server.recv(1)
	server.send(`{"jsonrpc":"2.0","id":0,"method":"roots/list"}`) // there is room again
	is.Equal(client.recv(1), []string{`{"jsonrpc":"2.0","id":0,"method":"roots/list"}`})
}

func TestCallsThatAServerLeavesBehindAreAnsweredWithTheReason(t *testing.T) {
	is := is.New(t)
	client, server, end := between(t, chain, behind.Options{Gone: func(error) error { return fmt.Errorf("exit status 7") }})
	client.send(`{"jsonrpc":"2.0","id":1,"method":"slow"}`)
	server.recv(1)
	go end()
	is.Equal(client.recv(2), []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"exit status 7"}}`, "the end"})
}

func TestACallOfTheServerThatAStageKeepsBackIsRefused(t *testing.T) {
	is := is.New(t)
	stages := func(s *behind.Server) []pipeline.Middleware {
		return []pipeline.Middleware{{Name: "nothing", Outbound: func(_ context.Context, m *pipeline.Message, _ pipeline.Sender) error {
			return fmt.Errorf("%w: not allowed", pipeline.ErrInvalidRequest)
		}}, s.Stage()}
	}
	_, server, _ := between(t, stages, behind.Options{})
	server.send(`{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage"}`)
	is.Equal(server.recv(1), []string{`{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"invalid request: not allowed"}}`})
}

func TestAStageMayTryACallAgain(t *testing.T) {
	is := is.New(t)
	stages := func(s *behind.Server) []pipeline.Middleware {
		return []pipeline.Middleware{{Name: "again", Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if answer, err := next(ctx, m); err != nil || answer == nil || answer.Fault() == nil {
				return answer, err
			}
			return next(ctx, m)
		}}, s.Stage()}
	}
	client, server, _ := between(t, stages, behind.Options{})
	const call = `{"jsonrpc":"2.0","id":1,"method":"m"}`
	client.send(call)
	server.recv(1)
	server.send(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"busy"}}`)
	is.Equal(server.recv(1), []string{call})
	server.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	is.Equal(client.recv(1), []string{`{"jsonrpc":"2.0","id":1,"result":{}}`})
}

// TestRandomConversationsAreThoseOfADirectConnection lets two parties write what they like, at the
// same time, and compares what each gets with what the other wrote, less what a rule takes out: the
// answer and the progress of a call that was cancelled before, and what is not a message.
func TestRandomConversationsAreThoseOfADirectConnection(t *testing.T) {
	seeds := uint64(20)
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			is := is.New(t)
			random := rand.New(rand.NewPCG(seed, 0))
			client, server, _ := between(t, chain, behind.Options{})

			// What the client writes: calls, notifications, batches; some calls are cancelled at once.
			var fromClient, atServer []string
			var toAnswer []int
			cancelled := make(map[int]bool)
			for i := range 300 {
				call := fmt.Sprintf(`{"jsonrpc":"2.0", "id":%d,"method":"m","params":{"_meta":{"progressToken":%d}}}`, i, i)
				note := fmt.Sprintf(`{"jsonrpc":"2.0" ,"method":"n%d"}`, i)
				switch random.IntN(5) {
				case 0:
					fromClient, atServer = append(fromClient, "["+note+","+call+"]"), append(atServer, note, call)
					toAnswer = append(toAnswer, i)
				case 1:
					cancel := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d.0}}`, i)
					fromClient, atServer = append(fromClient, call, cancel), append(atServer, call, cancel)
					toAnswer, cancelled[i] = append(toAnswer, i), true
				case 2:
					fromClient, atServer = append(fromClient, note), append(atServer, note)
				default:
					fromClient, atServer = append(fromClient, call), append(atServer, call)
					toAnswer = append(toAnswer, i)
				}
			}
			client.send(fromClient...)
			is.Equal(server.recv(len(atServer)), atServer)

			// What the server writes, in an order of its own: answers, progress, calls, garbage.
			random.Shuffle(len(toAnswer), func(a, b int) { toAnswer[a], toAnswer[b] = toAnswer[b], toAnswer[a] })
			var fromServer, atClient []string
			add := func(line string, arrives bool) {
				fromServer = append(fromServer, line)
				if arrives {
					atClient = append(atClient, line)
				}
			}
			for k, i := range toAnswer {
				add(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d, "progress":1}}`, i), !cancelled[i])
				if cancelled[i] {
					continue // as MCP has it
				}
				switch random.IntN(4) {
				case 0:
					add("no message", false)
				case 1:
					add(fmt.Sprintf(`{"jsonrpc":"2.0","id":"s%d","method":"roots/list"}`, k), true)
				case 2:
					add(fmt.Sprintf(`{"jsonrpc":"2.0" , "method":"log%d"}`, k), true)
				}
				add(fmt.Sprintf(`{"id":%d,"jsonrpc":"2.0","result":{"k":%d}}`, i, k), true)
			}
			server.send(fromServer...)
			got := client.recv(len(atClient))
			is.Equal(len(got), len(atClient))
			for k := range got {
				if got[k] != atClient[k] {
					t.Fatalf("line %d: got %s, want %s", k, got[k], atClient[k])
				}
			}

			// The client answers the server's calls, backwards.
			var answers []string
			for _, line := range slices.Backward(atClient) {
				var m struct{ ID, Method any }
				is.NoErr(json.Unmarshal([]byte(line), &m))
				if m.Method == "roots/list" {
					answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{ "roots":[]}}`, m.ID))
				}
			}
			client.send(answers...)
			is.Equal(server.recv(len(answers)), answers)
		})
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Builder.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Builder.String()
}
