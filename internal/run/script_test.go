package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// completing is what a client asks of a completion script.
func completing(value string) mcp.CompleteParams {
	var p mcp.CompleteParams
	name := "city"
	p.Ref.Name, p.Argument.Name, p.Argument.Value = "trip", &name, &value
	return p
}

// each runs a script as whatever the server runs, and returns what it printed or
// why it failed, by the kind of script.
func each(t *testing.T, r *Runtime, text string) map[string]string {
	t.Helper()
	path := newTool(t, r, text).Path
	said := func(out string, err error) string {
		if err != nil {
			return err.Error()
		}
		return out
	}
	got := map[string]string{}
	result, err := r.Call(t.Context(), new(heard).call(newTool(t, r, text)))
	if err == nil {
		var block struct{ Text string }
		err = json.Unmarshal(result.Content[0].JSON(), &block)
		got["tool"] = said(block.Text, err)
	} else {
		got["tool"] = err.Error()
	}
	prompt, err := r.Prompt(t.Context(), &catalog.Prompt{Described: catalog.Described{Name: "probe"}, Path: path}, nil, sdk.Call{})
	got["prompt"] = said(string(prompt), err)
	values, _, _, err := r.Completion(t.Context(), catalog.Completion{Path: path}, completing(""), 0, 100)
	got["completion"] = said(strings.Join(values, "\n"), err)
	out, err := r.Script(t.Context(), Command{Path: path, Timeout: r.Limits.Timeout})
	got["provider"] = said(string(out.Stdout), err)
	return got
}

func TestAnswersDoNotProlongTheTimeOfAScript(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		began := time.Now()
		k := startClock(t.Context(), times{limit: 30 * time.Second})
		defer k.stop()
		client := k.pausedWhileAsking(sdk.Call{Ask: func(context.Context, ...sdk.Question) []sdk.Answer {
			<-time.After(time.Hour) // the user thinks
			return nil
		}})
		for range 2 {
			<-time.After(12 * time.Second) // the script works
			client.Ask(t.Context())
		}
		<-k.context.Done()
		is.Equal(time.Since(began), 2*time.Hour+30*time.Second) // not 36 s of its own
	})
}

func TestAPromptThatAsksAgainAndAgainIsEndedAfterItsTime(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	r := newRuntime(t)
	installSDK(t, r)
	tool := newTool(t, r, `#!/bin/bash
source "$MCP_SDK/tool-sdk.sh"
while :; do mcp_elicit_string "Who are you?" >/dev/null; sleep 0.1; done
`)
	withTime(t, time.Second, func(limit time.Duration) bool {
		r.Limits.Timeout = limit
		asked := 0
		_, err := r.Prompt(t.Context(), &catalog.Prompt{Described: catalog.Described{Name: "ask"}, Path: tool.Path}, nil, sdk.Call{
			Supports: func(string) bool { return true },
			Ask: func(context.Context, ...sdk.Question) []sdk.Answer {
				asked++
				return []sdk.Answer{{Result: json.RawMessage(`{"action":"accept","content":{"value":"Ada"}}`)}}
			},
		})
		is.True(err != nil && strings.HasSuffix(err.Error(), fmt.Sprint("tool.sh did not end within ", limit)))
		return asked > 1 // each answer was quick
	})
	is.Equal(len(callFolders(t, r)), 0) // nor is a folder left
}

func TestEveryScriptHasATimeLimit(t *testing.T) {
	const endless = "#!/bin/sh\nexec sleep 77\n"
	is := is.New(t)
	r := newRuntime(t)
	r.Limits.Timeout = 50 * time.Millisecond
	path := newTool(t, r, endless).Path
	late := path + " did not end within 50ms"
	got := each(t, r, endless)
	is.Equal(got["tool"], "Tool timed out after 0.05s")
	is.Equal(got["prompt"], late)
	is.Equal(got["completion"], late)
	is.Equal(got["provider"], "tool.sh did not end within 50ms")
	limit := 20 * time.Millisecond
	_, _, _, err := r.Completion(t.Context(), catalog.Completion{Path: path, Timeout: &limit}, completing(""), 0, 100)
	is.Equal(err.Error(), path+" did not end within 20ms") // its metadata wins
}

