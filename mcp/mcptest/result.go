package mcptest

import "fmt"

// An answer is the definition of the result of a method and the revisions that
// have the method.
type answer struct{ definition, first, last string }

const (
	v1 = "2024-11-05"
	v4 = "2025-11-25"
	v5 = "2026-07-28"
)

// answers are by method. An empty definition is that of an extension, whose schema is not part of
// the protocol's.
var answers = map[string]answer{
	"initialize":               {"InitializeResult", v1, v4},
	"ping":                     {"EmptyResult", v1, v4},
	"logging/setLevel":         {"EmptyResult", v1, v4},
	"resources/subscribe":      {"EmptyResult", v1, v4},
	"resources/unsubscribe":    {"EmptyResult", v1, v4},
	"tools/list":               {"ListToolsResult", v1, v5},
	"tools/call":               {"CallToolResult", v1, v5},
	"resources/list":           {"ListResourcesResult", v1, v5},
	"resources/read":           {"ReadResourceResult", v1, v5},
	"resources/templates/list": {"ListResourceTemplatesResult", v1, v5},
	"prompts/list":             {"ListPromptsResult", v1, v5},
	"prompts/get":              {"GetPromptResult", v1, v5},
	"completion/complete":      {"CompleteResult", v1, v5},
	"server/discover":          {"DiscoverResult", v5, v5},
	"subscriptions/listen":     {"SubscriptionsListenResult", v5, v5},
	"tasks/list":               {"ListTasksResult", v4, v4},
	"tasks/result":             {"GetTaskPayloadResult", v4, v4},
	"tasks/get":                {"GetTaskResult", v4, v5},
	"tasks/cancel":             {"CancelTaskResult", v4, v5},
	"tasks/update":             {"EmptyResult", v5, v5},
}

// result checks an answer with a result.
func (c *conversation) result(r *revision, asked *request, m map[string]any) []string {
	faults := r.validate(r.result, withWholeID(m))
	result, ok := m["result"].(map[string]any)
	switch {
	case len(faults) > 0:
		return faults
	case !ok:
		return []string{"J-08: the result is not an object"}
	case extension(asked.method) && !asked.modern,
		asked.method == "interceptors/list", asked.method == "interceptor/invoke":
		return nil
	}
	a, known := answers[asked.method]
	if !known || r.version < a.first || r.version > a.last {
		return []string{fmt.Sprintf("J-11, N-11: %s has no %s, so a result is wrong", r.version, asked.method)}
	}
	if r.modern {
		return c.modernResult(r, asked, a.definition, result)
	}
	definition := a.definition
	if _, created := result["task"]; created && asked.task && asked.method == "tools/call" && r.knows("CreateTaskResult") {
		definition = "CreateTaskResult"
	}
	for _, member := range []string{"resultType", "ttlMs", "cacheScope"} {
		if _, ok := result[member]; ok {
			faults = append(faults, "B-05, CA-05: "+r.version+" has no "+member)
		}
	}
	return append(faults, c.check(r, definition, result)...)
}

// check checks a value against a definition, and for members of other revisions.
func (c *conversation) check(r *revision, definition string, value map[string]any) []string {
	faults := append(r.validate(definition, value), c.all.foreignMembers(r, definition, value)...)
	if definition == "EmptyResult" {
		for name := range value {
			if name != "_meta" && name != "resultType" {
				faults = append(faults, "an empty result has a member "+name)
			}
		}
	}
	return faults
}
