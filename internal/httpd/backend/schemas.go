package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"golang.org/x/sync/singleflight"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Schemas are the input schemas of the tools of a program. The program is asked for them when they
// are needed, and again when the ttlMs of its answer is over.
type Schemas struct {
	// Opener opens connections for requests without a session.
	Opener Opener

	listing singleflight.Group

	mu     sync.Mutex
	known  map[string]json.RawMessage
	until  time.Time // when known expires
	listed bool      // known is an answer of the program
}

// ErrUnlisted is the error while the program does not list its tools.
var ErrUnlisted = errors.New("the headers cannot be checked, as the server does not list its tools")

// Limits of a program's list, and of the time for which it is used.
const (
	listPages   = 100
	listTime    = 10 * time.Second
	leastFresh  = time.Second
	mostFresh   = 5 * time.Minute
	failedFresh = time.Minute // after an error: for the last list, or for none if the program cannot list its tools
)

// Schema returns the input schema of a tool, nil if it has none. While the program does not answer, that
// of its last list counts; the error is ErrUnlisted or ErrPoolFull if there is no list yet.
func (s *Schemas) Schema(ctx context.Context, tool string) (json.RawMessage, error) {
	if schema, fresh, _ := s.look(tool); fresh {
		return schema, nil
	}
	// Listing does not end with the request that has begun it, as others wait for it too.
	done := s.listing.DoChan("", func() (any, error) { return nil, s.renew(context.WithoutCancel(ctx)) })
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case r := <-done:
		schema, _, listed := s.look(tool)
		if !listed {
			return nil, r.Err
		}
		return schema, nil
	}
}

// look returns what is known of a tool: its schema, whether the list is fresh, and whether there is one.
func (s *Schemas) look(tool string) (schema json.RawMessage, fresh, listed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[tool], time.Now().Before(s.until), s.listed
}

// renew asks the program for its list.
func (s *Schemas) renew(ctx context.Context) error {
	known, fresh, err := s.list(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	var fault *jsonrpc2.Error
	switch {
	case err == nil:
		s.known, s.listed, s.until = known, true, time.Now().Add(fresh)
		return nil
	case errors.Is(err, ErrPoolFull):
		return err // and the next call asks again, as the program itself was not asked
	case errors.As(err, &fault) && fault.Code != jsonrpc2.CodeInternalError:
		s.listed = true // the program has no list, or none of this revision
	}
	if s.listed {
		s.until = time.Now().Add(failedFresh)
	}
	return fmt.Errorf("%w: %w", ErrUnlisted, err)
}

// list asks the program for all its tools, and returns for how long the answer is fresh.
func (s *Schemas) list(ctx context.Context) (map[string]json.RawMessage, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	answers := make(chan *pipeline.Message, 1)
	conn, err := s.Opener.Open("", func(line []byte, _ string) {
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
	line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": fmt.Sprintf("schemas-%d", number),
		"method": "tools/list", "params": params})
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
