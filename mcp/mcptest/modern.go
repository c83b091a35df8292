package mcptest

import "fmt"

// modernResult checks a result of 2026-07-28 by its resultType.
func (c *conversation) modernResult(
	r *revision, asked *request, definition string, result map[string]any,
) (faults []string) {
	_, ttl := result["ttlMs"]
	_, scope := result["cacheScope"]
	switch result["resultType"] {
	case "complete":
		if asked.method == "tasks/get" {
			return task(result)
		}
		if asked.method == "tasks/cancel" {
			definition = "EmptyResult"
		}
		if asked.method == "server/discover" && result["serverInfo"] != nil {
			faults = append(faults, "D-03: serverInfo belongs in _meta")
		}
		if (ttl || scope) && !cached(asked.method) {
			faults = append(faults, "CA-01: "+asked.method+" has no caching hints")
		}
		return append(faults, c.check(r, definition, result)...)
	case "input_required":
		switch asked.method {
		case "tools/call", "prompts/get", "resources/read":
		default:
			faults = append(faults, "MR-01: "+asked.method+" cannot require input")
		}
		if ttl || scope {
			faults = append(faults, "MR-14: input_required with caching hints")
		}
		return append(append(faults, inputs(asked, result)...), c.check(r, "InputRequiredResult", result)...)
	case "task":
		if asked.method != "tools/call" {
			faults = append(faults, "TX-04: "+asked.method+" cannot become a task")
		}
		if !declares(asked.client, "extensions/io.modelcontextprotocol/tasks") {
			faults = append(faults, "TX-02: the request does not declare tasks")
		}
		return append(faults, task(result)...)
	}
	return []string{fmt.Sprintf("N-08: resultType %v", result["resultType"])}
}

// cached reports whether results of the method have caching hints.
func cached(method string) bool {
	switch method {
	case "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read":
		return true
	}
	return false
}

// inputs checks the questions of a result to the client.
func inputs(asked *request, result map[string]any) (faults []string) {
	all, has := result["inputRequests"].(map[string]any)
	if _, state := result["requestState"]; !has && !state {
		return []string{"MR-02: neither inputRequests nor requestState"}
	}
	for key, value := range all {
		question, _ := value.(map[string]any)
		method, _ := question["method"].(string)
		_, id := question["id"]
		_, jsonrpc := question["jsonrpc"]
		switch {
		case id || jsonrpc:
			faults = append(faults, "MR-03: "+key+" must not have id or jsonrpc")
		case needs[method] == "" || !declares(asked.client, needs[method]):
			faults = append(faults, fmt.Sprintf("MR-04: %s asks for %s, which the request does not declare", key, method))
		}
	}
	return faults
}

// task checks the members of a task of the extension, which are flat (TX-05).
func task(of map[string]any) (faults []string) {
	for _, name := range []string{"taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"} {
		if _, ok := of[name]; !ok {
			faults = append(faults, "TX-05: a task without "+name)
		}
	}
	for _, name := range []string{"ttl", "pollInterval", "task", "cacheScope"} {
		if _, ok := of[name]; ok {
			faults = append(faults, "TX-04, TX-05: a task with "+name)
		}
	}
	return faults
}
