package operator

// A Variable is an environment variable that the operator sets.
type Variable struct {
	Name     string
	Rules    Rules
	Fallback string
	Set      func(string) error // sets the field of the settings that it is for; nil: other programs read it
	Meaning  string
}

// Rules are what applies to a variable besides its value.
type Rules uint8

const (
	// tunes: an invalid value is reported, and the default is used.
	tunes Rules = 0
	// What restricts and cannot be read refuses: nothing is served until it is corrected. Every variable is one
	// of these whose default allows more than a value that it can have.
	restricts Rules = 1 << iota
	// The project's scripts get these too: the places of things, and settings of providers. The others are the
	// server's own. Variables outside of the table are not the server's: scripts get them.
	forScripts
	// A project may set these in server.d/env.sh: limits of size and time, never permissions or places of secrets.
	projects
	// These are never passed to scripts.
	secret
)

// Restricts reports whether an invalid value refuses.
func (v Variable) Restricts() bool { return v.Rules&restricts != 0 }

// ForScripts reports whether the project's scripts get it.
func (v Variable) ForScripts() bool { return v.Rules&forScripts != 0 }

// Projects reports whether a project may set it.
func (v Variable) Projects() bool { return v.Rules&projects != 0 }

// Older returns the name in the specification of the Bash program, which is read where the variable is unset; "" if
// there is none.
func (v Variable) Older() string {
	for older, newer := range olderNames {
		if newer == v.Name {
			return older
		}
	}
	return ""
}

// olderNames has the names of variables by their older ones.
var olderNames = map[string]string{
	"TMPDIR": "MCPBASH_TMP_ROOT", "MCP_ROOTS": "MCPBASH_ROOTS",
	"MAX_CONCURRENT_REQUESTS": "MCPBASH_MAX_CONCURRENT_REQUESTS", "DEFAULT_TOOL_TIMEOUT": "MCPBASH_DEFAULT_TOOL_TIMEOUT",
	"MAX_TOOL_OUTPUT_SIZE": "MCPBASH_MAX_TOOL_OUTPUT_SIZE", "PAGE_SIZE": "MCPBASH_PAGE_SIZE",
	"MAX_PROGRESS_PER_MIN": "MCPBASH_MAX_PROGRESS_PER_MIN", "MCP_TRANSPORT": "MCPBASH_TRANSPORT",
	"MCPBASH_LOG_LEVEL_DEFAULT": "MCPBASH_LOG_LEVEL",
}

