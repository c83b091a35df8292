package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// A Hook asks server.d/policy.sh whether a tool may be called. The script
// defines
//
//	mcp_tools_policy_check NAME METADATA
//
// which refuses with mcp_tools_error CODE MESSAGE [DATA], or the variables
// _MCP_TOOLS_ERROR_CODE, _MESSAGE and _DATA, and a return code other than 0. What
// mcp_tools_policy_check_default would check is checked before it. The script is
// looked for anew at each call.
//
// Whatever else goes wrong refuses the call too: where the file exists, somebody
// meant to have a policy. That is a file that may not run or cannot be read, one
// that ends the shell or takes too long, and one of which bash itself complains:
// of a command that is not there, a comparison of what is no number.
//
// It may be used by several goroutines at once.
type Hook struct {
	hooks.Host
	Log *slog.Logger

	mu   sync.Mutex
	told string // why it may not run, as it was logged last
}

const (
	file     = "policy.sh"
	patience = 5 * time.Second // to decide
)

// ask runs the hook: what it prints goes to stderr, what it decides comes back on
// stdout, as records. A command that is not there has a status of 126 or 127; where
// that is the condition of an if, the DEBUG trap does not see it, but newer shells
// call a function. Neither of them needs stderr, which scripts send to /dev/null.
const ask = `exec 59>&1 1>&2
_mcp_say() { printf '%s\0' "$@" >&59; }
mcp_tools_error() { unset _MCP_TOOLS_ERROR_MESSAGE; _mcp_say error "${1-}" "${2-}" "${3-}"; return 1; }
mcp_tools_policy_check() { return 0; }
mcp_tools_policy_check_default() { return 0; }
command_not_found_handle() { _mcp_say broken "$1: command not found"; return 127; }
set -T
trap 'case $? in 12[67]) _mcp_say broken "a command could not be run" ;; esac' DEBUG
. "$1" || exit
if mcp_tools_policy_check "$2" "$3"; then
	trap - DEBUG
	_mcp_say allowed
else
	[ -z "${_MCP_TOOLS_ERROR_MESSAGE-}" ] ||
		mcp_tools_error "${_MCP_TOOLS_ERROR_CODE:--32602}" "$_MCP_TOOLS_ERROR_MESSAGE" "${_MCP_TOOLS_ERROR_DATA-}"
	exit 1
fi`

func (h *Hook) check(ctx context.Context, tool string, metadata []byte) error {
	hook, err := h.Open(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		h.unusable(err.Error())
		return blocked(tool, err.Error())
	}
	defer hook.Close()
	result := h.Run(ctx, hook, hooks.Program{
		Text: ask, Args: []string{tool, string(metadata)}, Limit: patience, Head: 64 << 10,
		Env: []string{"MCPBASH_PROJECT_ROOT=" + h.Root, "MCPBASH_SERVER_DIR=" + h.ServerDir},
	})
	if text := strings.TrimSpace(result.Stderr); text != "" {
		h.Log.Info(file+": "+text, "tool", tool)
	}
	v := verdictOf(result.Stdout)
	if v.fault == "" {
		v.fault = complaint(result.Stderr, h.Path(file))
	}
	switch {
	case result.Err != nil:
		return blocked(tool, "server.d/policy.sh: "+result.Err.Error())
	case v.fault != "":
		return blocked(tool, "server.d/policy.sh: "+v.fault)
	case v.refusal != nil:
		return v.refusal
	case result.ExitCode != 0:
		return blocked(tool, "server.d/policy.sh")
	case !v.allowed:
		return blocked(tool, "server.d/policy.sh ended before it decided; it must not exit by itself")
	}
	return nil
}

// barred returns why the hook may not run; nil if it may, or if there is none.
func (h *Hook) barred() error {
	err := h.Check(file)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	h.unusable(err.Error())
	return err
}

// unusable logs why the hook may not run, once.
func (h *Hook) unusable(reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if reason != h.told {
		h.told = reason
		h.Log.Warn("all tools are refused: " + reason)
	}
}

// A verdict is what the hook said of a call.
type verdict struct {
	allowed bool
	refusal *jsonrpc2.Error // the last that it gave to mcp_tools_error; nil: none
	fault   string          // the first that it noticed itself; "": none
}

// verdictOf reads the records that the hook wrote.
func verdictOf(said []byte) (v verdict) {
	fields := bytes.Split(said, []byte{0})
	for {
		switch kind := string(fields[0]); {
		case kind == "allowed" && len(fields) > 1:
			v.allowed, fields = true, fields[1:]
		case kind == "broken" && len(fields) > 2:
			if v.fault == "" {
				v.fault = strings.ToValidUTF8(string(fields[1]), "\ufffd")
			}
			fields = fields[2:]
		case kind == "error" && len(fields) > 4:
			v.refusal, fields = refusalOf(fields[1:4]), fields[4:]
		default:
			return v
		}
	}
}

// refusalOf makes the error of the code, the message and the data that mcp_tools_error was given.
// A code that is none is that of params that are not right.
func refusalOf(fields [][]byte) *jsonrpc2.Error {
	code, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		code = jsonrpc2.CodeInvalidParams
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

// complaint is what bash itself said on stderr of the script at path, "" if it said
// nothing: then a line of it could not be carried out, and what came after was decided
// without it. Warnings are none.
func complaint(stderr, path string) string {
	for line := range strings.Lines(stderr) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), path+": ")
		if m := shellSays().FindStringSubmatch(rest); ok && m != nil && !strings.HasPrefix(m[2], "warning: ") {
			return "line " + m[1] + ": " + strings.ToValidUTF8(m[2], "\ufffd")
		}
	}
	return ""
}

// shellSays is how bash names a place in a script, perhaps after where in it that is: in an eval.
var shellSays = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[a-z ]+: )?line (\d+): (.*)`) })
