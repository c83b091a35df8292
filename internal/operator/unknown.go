package operator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// Obsolete returns the variables of the Bash program that have no effect here, with the reasons.
var Obsolete = sync.OnceValue(func() map[string]string { return reasons(obsolete...) })

// obsolete has alternately names, separated by blanks, and their reason.
var obsolete = []string{
	"MCPBASH_HOME", "the program is one file; scripts get a folder with the SDK and the built-in providers",
	"MCPBASH_LOCK_ROOT MCPBASH_LOCK_POLL_INTERVAL MCPBASH_LOCK_REAP_GRACE_SECS MCPBASH_DOCTOR_LOCK_TIMEOUT_SECS " +
		"MCPBASH_DOCTOR_LOCK_POLL_SECS", "mcp-bash does not use lock folders",
	"MCPBASH_STATE_SEED", "the folder for running calls has a random name",
	"MCPBASH_INSTALL_REPO_URL MCPBASH_INSTALL_LOCAL_SOURCE MCPBASH_INSTALL_ARCHIVE_URL MCPBASH_DOCTOR_LOCAL_SOURCE " +
		"MCPBASH_DOCTOR_KEEP_BACKUP", "`install.sh` takes a version and `MCPBASH_INSTALL_DIR` only",
	"MCPBASH_MAX_TOOL_STDERR_SIZE MCPBASH_TOOL_STDERR_CAPTURE MCPBASH_TOOL_TIMEOUT_CAPTURE",
	"the end of stderr is always kept: MCPBASH_TOOL_STDERR_TAIL_LIMIT",
	"MCPBASH_UI_CACHE_MAX_TEMPLATES", "templates are not cached",
	"MCPBASH_MANUAL_BUFFER_MAX_BYTES", "MCPBASH_MAX_MANUAL_REGISTRY_BYTES bounds registrations",
	"MCPBASH_DEFAULT_SUBSCRIBE_TIMEOUT", "subscribing takes no time",
	"MCPBASH_PROGRESS_FLUSH_INTERVAL", "progress is sent as it happens",
	"MCP_TOOLS_TTL MCP_RESOURCES_TTL MCP_PROMPTS_TTL MCP_RESOURCES_TEMPLATES_TTL MCP_UI_TTL MCPBASH_REGISTER_TTL",
	"lists are as the files are",
	"MCPBASH_ROOTS_DEBOUNCE_INTERVAL", "roots are asked for when they are wanted",
	"MCPBASH_REGISTRY_REFRESH_PATH", "`mcp-bash registry refresh --filter`",
	"MCPBASH_REGISTRY_REFRESH_NO_WRITE MCPBASH_REGISTRY_REFRESH_NO_NOTIFY",
	"`mcp-bash health` writes nothing, `registry refresh` sends no notifications",
	"MCPBASH_TOOL_POLICY_CONTEXT", "refusals always name the rule",
	"MCPBASH_JSON_TOOL MCPBASH_JSON_TOOL_BIN MCPBASH_ALLOW_JSON_TOOL_OVERRIDE_FOR_ROOT", "jq is built in, for tools too",
	"MCPBASH_MODE MCPBASH_FRAMEWORK_VERSION", "set for tools, not read",
	"MCPBASH_LOG_VERBOSE MCPBASH_LOG_JSON_TOOL MCPBASH_LOG_STARTUP MCPBASH_LOG_TIMESTAMP MCPBASH_QUIET",
	"MCPBASH_LOG_LEVEL sets how much is logged; every line has its time",
	"MCPBASH_KEEP_LOGS MCPBASH_CI_VERBOSE", "the log goes to stderr; MCPBASH_PRESERVE_STATE keeps files",
	"MCPBASH_DEBUG_ERRORS", "errors of outputSchema always name the place",
	"MCPBASH_DEBUG_ALL_EXITS", "a trap of Bash",
	"MCPBASH_TRACE_TOOLS MCPBASH_TRACE_PS4 MCPBASH_TRACE_MAX_BYTES",
	"put `set -x` into the tool; MCPBASH_TOOL_STREAM_STDERR shows it",
	"MCPBASH_SKIP_PROCESS_GROUP_LOOKUP", "the system is asked directly",
	"MCP_PATH_DEBUG", "the helpers report their errors",
}

func reasons(pairs ...string) map[string]string {
	all := make(map[string]string)
	for i := 0; i < len(pairs); i += 2 {
		for name := range strings.FieldsSeq(pairs[i]) {
			all[name] = pairs[i+1]
		}
	}
	return all
}

// removed are variables of earlier versions that have no effect any more, with what holds instead.
var removed = map[string]string{
	"MCPBASH_PRESTART": "each call starts its own shell",
}

// UnknownVariables reports variables that were removed, and names that are almost those of the server: without that
// nobody would notice a typing mistake. Other variables are for the project's scripts.
func UnknownVariables(env map[string]string) (complaints []string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if now := removed[name]; now != "" {
			complaints = append(complaints, fmt.Sprintf("the variable %s has no effect any more: %s; remove it", name, now))
		} else if meant := Meant(name); meant != "" {
			complaints = append(complaints, fmt.Sprintf("the server does not read the variable %s; did you mean %s?", name,
				meant))
		}
	}
	return complaints
}

// Meant returns the variable that is meant by a name that is almost one of the server's. It is "" for a name that is
// read, and for those of the project's scripts.
func Meant(name string) string {
	if !strings.HasPrefix(name, "MCPBASH_") { // most have not, and a server asks at its start
		return ""
	}
	names, obsolete := Names(), Obsolete()
	if slices.Contains(names, name) {
		return ""
	}
	effective := slices.DeleteFunc(names, func(n string) bool { return obsolete[n] != "" })
	return cmp.Or(suggest.Of(name, effective), suggest.Holding(name, effective))
}

// Names returns the names of all variables that are read.
func Names() []string {
	var all []string
	for _, v := range append(Variables(new(Settings)), Elsewhere...) {
		all = append(all, v.Name)
		if older := v.Older(); older != "" {
			all = append(all, older)
		}
	}
	return slices.AppendSeq(all, maps.Keys(Obsolete()))
}
