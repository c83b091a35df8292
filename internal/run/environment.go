package run

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Mode selects which variables of the server's environment scripts get.
type Mode string

const (
	Minimal   Mode = ""          // the few that programs need, LC_*, MCP_* and MCPBASH_*
	Allowlist Mode = "allowlist" // and those that the operator names
	Inherit   Mode = "inherit"   // all
)

// An Isolation selects which of the server's variables scripts get: never a secret
// or a variable that belongs to a call of another server, and only those of the
// server's own settings that the operator names.
type Isolation struct {
	Mode     Mode
	Allowed  []string // names that scripts get besides, for the modes that take them
	Secrets  []string // names of the server's secrets
	Settings []string // names of the server's own settings

	system string // as in runtime.GOOS; empty for this one
}

// always lists the variables that programs need to work at all.
var always = []string{
	"PATH", "HOME", "SHELL", "TMPDIR", "USER", "LOGNAME", "TZ", "LANG",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", // Windows
	"MSYS2_ARG_CONV_EXCL", "MSYS2_ENV_CONV_EXCL", "MSYS_NO_PATHCONV", // Git Bash: which arguments are not paths
}

// onWindows lists what Windows programs need besides: where they keep their files, and where other
// programs are, such as the bash of Git.
var onWindows = []string{
	"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "ALLUSERSPROFILE", "PUBLIC", "HOMEDRIVE", "HOMEPATH",
	"PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432",
	"COMMONPROGRAMFILES", "COMMONPROGRAMFILES(X86)", "COMMONPROGRAMW6432",
	"OS", "PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS", "COMPUTERNAME", "USERNAME", "USERDOMAIN", "PSMODULEPATH",
}

// Environment returns the variables of server, the server's environment as NAME=value, that scripts get.
func (i Isolation) Environment(server []string) []string {
	var env []string
	for _, v := range server {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case i.hides(name):
		case i.Mode != Minimal && slices.Contains(i.Allowed, name),
			!slices.Contains(i.Settings, name) && (i.Mode == Inherit || common(name, cmp.Or(i.system, runtime.GOOS))):
			env = append(env, v)
		}
	}
	return env
}

// hides reports whether no mode lets scripts have a variable. Those of a call are there if the server was started by
// a tool of another server.
func (i Isolation) hides(name string) bool {
	return slices.Contains(i.Secrets, name) || strings.HasPrefix(name, "MCP_TOOL_") || name == "MCP_CHANNEL"
}

// Hint returns what the operator can do for a script that failed with a message: let it have a variable of server
// that the message names and that is not in env, the script's own; empty if there is none. The settings
// of the isolation are prefix_MODE and prefix_ALLOWLIST.
func (i Isolation) Hint(server []string, prefix, message string, env []string) string {
	has := func(env []string, word string) bool {
		return slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, word+"=") && len(v) > len(word)+1 })
	}
	notInNames := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for word := range strings.FieldsFuncSeq(message, notInNames) {
		if i.hides(word) || slices.Contains(ofShell, word) || has(env, word) || !has(server, word) {
			continue
		}
		list := "add it to " + prefix + "_ALLOWLIST"
		if i.Mode != Allowlist {
			list = fmt.Sprintf("set %s_MODE=allowlist and %[1]s_ALLOWLIST=%s", prefix, word)
		}
		return fmt.Sprintf("the server has the variable %s, but its scripts do not get it: %s in the server's environment",
			word, list)
	}
	return ""
}

// ofShell lists variables that a shell sets by itself.
var ofShell = []string{"PWD", "OLDPWD", "SHLVL", "_"}

