package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// A Hook asks server.d/policy.sh whether a tool may be called. The script
// defines
//
//	mcp_tools_policy_check NAME METADATA
//
// which refuses with mcp_tools_error CODE MESSAGE [DATA], or the variables
// _MCP_TOOLS_ERROR_CODE, _MESSAGE and _DATA, and a return code other than 0. What
// mcp_tools_policy_check_default would check is checked before it. It is looked for anew at each call. Where the file exists but may not
// run, all tools are refused: somebody meant to have a policy.
type Hook struct {
	Root      string // the project's folder
	ServerDir string // where policy.sh lies
	Bash      string // the bash that runs it
	Rules     hooks.Rules
	Runner    *script.Runner
	Env       []string
	Log       *slog.Logger
}

// patience is how long the hook may take to decide.
const patience = 5 * time.Second

// ask runs the hook: what it prints goes to stderr, what it refuses with comes
// back on stdout.
const ask = `exec 3>&1 1>&2
mcp_tools_error() { unset _MCP_TOOLS_ERROR_MESSAGE; printf '%s\0%s\0%s' "$1" "${2-}" "${3-}" >&3; return 1; }
mcp_tools_policy_check() { return 0; }
mcp_tools_policy_check_default() { return 0; }
. "$1" || exit
if mcp_tools_policy_check "$2" "$3"; then
	printf allowed >&3
else
	[ -z "${_MCP_TOOLS_ERROR_MESSAGE-}" ] ||
		mcp_tools_error "${_MCP_TOOLS_ERROR_CODE:--32602}" "$_MCP_TOOLS_ERROR_MESSAGE" "${_MCP_TOOLS_ERROR_DATA-}"
	exit 1
fi`

func (h *Hook) check(ctx context.Context, tool string, metadata []byte) error {
	path := filepath.Join(h.ServerDir, "policy.sh")
	switch err := h.Rules.Check(h.Root, path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return blocked(tool, err.Error())
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it did not decide within %v", patience))
	defer cancel()
	said, stderr := script.Head{Limit: 64 << 10}, script.Tail{Limit: 4 << 10}
	ended, err := h.Runner.Run(ctx, script.Command{
		Path:   h.Bash,
		Args:   []string{"-c", ask, "mcp-bash", path, tool, string(metadata)},
		Dir:    h.Root,
		Env:    append(h.Env[:len(h.Env):len(h.Env)], "MCPBASH_PROJECT_ROOT="+h.Root, "MCPBASH_SERVER_DIR="+h.ServerDir),
		Stdout: &said,
		Stderr: &stderr,
	})
	if text := strings.TrimSpace(stderr.Text()); text != "" {
		h.Log.Info("policy.sh: "+text, "tool", tool)
	}
	switch {
	case err != nil:
		return blocked(tool, "server.d/policy.sh: "+err.Error())
	case ended.ExitCode == 0 && string(said.Bytes()) == "allowed":
		return nil
	case ended.ExitCode == 0:
		return blocked(tool, "server.d/policy.sh ended before it decided; it must not exit by itself")
	}
	return refused(tool, said.Bytes())
}

// refused is the error that the hook gave to mcp_tools_error.
func refused(tool string, said []byte) error {
	fields := bytes.SplitN(said, []byte{0}, 3)
	code, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil || len(fields) < 3 {
		return blocked(tool, "server.d/policy.sh")
	}
	e := &jsonrpc2.Error{Code: code, Message: strings.ToValidUTF8(string(fields[1]), "\ufffd")}
	data := json.RawMessage(fields[2])
	if jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true)) { // strict: json.Valid takes broken UTF-8
		e.Data = &data
	} else if len(data) > 0 {
		e.SetError(string(data))
	}
	return e
}
