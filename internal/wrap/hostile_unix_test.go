//go:build unix

package wrap_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestALineOf200MiBIsNeverHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: so many bytes take long under the race detector, which changes what they cost")
	}
	is := is.New(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, log, err := serve(t, `read -r line; head -c 209715200 /dev/zero | tr '\0' x; echo
		echo '{"jsonrpc":"2.0","id":"a","result":{}}'; cat >/dev/null`, call)
	runtime.ReadMemStats(&after)
	is.NoErr(err)
	is.Equal(out, `{"jsonrpc":"2.0","id":"a","result":{}}`+"\n")
	is.True(strings.Contains(log, "longer than 1048576 bytes"))
	is.True(after.TotalAlloc-before.TotalAlloc < 16<<20) // all that was ever allocated
}

func TestAResultThatEndsWithinALongLineIsAnErrorForItsCall(t *testing.T) {
	is := is.New(t)
	out, _, err := serve(t, `read -r line; printf '{"jsonrpc":"2.0","id":"a","result":{"x":"'
		head -c 3000000 /dev/zero | tr '\0' x; echo '"}}'; cat >/dev/null`, call)
	is.NoErr(err)
	is.True(strings.HasPrefix(out, `{"jsonrpc":"2.0","id":"a","error":{`))
}

func TestAFloodOfNotificationsPassesInOrderBeforeTheAnswer(t *testing.T) {
	is := is.New(t)
	out, _, err := serve(t, `read -r line; seq 50000 | sed 's/.*/{"jsonrpc":"2.0","method":"n","params":{"n":&}}/'
		echo '{"jsonrpc":"2.0","id":"a","result":{}}'; cat >/dev/null`, call)
	is.NoErr(err)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	is.Equal(len(lines), 50001)
	is.Equal(lines[0], `{"jsonrpc":"2.0","method":"n","params":{"n":1}}`)
	is.Equal(lines[49999], `{"jsonrpc":"2.0","method":"n","params":{"n":50000}}`)
	is.Equal(lines[50000], `{"jsonrpc":"2.0","id":"a","result":{}}`)
}

func TestAServerThatDiesInTheMiddleOfALineLeavesNothingOfItToTheClient(t *testing.T) {
	is := is.New(t)
	out, _, err := serve(t, `read -r line; printf '{"jsonrpc":"2.0","id":"a","resu'; kill -9 $$`, call)
	is.True(err != nil)
	is.Equal(out, `{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"the server has ended: SIGKILL"}}`+"\n")
}
