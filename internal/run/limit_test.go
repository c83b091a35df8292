//go:build linux

package run

import (
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestATellingResultSaysWhichLimitEndedATool(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits       process.Limits
		script, want string
	}{
		"by its signal":          {process.Limits{CPU: 1}, "#!/bin/sh\nwhile :; do :; done", `"structuredContent":{"error":{"limit":"cpuSeconds","message":"Tool met its limit cpuSeconds: it used 1 s of processor time","type":"limit","value":1},"success":false},"isError":true`},
		"by what it says":        {process.Limits{OpenFiles: 20}, "#!/bin/sh\necho 'open: Too many open files' >&2; exit 1", `"limit":"openFiles"`},
		"by what its shell says": {process.Limits{}, "#!/bin/sh\necho 'sh: 1: Cannot fork' >&2; exit 2", `"message":"Tool met its limit processes: it could start no further process (of 2048)"`},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			got := run(t, c.script, func(call *Call) { call.Tool.Limits = c.limits })
			is.True(strings.Contains(got, c.want)) // the limit, for programs too
			is.True(strings.HasPrefix(got, `{"content":[{"type":"text","text":"Tool met its limit`))
		})
	}
}

func TestAToolThatSucceedsOrHasNoSuchLimitMetNone(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"echo 'Cannot fork' >&2", `"isError":false`},
		{"echo 'Too many open files' >&2; exit 1", `"text":"Tool failed: Too many open files"`},
	} {
		t.Run(c.script, func(t *testing.T) {
			is := is.New(t)
			is.True(strings.Contains(run(t, "#!/bin/sh\n"+c.script), c.want))
		})
	}
}

func TestAResultForAnOldClientSaysTheLimitInItsText(t *testing.T) {
	is := is.New(t)
	got := run(t, "#!/bin/sh\necho 'Cannot fork' >&2; exit 2", func(c *Call) { c.Revision = mcp.Lookup("2024-11-05") })
	is.True(strings.Contains(got, `"text":"Tool met its limit processes`))
}
