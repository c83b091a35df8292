package run

import (
	"context"
	"encoding/json"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// Prompt runs a prompt that is a script and returns what it printed. The script
// can use the SDK, whose channel answers from client.
func (r *Runtime) Prompt(ctx context.Context, p *catalog.Prompt, arguments map[string]string,
	client sdk.Call) ([]byte, error) {
	if arguments == nil {
		arguments = map[string]string{}
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	folder, err := r.takeFolder()
	if err != nil {
		return nil, err
	}
	defer r.putFolder(folder)
	payload, err := r.payload(folder, "MCP_PROMPT_ARGS", text)
	if err != nil {
		return nil, err
	}
	env, err := r.scriptEnvironment(append(payload, "MCP_PROMPT_NAME="+p.Name)...)
	if err != nil {
		return nil, err
	}
	client.Dir, client.Args = folder.path, text
	return r.printed(ctx, job{path: p.Path, env: env, times: r.scriptTimes(p.Timeout), folder: folder, client: &client})
}
