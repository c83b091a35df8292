package main

import (
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// isPlaceholder reports whether a variable holds the name of a bundle's setting instead of a value:
// that is what clients pass for a setting that the user left empty.
func isPlaceholder(variable string) bool {
	return strings.Contains(variable, "=${user_config.") && placeholder.Get().MatchString(variable)
}

var placeholder = lazyregexp.New(`^[^=]+=\$\{user_config\.\w+\}$`)

// windowsEnviron returns an environment of Windows with one spelling of the names that we look up,
// which are case-insensitive there (PATH is usually Path), and without the current folders of drives,
// which have an empty name.
func windowsEnviron(environ []string) []string {
	env := make([]string, 0, len(environ))
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		if name == "" { // as in =C:=C:\folder
			continue
		}
		if folded := strings.ToUpper(name); lookedUp[folded] || strings.HasPrefix(folded, "MCP_") ||
			strings.HasPrefix(folded, "MCPBASH_") {
			name = folded
		}
		env = append(env, name+"="+value)
	}
	return env
}

var lookedUp = map[string]bool{
	"PATH": true, "PATHEXT": true, "HOME": true, "TMPDIR": true, "APPDATA": true, "LOCALAPPDATA": true,
	"USERPROFILE": true, "EDITOR": true, "VISUAL": true, "TERM": true, "NO_COLOR": true,
}