// common reports whether scripts get a variable in every mode.
func common(name, system string) bool {
	folded := strings.ToUpper(name)
	return slices.Contains(always, folded) || system == "windows" && slices.Contains(onWindows, folded) ||
		slices.ContainsFunc([]string{"LC_", "MCP_", "MCPBASH_"},
			func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// Where two variables of a script have the same name, the later one counts: the
// operator's, then the script's own, then the contract.

// scriptEnvironment returns the variables of a script that is not a tool.
func (r *Runtime) scriptEnvironment(more ...string) ([]string, error) {
	contract, err := r.contract()
	return merge(r.Others(), contract, more), err
}

// contract returns the variables that the server sets for every script.
func (r *Runtime) contract() ([]string, error) {
	home, err := r.Home()
	if err != nil {
		return nil, err
	}
	return []string{
		"MCPBASH_HOME=" + home,
		"MCPBASH_PROJECT_ROOT=" + r.Root,
		"MCP_SDK=" + filepath.Join(home, "sdk"),
	}, nil
}

func (r *Runtime) environment(c Call, f *folder) ([]string, error) {
	contract, err := r.contract()
	if err != nil {
		return nil, err
	}
	elicits := "0"
	if c.Supports != nil && c.Supports("elicitation") {
		elicits = "1"
	}
	token := ProgressToken(c.Meta)
	if json.Value(token).Kind() == '"' {
		token = json.RawMessage(json.Text(json.Value(token)))
	}
	env := append(contract,
		"MCP_ELICIT_SUPPORTED="+elicits,
		"MCP_TOOL_NAME="+c.Tool.Name,
		"MCP_TOOL_PATH="+c.Tool.Path,
		"MCP_TOOL_ERROR_FILE="+f.errors(),
		"MCP_TOOL_RESOURCES_FILE="+f.resources(),
		"MCP_CANCEL_FILE="+f.cancelled(),
		"MCP_PROGRESS_STREAM="+f.streamPath(),
		"MCP_LOG_STREAM="+f.streamPath(),
		"MCP_PROGRESS_TOKEN="+string(token),
		"MCP_ROOTS_JSON="+string(json.Encode(c.Folders)),
		"MCP_ROOTS_PATHS="+strings.Join(roots.Paths(c.Folders), "\n"),
		"MCP_ROOTS_COUNT="+strconv.Itoa(len(c.Folders)),
	)
	env = append(env, mcp.TraceOf(c.Meta).Environment()...)
	for _, p := range []struct {
		name        string
		value, none []byte
	}{
		{"MCP_TOOL_ARGS", c.Args, nil},
		{"MCP_TOOL_META", c.Meta, []byte("{}")},
		{"MCP_TOOL_METADATA", c.Tool.Metadata, []byte(`{"name":"` + c.Tool.Name + `"}`)},
	} {
		if len(p.value) == 0 {
			p.value = p.none
		}
		more, err := r.payload(f, p.name, p.value)
		if err != nil {
			return nil, err
		}
		env = append(env, more...)
	}
	return merge(r.Env(), ownEnvironment(c.Tool), env), nil
}

// maxVariable is the most bytes that a variable on Windows can hold, with its name. Windows
// counts UTF-16 units, and a text never has more of those than bytes.
const maxVariable = 32767 - 64

// inline returns the most bytes of JSON that are passed in a variable.
func (l Limits) inline(system string) int {
	most := cmp.Or(l.Inline, defaultInline)
	if system == "windows" {
		most = min(most, maxVariable)
	}
	return most
}

// payload returns the variables that pass JSON to a script: in NAME_JSON, or,
// where it is too long for a variable, in a file named by NAME_FILE. The other
// variable is empty or absent.
func (r *Runtime) payload(f *folder, name string, value []byte) ([]string, error) {
	if len(value) <= r.Limits.inline(runtime.GOOS) {
		return []string{name + "_JSON=" + string(value)}, nil
	}
	path, err := f.write(strings.ToLower(name)+".json", value)
	return []string{name + "_JSON=", name + "_FILE=" + path}, err
}

// merge keeps the last of the variables with one name, and sees to a locale. A zero byte, which no
// variable can hold, is left out of its value.
func merge(parts ...[]string) []string {
	env := slices.Concat(parts...)
	seen := make(map[string]bool, len(env))
	kept := make([]string, 0, len(env))
	for _, v := range slices.Backward(env) {
		if name := process.VariableOf(v); !seen[name] {
			seen[name] = true
			kept = append(kept, strings.ReplaceAll(v, "\x00", ""))
		}
	}
	slices.Reverse(kept)
	return process.WithLocale(kept)
}
