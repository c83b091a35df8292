package dial

import (
	"context"
	"encoding/json"
	"fmt"
)

// A Caller calls methods of a server, as a [Session] does.
type Caller interface {
	Call(ctx context.Context, method string, params map[string]any) (json.RawMessage, error)
}

// All calls a method whose results are pages, and returns the items of all of them: what each result
// has under the name member.
func All(ctx context.Context, server Caller, method, member string) ([]json.RawMessage, error) {
	items := []json.RawMessage{}
	params := map[string]any{}
	seen := map[string]bool{}
	for {
		result, err := server.Call(ctx, method, params)
		if err != nil {
			return nil, err
		}
		var page map[string]json.RawMessage
		var part []json.RawMessage
		var next string
		if err = json.Unmarshal(result, &page); err == nil {
			err = json.Unmarshal(page[member], &part)
		}
		if err != nil {
			return nil, fmt.Errorf("the result of %s has no %s: %w", method, member, err)
		}
		items = append(items, part...)
		if page["nextCursor"] != nil {
			if err := json.Unmarshal(page["nextCursor"], &next); err != nil {
				return nil, fmt.Errorf("the result of %s: nextCursor: %w", method, err)
			}
		}
		if next == "" {
			return items, nil
		}
		if seen[next] {
			return nil, fmt.Errorf("%s does not end: it returned the same cursor twice", method)
		}
		seen[next] = true
		params = map[string]any{"cursor": next}
	}
}