func TestEveryScriptIsEndedWithItsRequest(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	enough := errors.New("enough")
	path := newTool(t, r, "#!/bin/sh\nexec sleep 77\n").Path
	for name, start := range map[string]func(context.Context) error{
		"tool": func(ctx context.Context) error {
			_, err := r.Call(ctx, new(heard).call(newTool(t, r, "#!/bin/sh\nexec sleep 77\n")))
			return err
		},
		"prompt": func(ctx context.Context) error {
			_, err := r.Prompt(ctx, &catalog.Prompt{Path: path}, nil, sdk.Call{})
			return err
		},
		"completion": func(ctx context.Context) error {
			_, _, _, err := r.Completion(ctx, catalog.Completion{Path: path}, completing(""), 0, 100)
			return err
		},
		"provider": func(ctx context.Context) error {
			_, err := r.Script(ctx, Command{Path: path, Timeout: r.Limits.Timeout})
			return err
		},
	} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, enough)
		is.Equal(fmt.Sprint(name, " ", start(ctx)), name+" enough") // the cause
		cancel()
	}
}

func TestEveryScriptEndsWithTheRunner(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	is.NoErr(r.Runner.Close(0))
	for _, got := range each(t, r, "#!/bin/sh\necho\n") {
		is.Equal(got, process.ErrClosed.Error())
	}
}

func TestAScriptThatFailsTellsWhy(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Limits.Output = 1000
	path := filepath.Join(r.Root, "tool.sh")
	for text, want := range map[string]string{
		"echo chatter >&2; echo no such host >&2; exit 3": path + " failed with exit code 3: no such host",
		"kill -9 $$":                      path + " failed with exit code 137: it was ended by SIGKILL",
		"while :; do echo too much; done": path + " printed more than 1000 bytes", // it is ended for that
		"printf '\\377\\n' >&2; exit 1":   path + " failed with exit code 1: \ufffd",
	} {
		got := each(t, r, "#!/bin/sh\nif [ -n \"$MCP_TOOL_NAME\" ]; then exit; fi\n"+text+"\n")
		is.Equal(got["prompt"], want)
		is.Equal(got["completion"], want)
	}
}

func TestACommandSaysHowItEnded(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	path := newTool(t, r, "#!/bin/sh\necho out\necho \" why \" >&2\nexit \"$1\"\n").Path
	out, err := r.Script(t.Context(), Command{Path: path, Args: []string{"6"}})
	is.NoErr(err)
	is.Equal(fmt.Sprintf("%q %v %q %d %q", out.Stdout, out.Truncated, out.Stderr, out.ExitCode, out.Signal), `"out\n" false "why" 6 ""`)
	out, err = r.Script(t.Context(), Command{Path: path, Args: []string{"0"}, MaxBytes: 2})
	is.NoErr(err)
	is.Equal(string(out.Stdout), "ou")
	is.True(out.Truncated)
	_, err = r.Script(t.Context(), Command{Path: newTool(t, r, "#!/bin/sh\nexec sleep 77\n").Path, Timeout: 20 * time.Millisecond})
	is.Equal(err.Error(), "tool.sh did not end within 20ms")
	out, err = r.Run(t.Context(), Command{Path: newTool(t, r, "#!/bin/sh\necho \"$MCPBASH_HOME$A\"\n").Path, Env: []string{"A=a"}})
	is.NoErr(err)
	is.Equal(string(out.Stdout), "a\n") // just what it is given
}

