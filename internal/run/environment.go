package run

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Mode says which variables of the server's environment a tool gets.
type Mode string

const (
	Minimal   Mode = "minimal"   // the few that programs need, and those meant for tools
	Allowlist Mode = "allowlist" // and those that the operator names
	Inherit   Mode = "inherit"   // all but secrets
)

// always are what programs need to work at all.
var always = []string{
	"PATH", "HOME", "TMPDIR", "LANG",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", // Windows
}

// forTools are the server's own variables that tools may read.
var forTools = []string{
	"MCPBASH_LOG_LEVEL", "MCPBASH_DEBUG", "MCPBASH_DEBUG_LOG", "MCPBASH_MAX_TEXT_BYTES",
	"MCPBASH_ELICITATION_TIMEOUT", "MCPBASH_CI_MODE",
}

// secrets never reach a tool, whatever the mode.
var secrets = []string{"MCPBASH_REMOTE_TOKEN", "MCP_REGISTRY_TOKEN"}

// Environment picks from the server's environment what all tools get: the usual
// variables, MCP_* and what is documented for tools, never a secret of the
// server. Allowed names are more, for the modes that take them.
func Environment(server []string, mode Mode, allowed []string) []string {
	var env []string
	for _, v := range server {
		name, _, _ := strings.Cut(v, "=")
		upper := strings.ToUpper(name)
		switch {
		case slices.Contains(secrets, name), ofCall(name):
		case mode == Inherit && !strings.HasPrefix(name, "MCPBASH_"),
			slices.Contains(always, upper),
			strings.HasPrefix(name, "MCP_"),
			slices.Contains(forTools, name),
			mode != Minimal && slices.Contains(allowed, name):
			env = append(env, v)
		}
	}
	return env
}

// ofCall reports whether a variable belongs to one call. The server has such
// ones where it was started by a tool of another server.
func ofCall(name string) bool {
	return strings.HasPrefix(name, "MCP_TOOL_") || name == "MCP_CHANNEL"
}

// environment makes the variables of one call. Where two have the same name,
// the later one counts: the operator's, then the tool's own, then the contract.
func (r *Runtime) environment(c Call, f *folder) ([]string, error) {
	sdk, err := r.SDKDir()
	if err != nil {
		return nil, err
	}
	env := slices.Clone(r.Env)
	for name, value := range c.Tool.Env {
		env = append(env, name+"="+value)
	}
	env = append(env,
		"MCPBASH_PROJECT_ROOT="+r.Root,
		"MCP_SDK="+sdk,
		"MCP_ELICIT_SUPPORTED="+boolean(c.Supports != nil && c.Supports("elicitation")),
		"MCP_TOOL_NAME="+c.Tool.Name,
		"MCP_TOOL_PATH="+c.Tool.Path,
		"MCP_TOOL_ERROR_FILE="+f.errors(),
		"MCP_TOOL_RESOURCES_FILE="+f.resources(),
		"MCP_CANCEL_FILE="+f.cancelled(),
		"MCP_PROGRESS_STREAM="+f.streamPath(),
		"MCP_LOG_STREAM="+f.streamPath(),
		"MCP_PROGRESS_TOKEN="+strings.ReplaceAll(unquoted(ProgressToken(c.Meta)), "\x00", ""), // no variable can hold it
	)
	env = append(env, rootsOf(c)...)
	env = append(env, mcp.TraceOf(c.Meta).Environment()...)
	meta, metadata := c.Meta, []byte(c.Tool.Metadata)
	if len(meta) == 0 {
		meta = []byte("{}")
	}
	if len(metadata) == 0 {
		metadata = []byte(`{"name":"` + c.Tool.Name + `"}`)
	}
	for _, p := range []struct {
		name  string
		value []byte
	}{
		{"MCP_TOOL_ARGS", c.Arguments},
		{"MCP_TOOL_META", meta},
		{"MCP_TOOL_METADATA", metadata},
	} {
		if env, err = r.payload(env, f, p.name, p.value); err != nil {
			return nil, err
		}
	}
	return dedupe(env), nil
}

// boolean is 1 or 0.
func boolean(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// rootsOf tells the tool which folders the client works in.
func rootsOf(c Call) []string {
	paths := make([]string, len(c.Roots))
	for i, root := range c.Roots {
		paths[i] = root.Path
	}
	return []string{
		"MCP_ROOTS_JSON=" + string(encode(c.Roots)),
		"MCP_ROOTS_PATHS=" + strings.Join(paths, "\n"),
		"MCP_ROOTS_COUNT=" + strconv.Itoa(len(paths)),
	}
}

// payload passes JSON in NAME_JSON, or in a file that NAME_FILE names where it
// is too long for a variable. The other of the two is empty or absent.
func (r *Runtime) payload(env []string, f *folder, name string, value []byte) ([]string, error) {
	if len(value) <= or(r.Limits.Inline, defaultInline) {
		return append(env, name+"_JSON="+string(value)), nil
	}
	path, err := f.write(strings.ToLower(name)+".json", value)
	return append(env, name+"_JSON=", name+"_FILE="+path), err
}

// dedupe keeps the last of the variables with one name.
func dedupe(env []string) []string {
	seen := make(map[string]bool, len(env))
	kept := make([]string, 0, len(env))
	for _, v := range slices.Backward(env) {
		name, _, _ := strings.Cut(v, "=")
		if !seen[name] {
			seen[name] = true
			kept = append(kept, v)
		}
	}
	slices.Reverse(kept)
	return kept
}
