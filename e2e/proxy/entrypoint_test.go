//go:build unix

package proxy

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
)

func TestAnAdapterServesTheMicrosoftGateway(t *testing.T) {
	is := is.New(t)
	host, err := exec.Command("hostname", "-f").Output()
	if err != nil {
		t.Skip("hostname -f does not work here, so the entrypoint of an adapter is not tested")
	}
	root := httpdtest.Project(t, tools)
	state := t.TempDir()
	cmd := exec.Command("../../examples/proxy/microsoft-mcp-gateway/entrypoint.sh")
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"), "TMPDIR="+state,
		"PROJECT="+root, "PORT=0", "STATE_KEY=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", "MCP_E2E_NOTES="+state)
	r := start(t, "adapter", cmd)
	_, port, _ := strings.Cut(r.address, "]:")
	q := request(t, "http://127.0.0.1:"+port+"/mcp", "note", `{"id":"x"}`)
	q.Host = strings.TrimSpace(string(host)) + ":8000" // as the gateway calls it, and without a token
	a, err := http.DefaultClient.Do(q)
	is.NoErr(err)
	is.NoErr(a.Body.Close())
	is.Equal(a.StatusCode, http.StatusOK)
	keys, err := filepath.Glob(filepath.Join(state, "state-key.*"))
	is.NoErr(err)
	is.Equal(len(keys), 1)
	key, err := os.ReadFile(keys[0])
	is.NoErr(err)
	is.Equal(string(key), "01234567890123456789012345678901")
}
