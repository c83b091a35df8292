package run

import (
	"fmt"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// An outcome is what a script left.
type outcome struct {
	call   Call
	stdout script.Head
	stderr script.Tail
	ended  script.Result
	err    error // of the run: not started, or ended by the clock
}

// meta is the _meta of a result: how the script ended, and the end of what it
// wrote to stderr.
func (o *outcome) meta() map[string]any {
	meta := map[string]any{"exitCode": o.ended.ExitCode}
	if stderr := o.stderr.Text(); stderr != "" {
		meta["stderr"] = strings.ToValidUTF8(stderr, "\ufffd")
	}
	return meta
}

// maxReason is how much of a line of stderr becomes the reason of a failure.
const maxReason = 400

// reason says in a line why the script failed: the last thing it said on
// stderr, else how it ended.
func (o *outcome) reason() string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(o.stderr.Text(), "\ufffd")), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		if len(last) > maxReason {
			last = strings.ToValidUTF8(last[:maxReason], "") + "…"
		}
		return last
	}
	if o.ended.Signal != "" {
		return "it was ended by " + o.ended.Signal
	}
	return fmt.Sprintf("exit code %d", o.ended.ExitCode)
}
