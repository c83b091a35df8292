package remote

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// request returns a request with what all have: the session, its revision and the token.
func (c *Conn) request(ctx context.Context, method string, body io.Reader) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.s.URL, body)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	set(r.Header, "Mcp-Session-Id", c.session)
	set(r.Header, "Mcp-Protocol-Version", c.revision)
	c.mu.Unlock()
	set(r.Header, "User-Agent", c.s.Agent)
	if c.s.Token != nil {
		token, err := c.s.Token()
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return r, nil
}

func set(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

// claimed returns the revision that a message brings, as those without sessions do.
func claimed(m *pipeline.Message) (revision string) {
	claim := pipeline.Member(pipeline.Member(m.Params(), "_meta"), "io.modelcontextprotocol/protocolVersion")
	_ = json.Unmarshal(claim, &revision)
	return revision
}

// setHeaders says in headers what a message is, for proxies that do not read it.
func setHeaders(h http.Header, m *pipeline.Message) {
	set(h, "Mcp-Protocol-Version", claimed(m))
	set(h, "Mcp-Method", encoded(m.Method()))
	var name string
	for _, member := range []string{"name", "uri", "taskId"} {
		if json.Unmarshal(pipeline.Member(m.Params(), member), &name) == nil && name != "" {
			h.Set("Mcp-Name", encoded(name))
			return
		}
	}
}

// encoded returns the value of a header: as base64 where it could not be one otherwise.
func encoded(value string) string {
	plain := strings.TrimSpace(value) == value && !strings.HasPrefix(value, "=?base64?")
	for i := range len(value) {
		plain = plain && value[i] >= ' ' && value[i] <= '~'
	}
	if plain {
		return value
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
}
