package run

import (
	"fmt"
	"slices"
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
	return "met its limit " + l.name + ": " + fmt.Sprintf(limitTexts[l.name].met, l.value)
}

// limitTexts has, for each limit, what its error says, and parts of what programs print when they reach it: the system
// reports that only to them.
var limitTexts = map[string]struct {
	met     string
	printed []string
}{
	"processes": {"it could start no further process (of %d)", []string{"cannot fork", "can't fork", "fork: retry",
		"fork: resource temporarily unavailable", "can't start new thread", "spawn eagain"}},
	"memory": {"it needed more than %d bytes of memory",
		[]string{"cannot allocate", "memoryerror", "out of memory", "memory exhausted"}},
	"cpuSeconds": {"it used %d s of processor time", nil},
	"fileSize":   {"it wrote a file of more than %d bytes", []string{"file too large", "file size limit exceeded"}},
	"openFiles":  {"it needed more than %d open files", []string{"too many open files"}},
}

// overLimit returns the limit that made a script fail, or nil if none is known to.
func (o *outcome) overLimit() *overLimit {
	if o.ended.ExitCode <= 0 {
		return nil
	}
	for _, n := range process.LimitNames {
		value := *n.Of(&o.ended.Limits)
		if value > 0 && (o.ended.Limit == n.Name || o.ended.Limit == "" && namesLimit(o.stderr.Text(), n.Name)) {
			return &overLimit{n.Name, value}
		}
	}
	return nil
}

// namesLimit reports whether what a script wrote to stderr says that a limit was met.
func namesLimit(said, limit string) bool {
	said = strings.ToLower(said)
	return slices.ContainsFunc(limitTexts[limit].printed, func(words string) bool { return strings.Contains(said, words) })
}

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
