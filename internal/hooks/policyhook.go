package hooks

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
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
	complaint := shellError{path: h.Path(policyFile)}
	result := h.Run(ctx, hook, Program{
		Text: ask, Args: []string{tool, string(metadata)}, Limit: patience, Head: 64 << 10, Heard: &complaint,
		Env: append(mcp.CallerOf(ctx).Environ(), "MCPBASH_PROJECT_ROOT="+h.Root, "MCPBASH_SERVER_DIR="+h.ServerDir),
	})
	if text := strings.TrimSpace(result.Stderr); text != "" {
		h.Log.Info(policyFile+": "+text, "tool", tool)
	}
	v := verdictOf(result.Stdout)
	if v.undecided {
		h.warn("server.d/policy.sh defines no function mcp_tools_policy_check, so it refuses no call; define it, or " +
			"correct its name")
	}
	if v.fault == "" {
		v.fault = complaint.first()
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

// A shellError finds the first error message of bash itself about the script at path in what is written to it: a line
// of it could not be executed, and what came after was decided without it. Warnings do not count.
type shellError struct {
	path  string
	line  []byte // the beginning of one
	found string
}

// lineBytes is how much of a line is looked at.
const lineBytes = 4 << 10

func (e *shellError) Write(p []byte) (int, error) {
	for part := range bytes.Lines(p) {
		e.line = append(e.line, part[:min(len(part), max(lineBytes-len(e.line), 0))]...)
		if part[len(part)-1] == '\n' {
			e.first()
		}
	}
	return len(p), nil
}

// first returns the message, "" if there is none, when a line is complete.
func (e *shellError) first() string {
	_, rest, ok := strings.Cut(strings.TrimSpace(string(e.line)), e.path+": ") // behind what a script has printed
	e.line = e.line[:0]
	if m := shellMessage.Get().FindStringSubmatch(rest); ok && m != nil && !strings.HasPrefix(m[2], "warning: ") && e.found == "" {
		e.found = "line " + m[1] + ": " + strings.ToValidUTF8(m[2], "\ufffd")
	}
	return e.found
}

// shellMessage matches how bash names a place in a script, also within an eval.
var shellMessage = lazyregexp.New(`^(?:[a-z ]+: )?line (\d+): (.*)`)
