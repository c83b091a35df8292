package providers

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestTheModeSaysWhichVariablesAScriptGets(t *testing.T) {
	server := []string{
		"PATH=/bin", "HOME=/root", "Path=x", "AWS_SECRET=s", "EDITOR=vi", "MCPBASH_REMOTE_TOKEN=t", "MCP_REGISTRY_TOKEN=t",
		"MCPBASH_HTTPS_ALLOW_HOSTS=a.test", "MCP_RESOURCES_ROOTS=/r", "MCPBASH_STATE_DIR=/s", "MCP_OTHER=o",
	}
	isolated := "PATH HOME Path MCPBASH_HTTPS_ALLOW_HOSTS MCP_RESOURCES_ROOTS MCP_OTHER"
	for _, c := range []struct {
		mode    Mode
		allowed []string
		want    string
	}{
		{Isolate, nil, isolated},
		{Isolate, []string{"EDITOR"}, isolated},
		{"", []string{"EDITOR"}, isolated},
		{Allowlist, []string{"EDITOR", "MCPBASH_REMOTE_TOKEN"}, "PATH HOME Path EDITOR MCPBASH_HTTPS_ALLOW_HOSTS MCP_RESOURCES_ROOTS MCP_OTHER"},
		{Inherit, nil, "PATH HOME Path AWS_SECRET EDITOR MCPBASH_HTTPS_ALLOW_HOSTS MCP_RESOURCES_ROOTS MCP_OTHER"},
	} {
		is := is.New(t)
		var names []string
		for _, v := range Environment(server, c.mode, c.allowed) {
			name, _, _ := strings.Cut(v, "=")
			names = append(names, name)
		}
		is.Equal(strings.Join(names, " "), c.want)
	}
}

func TestAVariableStandsOnceInAnEnvironment(t *testing.T) {
	is := is.New(t)
	env := []string{"A=1", "B=2", "A=3"}
	is.Equal(strings.Join(with(env, "A=4", "C=5"), " "), "B=2 A=4 C=5")
	is.Equal(strings.Join(env, " "), "A=1 B=2 A=3") // which is not changed
}
