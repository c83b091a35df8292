package serverenv

import (
	"slices"
	"strings"
)

// settable are the variables of the server that a project may set: how much and
// how long, never what is allowed or where secrets lie.
var settable = []string{
	"MCPBASH_CI_MODE",
	"MCPBASH_COMPAT_BATCHES",
	"MCPBASH_DEBUG",
	"MCPBASH_DEFAULT_TOOL_TIMEOUT",
	"MCPBASH_ELICITATION_TIMEOUT",
	"MCPBASH_ENABLE_LIVE_PROGRESS",
	"MCPBASH_ENV_PAYLOAD_THRESHOLD",
	"MCPBASH_GIT_MAX_KB",
	"MCPBASH_GIT_TIMEOUT",
	"MCPBASH_HTTPS_MAX_BYTES",
	"MCPBASH_HTTPS_TIMEOUT",
	"MCPBASH_IDLE_TIMEOUT",
	"MCPBASH_INPUT_WAIT_SECS",
	"MCPBASH_LOG_LEVEL",
	"MCPBASH_MAX_CONCURRENT_REQUESTS",
	"MCPBASH_MAX_LOGS_PER_MIN",
	"MCPBASH_MAX_MANUAL_REGISTRY_BYTES",
	"MCPBASH_MAX_MESSAGE_BYTES",
	"MCPBASH_MAX_PROGRESS_PER_MIN",
	"MCPBASH_MAX_REQUESTS_PER_MIN",
	"MCPBASH_MAX_RESOURCE_BYTES",
	"MCPBASH_MAX_TEXT_BYTES",
	"MCPBASH_MAX_TIMEOUT_SECS",
	"MCPBASH_MAX_TOOL_OUTPUT_SIZE",
	"MCPBASH_MAX_UI_RESOURCE_BYTES",
	"MCPBASH_PAGE_SIZE",
	"MCPBASH_PROGRESS_EXTENDS_TIMEOUT",
	"MCPBASH_REQUEST_STATE_TTL_SECS",
	"MCPBASH_RESOURCES_POLL_INTERVAL_SECS",
	"MCPBASH_ROOTS_REQUEST_TIMEOUT",
	"MCPBASH_SHUTDOWN_TIMEOUT",
	"MCPBASH_TASK_AFTER_SECS",
	"MCPBASH_TASK_TTL_SECS",
	"MCPBASH_TOOL_STDERR_TAIL_LIMIT",
	"MCPBASH_TOOL_STREAM_STDERR",
}

// Settable are the names of the server's variables that env.sh may set.
func Settable() []string { return slices.Clone(settable) }

// forOperators reports whether a variable is the server's, or part of what it
// tells its tools, and not for the project to set.
func (f File) forOperators(name string) bool {
	switch {
	case slices.Contains(settable, name):
		return false
	case name == "MCP_CHANNEL", name == "MCP_SDK", name == "MCP_TRANSPORT",
		name == "MCP_RESOURCES_ROOTS", name == "MCP_ROOTS": // which files clients can read
		return true
	}
	return slices.Contains(f.Names, name) || hasPrefix(name, "MCP_TOOL_", "MCP_REGISTRY_")
}

// dangerous reports whether a variable makes programs that are started run, or
// load, something else. Windows does not tell capitals apart.
func dangerous(name string) bool {
	switch upper := strings.ToUpper(name); upper {
	case "PATH", "PATHEXT", "COMSPEC", "IFS", "ENV", "BASH_ENV", "BASHOPTS", "SHELLOPTS", "GLOBIGNORE", "PS4", "PROMPT_COMMAND", "BASH_XTRACEFD":
		return true
	default:
		return hasPrefix(upper, "LD_", "DYLD_", "BASH_FUNC_")
	}
}

func hasPrefix(name string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
