package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A PolicyHook runs server.d/policy.sh to decide whether a tool may be called. The script defines
//
//	mcp_tools_policy_check NAME METADATA
//
// which refuses with mcp_tools_error CODE MESSAGE [DATA], or the variables _MCP_TOOLS_ERROR_CODE,
// _MESSAGE and _DATA, and a return code other than 0. The checks of mcp_tools_policy_check_default
// are done before it. It is told who calls in the variables of [mcp.Caller.Environ]. A script that does not define it
// allows all calls, as in the Bash program; that is logged. The script is looked for at each call.
//
// All other failures refuse the call too, since a policy exists that could not be applied: a file
// that may not run or cannot be read, a script that exits the shell or takes too long, and errors
// of bash itself, such as an unknown command or a comparison of text that is not a number.
//
// It may be used by several goroutines at once.
type PolicyHook struct {
	Host
	Log *slog.Logger

	mu     sync.Mutex
	logged string // last logged warning about the file
}

const (
	policyFile = "policy.sh"
	patience   = 5 * time.Second // time to decide
	maxOutput  = 1 << 20         // of stderr, which is searched for errors
)

// ask runs the hook: its output goes to stderr, its decision comes back on stdout, as records. An
// unknown command has a status of 126 or 127; if it is the condition of an if, the DEBUG trap does
// not see it, but newer shells call a function. Neither method needs stderr, which scripts may
// redirect to /dev/null.
const ask = `exec 59>&1 1>&2
_mcp_say() { printf '%s\0' "$@" >&59; }
mcp_tools_error() { unset _MCP_TOOLS_ERROR_MESSAGE; _mcp_say error "${1-}" "${2-}" "${3-}"; return 1; }
mcp_tools_policy_check() { _mcp_say undecided; }
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

func (h *PolicyHook) check(ctx context.Context, tool string, metadata []byte) error {
	hook, err := h.Open(policyFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		h.warn(unusable(err))
		return blocked(tool, err.Error())
	}
	defer hook.Close()
	result := h.Run(ctx, hook, Program{
		Text: ask, Args: []string{tool, string(metadata)}, Limit: patience, Head: 64 << 10, Tail: maxOutput,
		Env: append(mcp.CallerOf(ctx).Environ(), "MCPBASH_PROJECT_ROOT="+h.Root, "MCPBASH_SERVER_DIR="+h.ServerDir,
			"LANGUAGE=C"), // in which [shellError] reads
	})
	if text := strings.TrimSpace(result.Stderr[max(0, len(result.Stderr)-stderrBytes):]); text != "" {
		h.Log.Info(policyFile+": "+text, "tool", tool)
	}
	v := verdictOf(result.Stdout)
	if v.undecided {
		h.warn("server.d/policy.sh defines no function mcp_tools_policy_check, so it refuses no call; define it, or " +
			"correct its name")
	}
	if v.fault == "" {
		v.fault = h.shellError(result.Stderr)
	}
	switch {
	case result.Err != nil:
		return blocked(tool, "server.d/policy.sh: "+result.Err.Error())
	case result.Truncated:
		return blocked(tool, fmt.Sprintf("server.d/policy.sh printed more than %d MiB", maxOutput>>20))
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
func (h *PolicyHook) barred() error {
	err := h.Check(policyFile)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	h.warn(unusable(err))
	return err
}

// unusable returns the warning that the hook may not run.
func unusable(reason error) string { return "all tools are refused: " + reason.Error() }

// warn logs a warning, unless it is the last one.
func (h *PolicyHook) warn(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if text != h.logged {
		h.logged = text
		h.Log.Warn(text)
	}
}

// A verdict is the decision of the hook about a call.
type verdict struct {
	allowed   bool
	undecided bool            // the script has no function that decides
	refusal   *jsonrpc2.Error // of the last call of mcp_tools_error; nil: none
	fault     string          // the first failure that was detected; "": none
}

// verdictOf reads the records that the hook wrote.
func verdictOf(records []byte) (v verdict) {
	fields := bytes.Split(records, []byte{0})
	for {
		switch kind := string(fields[0]); {
		case kind == "allowed" && len(fields) > 1:
			v.allowed, fields = true, fields[1:]
		case kind == "undecided" && len(fields) > 1:
			v.undecided, fields = true, fields[1:]
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

// refusalOf returns the error for the code, the message and the data of a call of mcp_tools_error.
// The default for an invalid code is that of invalid params.
func refusalOf(fields [][]byte) *jsonrpc2.Error {
	code, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		code = jsonrpc2.CodeInvalidParams
	}
	e := &jsonrpc2.Error{Code: code, Message: strings.ToValidUTF8(string(fields[1]), "\ufffd")}
	data := json.RawMessage(fields[2])
	if json.Value(data).IsValid(json.AllowDuplicateNames(true)) { // and valid UTF-8
		e.Data = &data
	} else if len(data) > 0 {
		e.SetError(string(data))
	}
	return e
}

// shellError returns the first error message of bash itself on stderr, "" if there is none: then a line of the policy,
// or of a file that it sources, could not be executed, and what came after was decided without it. Warnings do not
// count, nor does what names no file.
func (h *PolicyHook) shellError(stderr string) string {
	for line := range strings.Lines(stderr) {
		m := shellMessage.Get().FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || strings.HasPrefix(m[3], "warning: ") {
			continue
		}
		_, err := os.Lstat(filepath.Join(h.Root, m[1]))
		if strings.ContainsAny(m[1], `/\`) || err == nil {
			return "line " + m[2] + ": " + strings.ToValidUTF8(m[3], "\ufffd")
		}
	}
	return ""
}

// shellMessage matches how bash names a file and a place in it, also within an eval.
var shellMessage = lazyregexp.New(`([^:]+): (?:[a-z ]+: )?line (\d+): (.*)`)
