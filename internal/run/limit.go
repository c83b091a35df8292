package run

import (
	"fmt"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// An overLimit is the error of a script that was ended by one of its limits.
type overLimit struct {
	name  string // as in metadata
	value int64
}

func (l *overLimit) Error() string {
	met := map[string]string{
		"processes":  "it could start no further process (of %d)",
		"memory":     "it needed more than %d bytes of memory",
		"cpuSeconds": "it used %d s of processor time",
		"fileSize":   "it wrote a file of more than %d bytes",
		"openFiles":  "it needed more than %d open files",
	}[l.name]
	return "met its limit " + l.name + ": " + fmt.Sprintf(met, l.value)
}

// limitMessages are parts of what programs print when they reach a limit: the system reports it only to them.
var limitMessages = map[string][]string{
	"processes": {"cannot fork", "can't fork", "fork: retry", "fork: resource temporarily unavailable",
		"can't start new thread", "spawn eagain"},
	"openFiles": {"too many open files"},
	"memory":    {"cannot allocate", "memoryerror", "out of memory", "memory exhausted"},
	"fileSize":  {"file too large", "file size limit exceeded"},
}

// overLimit returns the limit that made a script fail, or nil if none is known to.
func (o *outcome) overLimit() *overLimit {
	if o.ended.ExitCode <= 0 {
		return nil
	}
	said := strings.ToLower(o.stderr.Text())
	for _, n := range process.LimitNames() {
		value := *n.Of(&o.ended.Limits)
		if value <= 0 {
			continue
		}
		if o.ended.Limit == n.Name || o.ended.Limit == "" && containsAny(said, limitMessages[n.Name]) {
			return &overLimit{n.Name, value}
		}
	}
	return nil
}

// namesLimit reports whether a line of stderr says that a limit was met.
func namesLimit(line string) bool {
	said := strings.ToLower(line)
	for _, words := range limitMessages {
		if containsAny(said, words) {
			return true
		}
	}
	return false
}

func containsAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// limited returns the result of a tool that was ended by a limit.
func (o *finished) limited(l *overLimit) *mcp.CallToolResult {
	result := o.failed()
	text := "Tool " + l.Error()
	result.Content[0] = mcp.Text(text)
	if o.call.Revision.StructuredOutput {
		result.StructuredContent = json.Encode(map[string]any{"success": false,
			"error": map[string]any{"type": "limit", "message": text, "limit": l.name, "value": l.value}})
	}
	return result
}
