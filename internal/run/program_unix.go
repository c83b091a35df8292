//go:build unix

package run

import "github.com/mcp-bash/mcp-bash/v2/internal/project"

// program is what is started for a tool: the script itself, as its #! line says.
func program(t *project.Tool) (path string, args []string) { return t.Path, nil }
