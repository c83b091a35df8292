package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Schemas are the input schemas of the tools of a program. The program is asked for them when they
// are needed, and again when its answer has expired by its own ttlMs.
type Schemas struct {
	// Opener opens connections for requests without a session.
	Opener Opener

	mu    sync.Mutex
	known map[string]json.RawMessage
	until time.Time // when known expires
}

// Limits of a program's list, and of the time for which it is used.
const (
	listPages   = 100
	listTime    = 10 * time.Second
	leastFresh  = time.Second
	mostFresh   = 5 * time.Minute
	failedFresh = time.Minute // after a failure, which usually means that the program has no list
)

// Schema returns the input schema of a tool, nil if it is not known.
func (s *Schemas) Schema(ctx context.Context, tool string) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.until) {
		return s.known[tool]
	}
	known, fresh, err := s.list(ctx)
	switch {
	case errors.Is(err, ErrPoolFull) || ctx.Err() != nil:
		return s.known[tool] // the old list is better than none, and the next call asks again
	case err != nil:
		known, fresh = s.known, failedFresh
	}
	s.known, s.until = known, time.Now().Add(fresh)
	return known[tool]
}

// list asks the program for all its tools, and returns for how long the answer is fresh.
func (s *Schemas) list(ctx context.Context) (map[string]json.RawMessage, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	answers := make(chan *pipeline.Message, 1)
	conn, err := s.Opener.Open(func(line []byte, _ string) {
		if m := pipeline.Parse(line); m.Kind() == pipeline.Response {
			select {
			case answers <- m:
			case <-ctx.Done():
			}
		}
	})
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		cancel() // so that its further output does not wait for a reader
		conn.Close()
	}()
	schemas, fresh, cursor := make(map[string]json.RawMessage), mostFresh, ""
	for number := range listPages {
		if err := conn.Send(ctx, request(number, cursor)); err != nil {
			return nil, 0, err
		}
		page, err := answer(ctx, conn, answers)
		if err != nil {
			return nil, 0, err
		}
		for _, tool := range page.Tools {
			schemas[tool.Name] = tool.InputSchema
		}
		fresh = min(fresh, max(leastFresh, time.Duration(min(page.TTL, mostFresh.Milliseconds()))*time.Millisecond))
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	return schemas, fresh, nil
}

// A page is a page of the list of tools.
type page struct {
	Tools []struct {
		Name        string          `json:"name"`
		InputSchema json.RawMessage `json:"inputSchema"`
	} `json:"tools"`
	Next string `json:"nextCursor"`
	TTL  int64  `json:"ttlMs"`
}

// request returns the request for the page at a cursor.
func request(number int, cursor string) []byte {
	params := map[string]any{"_meta": map[string]any{
		"io.modelcontextprotocol/protocolVersion":    mcp.ClaimVersions()[0],
		"io.modelcontextprotocol/clientCapabilities": struct{}{},
	}}
	if cursor != "" {
		params["cursor"] = cursor
	}
	line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": fmt.Sprintf("schemas-%d", number), "method": "tools/list", "params": params})
	return line
}

// answer waits for the requested page.
func answer(ctx context.Context, conn Conn, answers <-chan *pipeline.Message) (p page, err error) {
	select {
	case m := <-answers:
		if m.Fault() != nil {
			return p, m.Fault()
		}
		return p, json.Unmarshal(m.Result(), &p)
	case <-conn.Done():
		return p, conn.Err()
	case <-ctx.Done():
		return p, ctx.Err()
	}
}