// Variables are all environment variables that the server reads. Their Set changes s.
func Variables(s *Settings) []Variable {
	return []Variable{
		{"MCPBASH_PROJECT_ROOT", forScripts, "", text(&s.Root), "the project's folder"},
		{"MCPBASH_TOOLS_DIR", forScripts, "", text(&s.Folders.Tools),
			"folder of the tools, instead of tools/ in the project"},
		{"MCPBASH_SERVER_DIR", restricts | forScripts, "", text(&s.Folders.Server),
			"folder of the server's own files, policy.sh among them, instead of server.d/ in the project"},
		{"MCPBASH_SERVER_NAME", tunes, "", label(&s.Identity.Name),
			"name of the server, where server.d/server.meta.json has none; by default that of the project's " +
				"folder"},
		{"MCPBASH_SERVER_TITLE", tunes, "", label(&s.Identity.Title),
			"its title, likewise; by default made of the name"},
		{"MCPBASH_SERVER_VERSION", tunes, "", label(&s.Identity.Version),
			"its version, likewise; by default from VERSION or package.json in the project"},
		{"MCPBASH_RESOURCES_DIR", forScripts, "", text(&s.Folders.Resources),
			"folder of the resources, instead of resources/ in the project"},
		{"MCPBASH_PROMPTS_DIR", forScripts, "", text(&s.Folders.Prompts),
			"folder of the prompts, instead of prompts/ in the project"},
		{"MCPBASH_COMPLETIONS_DIR", forScripts, "", text(&s.Folders.Completions),
			"folder of completion scripts, instead of completions/ in the project"},
		{"MCPBASH_UI_DIR", forScripts, "", text(&s.Folders.UI),
			"folder of user interfaces, instead of ui/ in the project"},
		{"MCPBASH_PROVIDERS_DIR", forScripts, "", text(&s.Folders.Providers),
			"folder of the project's own providers, instead of providers/ in the project"},
		{"MCPBASH_REGISTRY_DIR", forScripts, ".registry", text(&s.Folders.Registry),
			"folder in which lists are cached"},
		{"MCPBASH_STATIC_REGISTRY", tunes, "false", flag(&s.Static),
			"serve the cached lists, without looking at the project"},
		{"MCPBASH_REGISTRY_MAX_BYTES", restricts, "104857600", count(&s.MaxRegistry),
			"largest size of a cached list in bytes: beyond it `mcp-bash registry refresh` fails"},
		{"MCPBASH_MAX_MANUAL_REGISTRY_BYTES", restricts | projects, "1048576", count(&s.Limits.Registration),
			"largest size of server.d/register.json, or of the output of register.sh, in bytes"},
		{"MCPBASH_STATE_DIR", tunes, "", text(&s.StateParent), "private folder for files of running calls"},
		{"MCPBASH_TMP_ROOT", tunes, "", text(&s.Temp), "where that folder is created if it is not set"},

		{"MCPBASH_ROOTS", restricts | forScripts, "", paths(&s.Roots),
			"folders that tools work in if the client names none, separated by : (; on Windows)"},
		{"MCPBASH_ROOTS_REQUEST_TIMEOUT", projects, "5", secs(&s.Limits.RootsTimeout),
			"seconds that a client may take to name its roots"},

		{"MCPBASH_MAX_MESSAGE_BYTES", restricts | projects, "67108864", count(&s.Limits.Message),
			"longest message in bytes, in either direction"},
		{"MCPBASH_MAX_MEMORY", restricts, "201326592", count(&s.MaxMemory),
			"bytes of memory that the server tries to stay within: calls with long arguments or output (from 256 " +
				"KiB) may hold two thirds of it until they are answered, further ones wait, and one that needs more " +
				"runs alone; near the limit memory is collected more often, at the cost of time; if GOMEMLIMIT is " +
				"set, it applies instead; 0: no limit"},
		{"MCPBASH_MAX_CONCURRENT_REQUESTS", restricts | projects, "16", count(&s.Limits.Calls),
			"scripts that run at once; others wait"},
		{"MCPBASH_SHUTDOWN_TIMEOUT", projects, "5", secs(&s.Limits.Shutdown),
			"seconds that a client may take to send exit after shutdown"},
		{"MCPBASH_INPUT_WAIT_SECS", projects, "300", secs(&s.Limits.InputWait),
			"seconds that a script waits for an answer from a client of 2026-07-28; after that it is started " +
				"again when the answer comes"},
		{"MCPBASH_REQUEST_STATE_TTL_SECS", restricts | projects, "3600", secs(&s.Limits.StateLife),
			"seconds that such a client may take to answer"},
		{"MCPBASH_STATE_KEY_FILE", tunes, "", text(&s.StateKeyFile),
			"file of the key that protects the state that such a client keeps; by default one in the user's " +
				"configuration folder"},
		{"MCPBASH_TASK_AFTER_SECS", projects, "5", secs(&s.Limits.TaskAfter),
			"seconds after which a call becomes a task, for clients with tasks; 0: only calls of tools that " +
				"require it"},
		{"MCPBASH_TASK_TTL_SECS", projects, "3600", within(10, 1e9, secs(&s.Limits.TaskLife)),
			"seconds that a task may run, and that its result is kept; at least 10"},
		{"MCPBASH_DEFAULT_TOOL_TIMEOUT", restricts | projects, "30", secs(&s.Limits.ToolTimeout),
			"seconds a tool may run if its metadata has no limit; 0: no limit"},
		{"MCPBASH_PROGRESS_EXTENDS_TIMEOUT", restricts | projects, "false", flag(&s.Limits.ExtendTimeout),
			"progress restarts a tool's timeout"},
		{"MCPBASH_MAX_TIMEOUT_SECS", restricts | projects, "600", secs(&s.Limits.ToolTimeoutMax),
			"seconds a tool may run in total if progress extends its timeout"},
		{"MCPBASH_MAX_TOOL_OUTPUT_SIZE", restricts | projects, "10485760", count(&s.Limits.ToolOutput),
			"bytes of a tool's stdout that are kept"},
		{"MCPBASH_TOOL_LIMITS", restricts, "processes=2048", toolLimits(&s.Limits.Scripts),
			"what a tool, or another script, and everything that it starts may use: processes, memory, " +
				"cpuSeconds, fileSize and openFiles, as in processes=512,memory=2G; metadata of a tool can only " +
				"lower it; a name with =none, or none alone: no limit. Not enforced on macOS; see " +
				"[SECURITY.md](SECURITY.md#limits-of-scripts)"},
		{"MCPBASH_CGROUP", restricts, "", cgroup(&s.Cgroup),
			"Linux: a cgroup folder for this server only, in which every script gets its own cgroup with limits " +
				"of processes and memory"},
		{"MCPBASH_ENV_PAYLOAD_THRESHOLD", projects, "65536", count(&s.Limits.Arguments),
			"bytes of arguments that are passed in a variable; more are passed in a file"},
		{"MCPBASH_STRICT_ARGUMENTS", restricts, "false", flag(&s.StrictArguments),
			"refuse arguments of another type than their schema names, even where they spell a value of it " +
				"(`\"5\"` for a number), are null for an optional one, or are a number where only a string is " +
				"allowed"},
		{"MCPBASH_KEEP_CR", projects, "false", flag(&s.KeepCR),
			"keep carriage returns and the byte order mark in the output of tools, which are otherwise removed"},
		{"MCPBASH_TOOL_STDERR_TAIL_LIMIT", projects, "4096", count(&s.Limits.StderrTail),
			"bytes of a tool's stderr in results"},
		{"MCPBASH_TOOL_STREAM_STDERR", projects, "false", flag(&s.StreamStderr),
			"copy the stderr of tools to the server's stderr"},
		{"MCPBASH_ENABLE_LIVE_PROGRESS", projects, "true", unless(&s.Collected),
			"send progress and logs while a tool works; false: just before its result"},
		{"MCPBASH_PAGE_SIZE", projects, "100", within(0, 500, count(&s.Limits.Page)),
			"items on a page of a list, at most 500"},

		{"MCPBASH_RESOURCES_POLL_INTERVAL_SECS", projects, "2", secs(&s.Limits.Poll),
			"seconds between checks of subscribed resources, and of the project, where the system does not " +
				"report changes; resources that are expensive to read are checked less often; 0: such resources " +
				"never, the project every second"},
		{"MCP_RESOURCES_ROOTS", restricts | forScripts, "", paths(&s.ResourceRoots),
			"folders whose files can be read as resources, separated by : (; on Windows); by default " +
				"MCPBASH_ROOTS, else the folder of the resources"},
		{"MCPBASH_MAX_RESOURCE_BYTES", restricts | forScripts | projects, "10485760", count(&s.Limits.Resource),
			"largest size of a resource in bytes"},
		{"MCPBASH_MAX_UI_RESOURCE_BYTES", restricts | forScripts | projects, "1048576", count(&s.Limits.UIPage),
			"largest size of the page of a user interface in bytes"},
		{"MCPBASH_PROVIDER_ENV_MODE", restricts, "isolate", mode(&s.ProviderEnv.Mode, "isolate"),
			"variables that providers, prompts and completion scripts get: isolate, allowlist or inherit"},
		{"MCPBASH_PROVIDER_ENV_ALLOWLIST", tunes, "", names(&s.ProviderEnv.Allow),
			"names of further variables that they get"},
		{"MCPBASH_PROVIDER_ENV_INHERIT_ALLOW", tunes, "false", flag(&s.providerEnvInherit), "allow the mode inherit"},
		{"MCPBASH_HTTPS_ALLOW_HOSTS", restricts | forScripts, "", allowedHosts(&s.HTTPS.Allow),
			"hosts that https: resources and downloads may come from"},
		{"MCPBASH_HTTPS_DENY_HOSTS", restricts | forScripts, "", deniedHosts(&s.HTTPS.Deny),
			"hosts that they may not come from"},
		{"MCPBASH_HTTPS_ALLOW_ALL", forScripts, "false", flag(&s.HTTPS.AllowAll),
			"allow all hosts that are not denied"},
		{"MCPBASH_HTTPS_TIMEOUT", restricts | forScripts | projects, "15", within(0, 60, secs(&s.Limits.HTTPSTimeout)),
			"seconds for a download, at most 60"},
		{"MCPBASH_HTTPS_MAX_BYTES", restricts | forScripts | projects, "10485760",
			within(0, 20971520, count(&s.Limits.HTTPSBytes)),
			"bytes of a download, at most 20971520"},
		{"MCPBASH_HTTPS_USER_AGENT", forScripts, "", text(&s.UserAgent), "the User-Agent of downloads"},
		{"MCPBASH_ENABLE_GIT_PROVIDER", forScripts, "false", flag(&s.GitEnabled), "serve git+https: resources"},
		{"MCPBASH_GIT_ALLOW_HOSTS", restricts | forScripts, "", allowedHosts(&s.Git.Allow),
			"hosts that they may come from"},
		{"MCPBASH_GIT_DENY_HOSTS", restricts | forScripts, "", deniedHosts(&s.Git.Deny),
			"hosts that they may not come from"},
		{"MCPBASH_GIT_ALLOW_ALL", forScripts, "false", flag(&s.Git.AllowAll), "allow all hosts that are not denied"},
		{"MCPBASH_GIT_TIMEOUT", restricts | forScripts | projects, "30", within(0, 60, secs(&s.Limits.GitTimeout)),
			"seconds for a fetch, at most 60"},
		{"MCPBASH_GIT_MAX_KB", restricts | forScripts | projects, "51200", within(0, 1048576, count(&s.Limits.GitKiB)),
			"KiB that a fetch may take, at most 1048576"},

		{"MCPBASH_MAX_REQUESTS_PER_MIN", restricts | projects, "0", count(&s.Limits.Requests),
			"calls that a client may make in a minute; 0: no limit"},
		{"MCPBASH_MAX_PROGRESS_PER_MIN", restricts | projects, "100", count(&s.Limits.Progress),
			"progress notifications of one call in a minute; 0: no limit"},
		{"MCPBASH_MAX_LOGS_PER_MIN", restricts | projects, "100", count(&s.Limits.Logs),
			"log notifications of one call in a minute; 0: no limit"},

		{"MCPBASH_CORRUPTION_THRESHOLD", restricts, "3", count(&s.Limits.Corrupt),
			"corrupt messages that end the server"},
		{"MCPBASH_CORRUPTION_WINDOW", restricts, "60", secs(&s.Limits.CorruptWindow),
			"seconds within which they count"},
		{"MCPBASH_ALLOW_CORRUPT_STDOUT", tunes, "false", flag(&s.AllowCorrupt), "only log corrupt messages"},
		{"MCPBASH_COMPAT_BATCHES", projects, "false", flag(&s.Batches),
			"accept arrays of messages in every protocol revision"},

		{"MCPBASH_TOOL_ALLOWLIST", restricts, "", allowedTools(&s.Policy.Allow),
			"names of the tools that may be called, separated by blanks or commas; * is all"},
		{"MCPBASH_TOOL_ALLOW_DEFAULT", restricts, "allow",
			choice(&s.Policy.DenyOthers, "allow or deny", map[string]bool{"allow": false, "all": false, "deny": true}),
			"whether tools are allowed if the list is empty: allow or deny"},
		{"MCPBASH_ALLOW_PROJECT_HOOKS", restricts, "unset", projectHooks(&s.Policy.Hooks),
			"run register.sh and env.sh in server.d/ if nobody else can write them; if it is false, policy.sh " +
				"and health-checks.sh do not run either, and with a policy.sh all tools are refused"},
		{"MCPBASH_SANDBOX", restricts, "none", choice(&s.Sandbox, "auto or none",
			map[string]bool{"none": false, "auto": true}),
			"auto: run every tool in a sandbox, by default the one for its annotations; on systems without " +
				"sandboxes the tool is refused"},

		{"MCPBASH_TOOL_ENV_MODE", restricts, "minimal", mode(&s.ToolEnv.Mode, "minimal"),
			"variables that tools get: minimal, allowlist or inherit"},
		{"MCPBASH_TOOL_ENV_ALLOWLIST", tunes, "", names(&s.ToolEnv.Allow),
			"names of further variables that tools get, separated by blanks or commas"},
		{"MCPBASH_TOOL_ENV_INHERIT_ALLOW", tunes, "false", flag(&s.envInherit), "allow the mode inherit"},

		{"MCPBASH_REMOTE_TOKEN", restricts | secret, "", remoteToken(&s.Secret.Token),
			"secret of at least 32 characters that every call except ping must have in params._meta; the proxy " +
				"in front of the server adds it"},
		{"MCPBASH_REMOTE_TOKEN_KEY", tunes, "mcpbash/remoteToken", remoteKey(s, 0),
			"member of params._meta with the secret"},
		{"MCPBASH_REMOTE_TOKEN_FALLBACK_KEY", tunes, "remoteToken", remoteKey(s, 1),
			"another member that may have the secret"},
		{"MCPBASH_REMOTE_TOKEN_MAX_FAILURES_PER_MIN", restricts, "10", count(&s.Secret.Failures),
			"calls without it that are logged per minute; further ones are refused as too many"},
		{"MCPBASH_IDLE_TIMEOUT", projects, "0", secs(&s.Limits.Idle),
			"seconds after which the server ends if its client has sent nothing and no call or task is running; " +
				"0: never"},
		{"MCPBASH_IDLE_TIMEOUT_ENABLED", tunes, "true", flag(&s.idleCheck), "false: ignore MCPBASH_IDLE_TIMEOUT"},
		{"MCPBASH_ORPHAN_CHECK_ENABLED", tunes, "true", flag(&s.OrphanCheck),
			"end the server when the process that started it is gone while its input stays open"},
		{"MCPBASH_ORPHAN_CHECK_INTERVAL", tunes, "30", secs(&s.OrphanInterval),
			"seconds between checks for that process"},
		{"MCPBASH_CI_MODE", forScripts | projects, "false", flag(&s.CI),
			"for unattended runs: failed calls are written to failure-summary.jsonl, a description of the " +
				"machine to env-snapshot.json; the server does not end when it is idle or its parent is gone"},
		{"MCPBASH_LOG_DIR", tunes, "", text(&s.LogDir),
			"folder of those files; by default a new one, mcpbash.logs.*, in RUNNER_TEMP or the folder for " +
				"temporary files"},
		{"MCPBASH_FORCE_MINIMAL", restricts, "false", flag(&s.Minimal),
			"serve nothing but the lifecycle, ping and logging"},
		{"MCPBASH_TRANSPORT", tunes, "stdio", transport,
			"how clients communicate with the server; only stdio is supported"},

		{"MCPBASH_DEBUG_PAYLOADS", tunes, "false", flag(&s.DebugPayloads),
			"record every message in payload.debug.log in the private folder, which is then kept"},
		{"MCPBASH_PRESERVE_STATE", tunes, "false", flag(&s.PreserveState),
			"keep the private folder, with the files of every call, when the server ends"},
		{"MCPBASH_LOG_CALLS", tunes, "true", flag(&s.LogCalls),
			"log a line for each call of a tool, prompt or resource: how it ended, how long it took, why it " +
				"failed"},
		{"MCPBASH_LOG_FORMAT", tunes, "text", logFormat(&s.LogJSON), "how log lines are written: text or json"},
		{"MCPBASH_LOG_FILE", tunes, "", text(&s.LogFile),
			"file to which the log is also written; at 10 MiB it is renamed, and the last three are kept"},
		{"MCPBASH_LOG_LEVEL", forScripts | projects, "info", logLevel(&s.LogLevel),
			"how much the server logs to stderr: debug, info, warning or error"},
	}
}

