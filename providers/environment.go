package providers

import (
	"slices"
	"strings"
)

// A Mode says which variables of the server's environment a script gets.
type Mode string

const (
	Isolate   Mode = "isolate"   // what programs need, and the settings of the providers
	Allowlist Mode = "allowlist" // and those that the operator names
	Inherit   Mode = "inherit"   // all but the server's own and its secrets
)

// always are what programs need to work at all.
var always = []string{
	"PATH", "HOME", "TMPDIR", "LANG",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", // Windows
}

// settings are the variables that say what providers may do, for a project's script that
// stands in for one of ours, and those that the Bash program gave to scripts. Names end with *
// where all that begin so are meant.
var settings = []string{
	"MCP_*", "MCPBASH_JSON_TOOL", "MCPBASH_JSON_TOOL_BIN", "MCPBASH_ROOTS", "MCPBASH_PROJECT_ROOT", "MCPBASH_MAX_RESOURCE_BYTES",
	"MCPBASH_HTTPS_*", "MCPBASH_GIT_*", "MCPBASH_ENABLE_GIT_PROVIDER", "MCPBASH_LOG_LEVEL", "MCPBASH_DEBUG",
}

// secrets reach no script, whatever the mode.
var secrets = []string{"MCPBASH_REMOTE_TOKEN", "MCP_REGISTRY_TOKEN"}

// Environment picks from the server's environment, as NAME=value, what scripts get.
func Environment(server []string, mode Mode, allowed []string) []string {
	var env []string
	for _, v := range server {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case slices.Contains(secrets, name), strings.HasPrefix(name, "MCP_TOOL_"), name == "MCP_CHANNEL": // of another server's call
		case slices.Contains(always, strings.ToUpper(name)),
			slices.ContainsFunc(settings, func(s string) bool { return fits(s, name) }),
			mode == Allowlist && slices.Contains(allowed, name),
			mode == Inherit && !strings.HasPrefix(name, "MCPBASH_"):
			env = append(env, v)
		}
	}
	return env
}

func fits(pattern, name string) bool {
	prefix, wild := strings.CutSuffix(pattern, "*")
	return name == pattern || wild && strings.HasPrefix(name, prefix)
}

// with returns env with more variables, which take the place of those with the same names: of
// two with one name, programs differ in which one they see.
func with(env []string, more ...string) []string {
	names := make(map[string]bool, len(more))
	for _, v := range more {
		name, _, _ := strings.Cut(v, "=")
		names[name] = true
	}
	kept := slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return names[name]
	})
	return append(kept, more...)
}
