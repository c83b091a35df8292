//go:build unix

package wrap_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/remote"
	"github.com/mcp-bash/mcp-bash/v2/internal/wrap"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// mortal is a server that keeps in a file what each of its lives has read: the answer to a call is what that life has read
// so far. It dies at a call of "die", and before that asks for the roots of the client at a call of "ask".
const mortal = `
echo "life $$" >>"$LIVES"
revision=${REVISION:-2025-11-25}
while IFS= read -r line; do
	method=${line#*'"method":"'}; method=${method%%'"'*}
	id=${line#*'"id":'}; id=${id%%,*}
	echo "$method" >>"$LIVES"
	case $method in
	initialize) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"'"$revision"'"}}' ;;
	die) echo 'out of luck' >&2; exit 3 ;;
	ask) echo '{"jsonrpc":"2.0","id":"q","method":"roots/list"}'; read -r line; exit 4 ;;
	notifications/*|'{'*) ;;
	*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{}}' ;;
	esac
done`

// A client speaks with a server that is started again.
type client struct {
	t     *testing.T
	in    io.WriteCloser
	out   *bufio.Reader
	lives string // the file
	end   func() error
}

func restarted(t *testing.T, server string) *client {
	t.Helper()
	lives := filepath.Join(t.TempDir(), "lives")
	t.Setenv("LIVES", lives)
	c := converse(t, program(t, server, io.Discard))
	c.lives = lives
	return c
}

func converse(t *testing.T, s wrap.Server) *client {
	t.Helper()
	c := &client{t: t}
	s.Log, s.Restart = slog.New(slog.DiscardHandler), true
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c.in, c.out = toServer, bufio.NewReader(fromServer)
	ended := make(chan error, 1)
	go func() {
		ended <- s.Serve(t.Context(), pipeline.NewNDJSON(in, out, 0), standard(s))
		out.Close()
	}()
	c.end = sync.OnceValue(func() error {
		toServer.Close()
		go io.Copy(io.Discard, fromServer)
		return <-ended
	})
	t.Cleanup(func() { c.end() })
	return c
}

func (c *client) send(lines ...string) {
	for _, line := range lines {
		io.WriteString(c.in, line+"\n")
	}
}

// next returns the next line that the client gets.
func (c *client) next() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// call sends a call and returns the next line.
func (c *client) call(id int, method string) string {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s"}`, id, method))
	return c.next()
}

func (c *client) hello() string {
	c.t.Helper()
	answer := c.call(0, "initialize")
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return answer
}

// lived returns what each life has read.
func (c *client) lived() (lives []string) {
	c.t.Helper()
	text, err := os.ReadFile(c.lives)
	if err != nil {
		c.t.Fatal(err)
	}
	for life := range strings.SplitSeq(string(text), "life ") {
		if _, read, ok := strings.Cut(life, "\n"); ok {
			lives = append(lives, strings.TrimSpace(strings.ReplaceAll(read, "\n", " ")))
		}
	}
	return lives
}

const gone = `{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"the server has ended: exit code 3; ` +
	`the next call starts it again: out of luck"}}`

func TestTheNextCallStartsAServerThatHasDiedAndRepeatsTheHandshake(t *testing.T) {
	is := is.New(t)
	c := restarted(t, mortal)
	is.Equal(c.hello(), `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}`)
	is.Equal(c.call(1, "die"), fmt.Sprintf(gone, 1))
	c.send(`{"jsonrpc":"2.0","method":"notifications/note"}`) // starts nothing
	is.Equal(c.call(2, "tools/list"), `{"jsonrpc":"2.0","id":2,"result":{}}`)
	is.Equal(c.call(3, "ping"), `{"jsonrpc":"2.0","id":3,"result":{}}`)
	is.NoErr(c.end())
	is.Equal(c.lived(), []string{"initialize notifications/initialized die",
		"initialize notifications/initialized tools/list ping"})
}

func TestAHandshakeWhoseClientDidNotWaitIsRepeatedAsAWhole(t *testing.T) {
	is := is.New(t)
	c := restarted(t, strings.Replace(mortal, "initialize) echo", `initialize)
		[ "$(grep -c life "$LIVES")" != 1 ] || { IFS= read -r line; echo notifications/initialized >>"$LIVES"; }
		echo`, 1))
	c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	is.Equal(c.next(), `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}`)
	is.Equal(c.call(1, "die"), fmt.Sprintf(gone, 1))
	is.Equal(c.call(2, "ping"), `{"jsonrpc":"2.0","id":2,"result":{}}`)
	is.NoErr(c.end())
	is.Equal(c.lived()[1], "initialize notifications/initialized ping")
}