func TestAPromptGetsItsArguments(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Limits.Inline = 30
	path := newTool(t, r, "#!/bin/sh\nprintf '%s %s' \"$MCP_PROMPT_NAME\" \"$MCP_PROMPT_ARGS_JSON\"\n[ -z \"$MCP_PROMPT_ARGS_FILE\" ] || cat \"$MCP_PROMPT_ARGS_FILE\"").Path
	for value, want := range map[string]string{"x": `probe {"a":"x"}`, strings.Repeat("é", 20): `probe {"a":"` + strings.Repeat("é", 20) + `"}`} {
		out, err := r.Prompt(t.Context(), &catalog.Prompt{Described: catalog.Described{Name: "probe"}, Path: path}, map[string]string{"a": value}, sdk.Call{})
		is.NoErr(err)
		is.Equal(string(out), want)
	}
}

func TestACompletionScriptIsAskedInVariables(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	path := newTool(t, r, "#!/bin/sh\necho \"$MCP_COMPLETION_NAME $MCP_COMPLETION_ARGUMENT $MCP_COMPLETION_VALUE $MCP_COMPLETION_LIMIT $MCP_COMPLETION_OFFSET\"\necho \"$MCP_COMPLETION_ARGS_JSON\"").Path
	values, next, total, err := r.Completion(t.Context(), catalog.Completion{Path: path}, completing("B\x00er"), 0, 7) // no variable can hold that
	is.NoErr(err)
	is.Equal(values[0], "trip city Ber 7 0")
	is.True(strings.Contains(values[1], `"prefix":"B\u0000er"`))
	is.Equal(total, 2)
	is.Equal(next, 0)
}

func TestSuggestionsAreReadInThreeShapes(t *testing.T) {
	for _, c := range []struct {
		printed string
		offset  int
		want    string // the values, where the next ones begin, how many there are
	}{
		{`["a","b"]`, 0, "[a b] 0 2"},
		{"a\r\nb\n", 0, "[a b] 0 2"},
		{"", 0, "[] 0 0"},
		{`["a","b","c","d"]`, 0, "[a b c] 3 4"}, // all of them, where a page has three
		{`["a","b","c","d"]`, 3, "[d] 0 4"},
		{`{"suggestions":["a"],"hasMore":true}`, 0, "[a] 1 -1"}, // how many there are it does not say
		{`{"suggestions":["a"],"hasMore":true,"next":9}`, 0, "[a] 9 -1"},
		{`{"suggestions":["b"],"next":2}`, 5, "[b] 6 -1"}, // which would be a step back
		{`{"suggestions":["b"],"hasMore":false}`, 5, "[b] 0 6"},
		{`{"suggestions":["a","b","c","d"],"hasMore":false}`, 0, "[a b c] 3 -1"},
		{`{"values":["a"],"total":7}`, 0, "[a] 0 7"},
		{"[1]", 0, "[] 0 0 the completion script must print a JSON array of texts, an object with suggestions, or one text a line"},
	} {
		is := is.New(t)
		values, next, total, err := suggestions([]byte(c.printed), c.offset, 3)
		got := fmt.Sprint(values, " ", next, " ", total)
		if err != nil {
			got += fmt.Sprint(" ", err)
		}
		is.Equal(got, c.want) // c.printed from c.offset on
	}
}

func TestProgressWithoutAValueIsASignOfLife(t *testing.T) {
	t.Parallel()
	yes := true
	for _, progress := range []string{"null", `"done"`, "1"} { // 1 does not rise, so it is told once
		t.Run(progress, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			var h heard
			r := newRuntime(t)
			c := h.call(newTool(t, r, `#!/bin/sh
while :; do
  echo '{"method":"notifications/progress","params":{"progress":`+progress+`,"message":"still at it"}}' >>"$MCP_PROGRESS_STREAM"
  sleep 0.1
done`))
			withTime(t, 400*time.Millisecond, func(idle time.Duration) bool {
				most := 3 * idle
				c.Timeout, c.Tool.ProgressExtendsTimeout, c.Tool.MaxTimeout = &idle, &yes, &most
				result, err := r.Call(t.Context(), c)
				is.NoErr(err)
				return strings.Contains(string(encode(result)), "Tool exceeded maximum runtime of "+seconds(most)) // long past the first limit
			})
		})
	}
}
