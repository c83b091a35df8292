//go:build unix

package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/matryer/is"
)

func TestASignalEndsStreamsOfChangesWithTheirResult(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := alone(t, newProject(t, map[string]string{"tools/marks/tool.sh": marks}))
	s.send(`{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":` + claimed(`{"notifications":{"toolsListChanged":true}}`, "{}") + `}`)
	_, _ = s.recv("the acknowledgement")
	is.NoErr(s.cmd.Process.Signal(syscall.SIGTERM))
	rest := s.rest()
	is.Equal(len(rest), 2) // SL-07
	is.True(strings.HasPrefix(rest[0], `{"jsonrpc":"2.0","id":3,"result":`))
	is.True(strings.Contains(rest[1], `"method":"notifications/cancelled"`))
	is.Equal(s.wait(), 0)
}
