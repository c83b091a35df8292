package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// Completion asks a completion script for limit values from offset on; see
// suggestions for what it prints and what is returned.
func (r *Runtime) Completion(ctx context.Context, c catalog.Completion, p mcp.CompleteParams, offset, limit int) (
	values []string, next, total int, err error) {
	asked, err := json.Marshal(map[string]any{
		"query":    p.Argument.Value,
		"prefix":   p.Argument.Value,
		"argument": map[string]any{"name": *p.Argument.Name, "value": p.Argument.Value},
		"context":  map[string]any{"arguments": p.Context.Arguments},
		"ref":      p.Ref,
	})
	if err != nil {
		return nil, 0, 0, err
	}
	env, err := r.scriptEnvironment(
		"MCP_COMPLETION_NAME="+cmp.Or(p.Ref.Name, p.Ref.URI), "MCP_COMPLETION_ARGS_JSON="+string(asked),
		"MCP_COMPLETION_ARGUMENT="+*p.Argument.Name, "MCP_COMPLETION_VALUE="+*p.Argument.Value,
		"MCP_COMPLETION_LIMIT="+strconv.Itoa(limit), "MCP_COMPLETION_OFFSET="+strconv.Itoa(offset),
	)
	if err != nil {
		return nil, 0, 0, err
	}
	out, err := r.printed(ctx, job{path: c.Path, env: env, times: r.scriptTimes(c.Timeout)})
	if err != nil {
		return nil, 0, 0, err
	}
	return suggestions(out, offset, limit)
}

// suggestions parses the output of a completion script that was asked for limit
// values from offset on:
//
//   - an object {suggestions, hasMore, next, total}: a page, next being the offset of the
//     one after it. The last three may be missing;
//   - a JSON array of strings, or one value per line: all values, or, where there are not
//     more than limit, the page.
//
// next is 0 at the end, total -1 where it is unknown.
func suggestions(out []byte, offset, limit int) (values []string, next, total int, err error) {
	var page struct {
		Suggestions, Values []string
		HasMore             *bool
		Next, Total         *int
	}
	text := strings.TrimSpace(string(out))
	switch {
	case text == "":
	case text[0] == '[':
		err = json.Unmarshal([]byte(text), &page.Values)
	case text[0] == '{':
		err = json.Unmarshal([]byte(text), &page)
	default:
		page.Values = strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	}
	if err != nil {
		return nil, 0, 0, errors.New("the completion script must print a JSON array of texts, an object with suggestions, " +
			"or one text a line")
	}
	values, total = append(page.Suggestions, page.Values...), -1
	more := page.HasMore != nil && *page.HasMore || page.HasMore == nil && page.Next != nil
	switch {
	case page.HasMore == nil && page.Next == nil && len(values) > limit: // the script ignores offset and limit
		total = len(values)
		values = values[min(offset, total):min(offset+limit, total)]
		more = offset+len(values) < total
	case len(values) > limit:
		values, more, page.Next = values[:limit], true, nil
	case !more:
		total = offset + len(values)
	}
	if page.Total != nil {
		total = max(*page.Total, 0)
	}
	if more && (len(values) > 0 || page.Next != nil) {
		if next = offset + len(values); page.Next != nil && *page.Next > offset {
			next = *page.Next
		}
	}
	return values, next, total, nil
}
