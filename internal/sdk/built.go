package sdk

import (
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// Results returns the CallToolResults that helpers built and that may be that of the call: the last error,
// which counts even if the tool continued after it, then the last of all. The tool need not have printed
// them.
func (c *Channel) Results() (made []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, result := range []string{c.fault, c.result} {
		if result != "" {
			made = append(made, result)
		}
	}
	return made
}

// built remembers a result that a helper built. c.mu is held.
func (c *Channel) built(result string) {
	c.result = result
	if o, ok := parseObject(json.Value(result)); ok && o.get("isError").Kind() == 't' {
		c.fault = result
	}
}

// makesResult reports whether what an operation prints is a CallToolResult.
func makesResult(operation string) bool {
	name, _, _ := strings.Cut(operation, " ")
	switch name {
	case "result", "result_success", "result_error", "result_text", "error", "result_with_ui", "result_with_ui_data",
		"require_capability":
		return true
	}
	return false
}
