//go:build unix

package remote_test

import (
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/backend"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func TestAServerIsSpokenWithInBothErasOfTheProtocol(t *testing.T) {
	is := is.New(t)
	root := httpdtest.Project(t, map[string]string{"tools/say.sh": "#!/bin/sh\n# Says something\necho hello\n"})
	s := httpdtest.Open(t, server.Options{ProjectRoot: root, Environ: os.Environ(), Log: slog.New(slog.DiscardHandler)})
	c := fake(t, httpdtest.Handler(t, backend.ServeFunc(s.Serve)).ServeHTTP)
	is.True(strings.Contains(c.call(initialize), `"protocolVersion":"2025-11-25"`))
	c.send(ready)
	is.True(strings.Contains(c.call(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say"}}`), `hello`))
	c = fake(t, httpdtest.Handler(t, backend.ServeFunc(s.Serve)).ServeHTTP)
	const claim = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}`
	is.True(strings.Contains(c.call(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say",`+claim+`}}`), `hello`))
}