// Elsewhere are variables that other commands, the SDK and scripts read.
var Elsewhere = []Variable{
	{"MCPBASH_HEALTH_TIMEOUT_SECS", tunes, "5", nil, "seconds that `mcp-bash health` may take"},
	{"MCPBASH_RUN_TOOL_SOURCE_SERVER_ENV", tunes, "false", nil, "`mcp-bash call` runs server.d/env.sh first"},
	{"MCPBASH", tunes, "", nil, "path of the program, for scripts from `mcp-bash scaffold`"},
	{"MCP_REGISTRY_URL", tunes, "", nil, "where `mcp-bash publish` posts bundles to"},
	{"MCP_REGISTRY_TOKEN", secret, "", nil, "its token"},
	{"MCPBASH_ELICITATION_TIMEOUT", projects, "30", nil,
		"SDK: seconds that a user may take to answer, in a session"},
	{"MCPBASH_DEBUG_LOG", tunes, "", nil, "SDK: file that mcp_debug writes to"},
	{"MCPBASH_DEBUG", projects, "", nil, "passed on to scripts"},
	{"MCPBASH_MAX_TEXT_BYTES", projects, "102400", nil, "SDK: bytes of text that a result has besides its data"},
	{"MCPB_SKIP_LOGIN_SHELL", tunes, "false", nil,
		"bundles: true: start without asking the user's login shell for its PATH"},
	{"NO_COLOR", tunes, "", nil, "no colours on terminals; TERM=dumb: no progress bars either"},
}

// secrets returns the names of the variables that are never passed to scripts.
func secrets() []string {
	return named(append(Variables(new(Settings)), Elsewhere...), func(v Variable) bool { return v.Rules&secret != 0 })
}

// named returns the names of the variables that a rule selects.
func named(variables []Variable, holds func(Variable) bool) (names []string) {
	for _, v := range variables {
		if holds(v) {
			names = append(names, v.Name)
		}
	}
	return names
}

// ServerNames returns the names of the variables that the server reads.
func ServerNames() []string {
	return named(Variables(new(Settings)), func(Variable) bool { return true })
}

// operatorOnly returns those that scripts get only if the operator names them.
func operatorOnly() []string {
	return named(Variables(new(Settings)), func(v Variable) bool { return !v.ForScripts() })
}