func TestCallsThatComeWhileAServerIsStartedAgainKeepTheirOrder(t *testing.T) {
	is := is.New(t)
	c := restarted(t, mortal)
	c.hello()
	is.Equal(c.call(1, "die"), fmt.Sprintf(gone, 1))
	var want []string
	for i := range 20 {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m%d"}`, 10+i, i))
		want = append(want, fmt.Sprintf("m%d", i))
	}
	for i := range 20 {
		is.Equal(c.next(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, 10+i))
	}
	is.Equal(c.lived()[1], "initialize notifications/initialized "+strings.Join(want, " "))
}

func TestWithoutAHandshakeNoneIsRepeated(t *testing.T) {
	is := is.New(t)
	c := restarted(t, mortal)
	is.Equal(c.call(1, "die"), fmt.Sprintf(gone, 1))
	is.Equal(c.call(2, "tools/list"), `{"jsonrpc":"2.0","id":2,"result":{}}`)
	is.Equal(c.call(3, "die"), fmt.Sprintf(gone, 3))
	c.hello() // one that the client makes itself is not repeated before it
	is.NoErr(c.end())
	is.Equal(c.lived(), []string{"die", "tools/list die", "initialize notifications/initialized"})
}

func TestAServerThatKeepsDyingIsStartedAFewTimesAMinuteOnly(t *testing.T) {
	is := is.New(t)
	c := restarted(t, mortal)
	for i := range 5 {
		is.Equal(c.call(i, "die"), fmt.Sprintf(gone, i))
	}
	for i := range 3 {
		is.True(strings.Contains(c.call(9+i, "die"),
			"the server has ended: exit code 3: out of luck; it was started 5 times within a minute, wait before the next call"))
	}
	is.Equal(len(c.lived()), 5)
}

func TestWhatADeadServerHasAskedIsCancelledAtTheClient(t *testing.T) {
	is := is.New(t)
	c := restarted(t, mortal)
	is.Equal(c.call(1, "ask"), `{"jsonrpc":"2.0","id":"q","method":"roots/list"}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/x"}`) // which ends it
	got := []string{c.next(), c.next()}
	if strings.Contains(got[0], `"id":1`) {
		got[0], got[1] = got[1], got[0]
	}
	is.Equal(got[0], `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"the server has ended","requestId":"q"}}`)
	is.True(strings.Contains(got[1], "exit code 4"))
	c.send(`{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}`) // too late
	is.Equal(c.call(2, "tools/list"), `{"jsonrpc":"2.0","id":2,"result":{}}`)
	is.Equal(c.lived()[1], "tools/list")
}

func TestAServerThatSpeaksAnotherRevisionAfterItsStartIsNotUsed(t *testing.T) {
	is := is.New(t)
	c := restarted(t, `[ -e "$LIVES" ] && REVISION=2024-11-05; `+mortal)
	c.hello()
	is.Equal(c.call(1, "die"), fmt.Sprintf(gone, 1))
	is.True(strings.Contains(c.call(2, "tools/list"), `now speaks revision \"2024-11-05\" instead of \"2025-11-25\"`))
	is.NoErr(c.end())
}

func TestAServerThatHangsAtItsNewStartKeepsNoCallFromEnding(t *testing.T) {
	is := is.New(t)
	c := restarted(t, `[ -e "$LIVES" ] && exec sleep 100; `+mortal)
	c.hello()
	is.Equal(c.call(1, "die"), fmt.Sprintf(gone, 1))
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	is.NoErr(c.end())
}

func TestASessionThatAServerElsewhereHasForgottenIsOpenedAgainByTheNextCall(t *testing.T) {
	is := is.New(t)
	opened := 0
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		switch session := r.Header.Get("Mcp-Session-Id"); {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		case m.Method == "initialize":
			opened++
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", opened))
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25"}}`, m.ID)
		case m.Method == "die" || session == "":
			w.WriteHeader(http.StatusNotFound)
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"session":%q}}`, m.ID, session)
		}
	}))
	defer far.Close()
	s := program(t, "", io.Discard)
	s.Remote = &remote.Server{URL: far.URL, Log: slog.New(slog.DiscardHandler)}
	c := converse(t, s)
	c.hello()
	is.Equal(c.call(1, "a"), `{"jsonrpc":"2.0","id":1,"result":{"session":"s1"}}`)
	is.True(strings.Contains(c.call(2, "die"), "the server has ended the session"))
	is.Equal(c.call(3, "a"), `{"jsonrpc":"2.0","id":3,"result":{"session":"s2"}}`)
	is.NoErr(c.end())
}
