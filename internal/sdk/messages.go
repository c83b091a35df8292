package sdk

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// checkMessages validates the messages of a conversation with a model: each use of tools must
// be followed by a message with all of their results and nothing else (SA-04).
func checkMessages(text string) (json.Value, error) {
	v, _ := compact(text)
	messages := json.Elements(v)
	if len(messages) == 0 {
		return nil, errors.New("the messages are not a JSON array of at least one message")
	}
	open := map[string]bool{} // ids of tool uses without a result
	for i, m := range messages {
		message, _ := parseObject(m)
		role := message.text("role")
		var uses, results, others int
		used, answered := map[string]bool{}, map[string]bool{}
		for _, b := range blocks(message) {
			switch kind := b.text("type"); kind {
			case "tool_use":
				id := b.text("id")
				used[id] = true
				uses++
			case "tool_result":
				id := b.text("toolUseId")
				answered[id] = true
				results++
			default:
				others++
			}
		}
		switch {
		case role != "user" && role != "assistant":
			return nil, fmt.Errorf("message %d: the role must be user or assistant", i)
		case uses+results+others == 0:
			return nil, fmt.Errorf("message %d has no content", i)
		case role == "user" && uses > 0 || role == "assistant" && results > 0:
			return nil, fmt.Errorf("message %d: only the assistant can use tools, only the user can have their results", i)
		case results > 0 && others > 0:
			return nil, fmt.Errorf("message %d mixes results of tools with other content", i)
		case !maps.Equal(open, answered):
			return nil, fmt.Errorf("message %d must have exactly the results of the tools used before it: [%s]", i, names(open))
		}
		open = used
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("the tools used last have no results: [%s]", names(open))
	}
	return v, nil
}

// blocks returns the content of a message: one block, or several (SA-05).
func blocks(message object) []object {
	content := message.get("content")
	values := json.Elements(content)
	if values == nil && content != nil {
		values = []json.Value{content}
	}
	all := make([]object, len(values))
	for i, v := range values {
		all[i], _ = parseObject(v)
	}
	return all
}

func names(set map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(set)), ", ")
}
