// Package operator reads the operator's settings from environment variables: one table of them, for
// all programs that serve a project.
package operator

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// Settings are the settings in the environment, read once at startup. Options are those that the
// server itself takes.
type Settings struct {
	server.Options
	Root        string // of the project
	StateParent string // folder in which the private folder is made
	Temp        string // the same, if StateParent is empty

	https, git         hostRules
	envInherit         bool
	providerEnvInherit bool
	EnvFaults          []string // what is wrong with server.d/env.sh

	OrphanCheck    bool
	OrphanInterval time.Duration
	idleCheck      bool
	CI             bool
	LogDir         string
	MaxRegistry    int
	MaxMemory      int
	oddSandbox     bool // the value of MCPBASH_SANDBOX is invalid

	StreamStderr  bool
	LogLevel      slog.Level
	DebugPayloads bool
	LogCalls      bool
	LogJSON       bool
	LogFile       string
	PreserveState bool
}

// A Variable is an environment variable that the server reads.
type Variable struct {
	Name     string
	Older    string // name in the specification, read where name is unset
	Fallback string
	Meaning  string
	Set      func(*Settings, string) error
}

// Table lists all environment variables that the server reads.
var Table = []Variable{
	{"MCPBASH_PROJECT_ROOT", "", "", "the project's folder", text(func(s *Settings) *string { return &s.Root })},
	{"MCPBASH_TOOLS_DIR", "", "", "folder of the tools, instead of tools/ in the project", text(func(s *Settings) *string { return &s.Folders.Tools })},
	{"MCPBASH_SERVER_DIR", "", "", "folder of the server's own files, instead of server.d/ in the project", text(func(s *Settings) *string { return &s.Folders.Server })},
	{"MCPBASH_RESOURCES_DIR", "", "", "folder of the resources, instead of resources/ in the project", text(func(s *Settings) *string { return &s.Folders.Resources })},
	{"MCPBASH_PROMPTS_DIR", "", "", "folder of the prompts, instead of prompts/ in the project", text(func(s *Settings) *string { return &s.Folders.Prompts })},
	{"MCPBASH_COMPLETIONS_DIR", "", "", "folder of completion scripts, instead of completions/ in the project", text(func(s *Settings) *string { return &s.Folders.Completions })},
	{"MCPBASH_UI_DIR", "", "", "folder of user interfaces, instead of ui/ in the project", text(func(s *Settings) *string { return &s.Folders.UI })},
	{"MCPBASH_PROVIDERS_DIR", "", "", "folder of the project's own providers, instead of providers/ in the project", text(func(s *Settings) *string { return &s.Folders.Providers })},
	{"MCPBASH_REGISTRY_DIR", "", ".registry", "folder in which lists are cached", text(func(s *Settings) *string { return &s.Folders.Registry })},
	{"MCPBASH_STATIC_REGISTRY", "", "false", "serve the cached lists, without looking at the project", flag(func(s *Settings) *bool { return &s.Static })},
	{"MCPBASH_REGISTRY_MAX_BYTES", "", "104857600", "largest size of a cached list in bytes: beyond it `mcp-bash registry refresh` fails", count(func(s *Settings) *int { return &s.MaxRegistry })},
	{"MCPBASH_MAX_MANUAL_REGISTRY_BYTES", "", "1048576", "largest size of server.d/register.json, or of the output of register.sh, in bytes", count(func(s *Settings) *int { return &s.Limits.Registration })},
	{"MCPBASH_STATE_DIR", "", "", "private folder for files of running calls", text(func(s *Settings) *string { return &s.StateParent })},
	{"MCPBASH_TMP_ROOT", "TMPDIR", "", "where that folder is created if it is not set", text(func(s *Settings) *string { return &s.Temp })},

	{"MCPBASH_ROOTS", "MCP_ROOTS", "", "folders that tools work in if the client names none, separated by : (; on Windows)", paths(func(s *Settings) *[]string { return &s.Roots })},
	{"MCPBASH_ROOTS_REQUEST_TIMEOUT", "", "5", "seconds that a client may take to name its roots", secs(func(s *Settings) *time.Duration { return &s.Limits.RootsTimeout })},

	{"MCPBASH_MAX_MESSAGE_BYTES", "", "67108864", "longest message in bytes, in either direction", count(func(s *Settings) *int { return &s.Limits.Message })},
	{"MCPBASH_PRESTART", "", "0", "shells that wait for the next calls of the tools in bash that were called last, so that a call starts sooner; 0: only for tools whose metadata has `prestart`, 8 at most", count(func(s *Settings) *int { return &s.Limits.Prestart })},
	{"MCPBASH_MAX_MEMORY", "", "201326592", "bytes of memory that the server tries to stay within: calls with long arguments or output (from 256 KiB) may hold two thirds of it until they are answered, further ones wait, and one that needs more runs alone; near the limit memory is collected more often, at the cost of time; if GOMEMLIMIT is set, it applies instead; 0: no limit", count(func(s *Settings) *int { return &s.MaxMemory })},
	{"MCPBASH_MAX_CONCURRENT_REQUESTS", "MAX_CONCURRENT_REQUESTS", "16", "scripts that run at once; others wait", count(func(s *Settings) *int { return &s.Limits.Calls })},
	{"MCPBASH_SHUTDOWN_TIMEOUT", "", "5", "seconds that a client may take to send exit after shutdown", secs(func(s *Settings) *time.Duration { return &s.Limits.Shutdown })},
	{"MCPBASH_INPUT_WAIT_SECS", "", "300", "seconds that a script waits for an answer from a client of 2026-07-28; after that it is started again when the answer comes", secs(func(s *Settings) *time.Duration { return &s.Limits.InputWait })},
	{"MCPBASH_REQUEST_STATE_TTL_SECS", "", "3600", "seconds that such a client may take to answer", secs(func(s *Settings) *time.Duration { return &s.Limits.StateLife })},
	{"MCPBASH_STATE_KEY_FILE", "", "", "file of the key that protects the state that such a client keeps; by default one in the user's configuration folder", text(func(s *Settings) *string { return &s.StateKeyFile })},
	{"MCPBASH_TASK_AFTER_SECS", "", "5", "seconds after which a call becomes a task, for clients with tasks; 0: only calls of tools that require it", secs(func(s *Settings) *time.Duration { return &s.Limits.TaskAfter })},
	{"MCPBASH_TASK_TTL_SECS", "", "3600", "seconds that a task may run, and that its result is kept; at least 10", secs(func(s *Settings) *time.Duration { return &s.Limits.TaskLife })},
	{"MCPBASH_DEFAULT_TOOL_TIMEOUT", "DEFAULT_TOOL_TIMEOUT", "30", "seconds a tool may run if its metadata has no limit; 0: no limit", secs(func(s *Settings) *time.Duration { return &s.Limits.ToolTimeout })},
	{"MCPBASH_PROGRESS_EXTENDS_TIMEOUT", "", "false", "progress restarts a tool's timeout", flag(func(s *Settings) *bool { return &s.Limits.ExtendTimeout })},
	{"MCPBASH_MAX_TIMEOUT_SECS", "", "600", "seconds a tool may run in total if progress extends its timeout", secs(func(s *Settings) *time.Duration { return &s.Limits.ToolTimeoutMax })},
	{"MCPBASH_MAX_TOOL_OUTPUT_SIZE", "MAX_TOOL_OUTPUT_SIZE", "10485760", "bytes of a tool's stdout that are kept", count(func(s *Settings) *int { return &s.Limits.ToolOutput })},
	{"MCPBASH_TOOL_LIMITS", "", "processes=2048", "what a tool, or another script, and everything that it starts may use: processes, memory, cpuSeconds, fileSize and openFiles, as in processes=512,memory=2G; metadata of a tool can only lower it; a name with =none, or none alone: no limit. Not enforced on macOS; see [SECURITY.md](SECURITY.md#limits-of-scripts)", toolLimits},
	{"MCPBASH_CGROUP", "", "", "Linux: a cgroup folder for this server only, in which every script gets its own cgroup with limits of processes and memory", cgroup},
	{"MCPBASH_ENV_PAYLOAD_THRESHOLD", "", "65536", "bytes of arguments that are passed in a variable; more are passed in a file", count(func(s *Settings) *int { return &s.Limits.Arguments })},
	{"MCPBASH_KEEP_CR", "", "false", "keep carriage returns and the byte order mark in the output of tools, which are otherwise removed", flag(func(s *Settings) *bool { return &s.KeepCR })},
	{"MCPBASH_TOOL_STDERR_TAIL_LIMIT", "", "4096", "bytes of a tool's stderr in results", count(func(s *Settings) *int { return &s.Limits.StderrTail })},
	{"MCPBASH_TOOL_STREAM_STDERR", "", "false", "copy the stderr of tools to the server's stderr", flag(func(s *Settings) *bool { return &s.StreamStderr })},
	{"MCPBASH_ENABLE_LIVE_PROGRESS", "", "true", "send progress and logs while a tool works; false: just before its result", liveUpdates},
	{"MCPBASH_PAGE_SIZE", "PAGE_SIZE", "100", "items on a page of a list, at most 500", count(func(s *Settings) *int { return &s.Limits.Page })},

	{"MCPBASH_RESOURCES_POLL_INTERVAL_SECS", "", "2", "seconds between checks of subscribed resources, and of the project, where the system does not report changes; resources that are expensive to read are checked less often; 0: such resources never, the project every second", secs(func(s *Settings) *time.Duration { return &s.Limits.Poll })},
	{"MCP_RESOURCES_ROOTS", "", "", "folders whose files can be read as resources, separated by : (; on Windows); by default MCPBASH_ROOTS, else the folder of the resources", paths(func(s *Settings) *[]string { return &s.ResourceRoots })},
	{"MCPBASH_MAX_RESOURCE_BYTES", "", "10485760", "largest size of a resource in bytes", count(func(s *Settings) *int { return &s.Limits.Resource })},
	{"MCPBASH_MAX_UI_RESOURCE_BYTES", "", "1048576", "largest size of the page of a user interface in bytes", count(func(s *Settings) *int { return &s.Limits.UIPage })},
	{"MCPBASH_PROVIDER_ENV_MODE", "", "isolate", "variables that providers, prompts and completion scripts get: isolate, allowlist or inherit", providerEnvMode},
	{"MCPBASH_PROVIDER_ENV_ALLOWLIST", "", "", "names of further variables that they get", names(func(s *Settings) *[]string { return &s.ProviderEnv.Allow })},
	{"MCPBASH_PROVIDER_ENV_INHERIT_ALLOW", "", "false", "allow the mode inherit", flag(func(s *Settings) *bool { return &s.providerEnvInherit })},
	{"MCPBASH_HTTPS_ALLOW_HOSTS", "", "", "hosts that https: resources and downloads may come from", text(func(s *Settings) *string { return &s.https.allow })},
	{"MCPBASH_HTTPS_DENY_HOSTS", "", "", "hosts that they may not come from", text(func(s *Settings) *string { return &s.https.deny })},
	{"MCPBASH_HTTPS_ALLOW_ALL", "", "false", "allow all hosts that are not denied", flag(func(s *Settings) *bool { return &s.https.allowAll })},
	{"MCPBASH_HTTPS_TIMEOUT", "", "15", "seconds for a download, at most 60", secs(func(s *Settings) *time.Duration { return &s.Limits.HTTPSTimeout })},
	{"MCPBASH_HTTPS_MAX_BYTES", "", "10485760", "bytes of a download, at most 20971520", count(func(s *Settings) *int { return &s.Limits.HTTPSBytes })},
	{"MCPBASH_HTTPS_USER_AGENT", "", "", "the User-Agent of downloads", text(func(s *Settings) *string { return &s.UserAgent })},
	{"MCPBASH_ENABLE_GIT_PROVIDER", "", "false", "serve git+https: resources", flag(func(s *Settings) *bool { return &s.GitEnabled })},
	{"MCPBASH_GIT_ALLOW_HOSTS", "", "", "hosts that they may come from", text(func(s *Settings) *string { return &s.git.allow })},
	{"MCPBASH_GIT_DENY_HOSTS", "", "", "hosts that they may not come from", text(func(s *Settings) *string { return &s.git.deny })},
	{"MCPBASH_GIT_ALLOW_ALL", "", "false", "allow all hosts that are not denied", flag(func(s *Settings) *bool { return &s.git.allowAll })},
	{"MCPBASH_GIT_TIMEOUT", "", "30", "seconds for a fetch, at most 60", secs(func(s *Settings) *time.Duration { return &s.Limits.GitTimeout })},
	{"MCPBASH_GIT_MAX_KB", "", "51200", "KiB that a fetch may take, at most 1048576", count(func(s *Settings) *int { return &s.Limits.GitKiB })},

	{"MCPBASH_MAX_REQUESTS_PER_MIN", "", "0", "calls that a client may make in a minute; 0: no limit", count(func(s *Settings) *int { return &s.Limits.Requests })},
	{"MCPBASH_MAX_PROGRESS_PER_MIN", "MAX_PROGRESS_PER_MIN", "100", "progress notifications of one call in a minute; 0: no limit", count(func(s *Settings) *int { return &s.Limits.Progress })},
	{"MCPBASH_MAX_LOGS_PER_MIN", "", "100", "log notifications of one call in a minute; 0: no limit", count(func(s *Settings) *int { return &s.Limits.Logs })},

	{"MCPBASH_CORRUPTION_THRESHOLD", "", "3", "corrupt messages that end the server", count(func(s *Settings) *int { return &s.Limits.Corrupt })},
	{"MCPBASH_CORRUPTION_WINDOW", "", "60", "seconds within which they count", secs(func(s *Settings) *time.Duration { return &s.Limits.CorruptWindow })},
	{"MCPBASH_ALLOW_CORRUPT_STDOUT", "", "false", "only log corrupt messages", flag(func(s *Settings) *bool { return &s.AllowCorrupt })},
	{"MCPBASH_COMPAT_BATCHES", "", "false", "accept arrays of messages in every protocol revision", flag(func(s *Settings) *bool { return &s.Batches })},

	{"MCPBASH_TOOL_ALLOWLIST", "", "", "names of the tools that may be called, separated by blanks or commas; * is all", names(func(s *Settings) *[]string { return &s.Policy.Allow })},
	{"MCPBASH_TOOL_ALLOW_DEFAULT", "", "allow", "whether tools are allowed if the list is empty: allow or deny", allowDefault},
	{"MCPBASH_ALLOW_PROJECT_HOOKS", "", "unset", "run register.sh and env.sh in server.d/ if nobody else can write them; if it is false, policy.sh and health-checks.sh do not run either, and with a policy.sh all tools are refused", projectHooks},
	{"MCPBASH_SANDBOX", "", "none", "auto: run every tool in a sandbox, by default the one for its annotations; on systems without sandboxes the tool is refused", sandbox},

	{"MCPBASH_TOOL_ENV_MODE", "", "minimal", "variables that tools get: minimal, allowlist or inherit", envMode},
	{"MCPBASH_TOOL_ENV_ALLOWLIST", "", "", "names of further variables that tools get, separated by blanks or commas", names(func(s *Settings) *[]string { return &s.ToolEnv.Allow })},
	{"MCPBASH_TOOL_ENV_INHERIT_ALLOW", "", "false", "allow the mode inherit", flag(func(s *Settings) *bool { return &s.envInherit })},

	{"MCPBASH_REMOTE_TOKEN", "", "", "secret of at least 32 characters that every call except ping must have in params._meta; the proxy in front of the server adds it", text(func(s *Settings) *string { return &s.Secret.Token })},
	{"MCPBASH_REMOTE_TOKEN_KEY", "", "mcpbash/remoteToken", "member of params._meta with the secret", remoteKey(0)},
	{"MCPBASH_REMOTE_TOKEN_FALLBACK_KEY", "", "remoteToken", "another member that may have the secret", remoteKey(1)},
	{"MCPBASH_REMOTE_TOKEN_MAX_FAILURES_PER_MIN", "", "10", "calls without it that are logged per minute; further ones are refused as too many", count(func(s *Settings) *int { return &s.Secret.Failures })},
	{"MCPBASH_IDLE_TIMEOUT", "", "0", "seconds after which the server ends if its client has sent nothing and no call or task is running; 0: never", secs(func(s *Settings) *time.Duration { return &s.Limits.Idle })},
	{"MCPBASH_IDLE_TIMEOUT_ENABLED", "", "true", "false: ignore MCPBASH_IDLE_TIMEOUT", flag(func(s *Settings) *bool { return &s.idleCheck })},
	{"MCPBASH_ORPHAN_CHECK_ENABLED", "", "true", "end the server when the process that started it is gone while its input stays open", flag(func(s *Settings) *bool { return &s.OrphanCheck })},
	{"MCPBASH_ORPHAN_CHECK_INTERVAL", "", "30", "seconds between checks for that process", secs(func(s *Settings) *time.Duration { return &s.OrphanInterval })},
	{"MCPBASH_CI_MODE", "", "false", "for unattended runs: failed calls are written to failure-summary.jsonl, a description of the machine to env-snapshot.json; the server does not end when it is idle or its parent is gone", flag(func(s *Settings) *bool { return &s.CI })},
	{"MCPBASH_LOG_DIR", "", "", "folder of those files; by default a new one, mcpbash.logs.*, in RUNNER_TEMP or the folder for temporary files", text(func(s *Settings) *string { return &s.LogDir })},
	{"MCPBASH_FORCE_MINIMAL", "", "false", "serve nothing but the lifecycle, ping and logging", flag(func(s *Settings) *bool { return &s.Minimal })},
	{"MCPBASH_TRANSPORT", "MCP_TRANSPORT", "stdio", "how clients communicate with the server; only stdio is supported", transport},

	{"MCPBASH_DEBUG_PAYLOADS", "", "false", "record every message in payload.debug.log in the private folder, which is then kept", flag(func(s *Settings) *bool { return &s.DebugPayloads })},
	{"MCPBASH_PRESERVE_STATE", "", "false", "keep the private folder, with the files of every call, when the server ends", flag(func(s *Settings) *bool { return &s.PreserveState })},
	{"MCPBASH_LOG_CALLS", "", "true", "log a line for each call of a tool, prompt or resource: how it ended, how long it took, why it failed", flag(func(s *Settings) *bool { return &s.LogCalls })},
	{"MCPBASH_LOG_FORMAT", "", "text", "how log lines are written: text or json", SetLogFormat},
	{"MCPBASH_LOG_FILE", "", "", "file to which the log is also written; at 10 MiB it is renamed, and the last three are kept", text(func(s *Settings) *string { return &s.LogFile })},
	{"MCPBASH_LOG_LEVEL", "MCPBASH_LOG_LEVEL_DEFAULT", "info", "how much the server logs to stderr: debug, info, warning or error", logLevel},
}

// Map converts NAME=value pairs to a map; of duplicates the last counts.
func Map(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return env
}

// Read reads the table from env. An invalid value is reported in a
// complaint, and the default is used.
func Read(env map[string]string) (s Settings, complaints []string) {
	for _, v := range Table {
		if err := v.Set(&s, v.Fallback); err != nil {
			panic(v.Name + ": " + err.Error())
		}
		name, value := v.Name, env[v.Name]
		if value == "" && v.Older != "" {
			name, value = v.Older, env[v.Older]
		}
		if value == "" {
			continue
		}
		if err := v.Set(&s, value); err != nil {
			complaints = append(complaints, fmt.Sprintf("%s=%s: %v; using %s", name, value, err, v.Fallback))
			v.Set(&s, v.Fallback)
		}
	}
	if s.CI {
		s.idleCheck, s.OrphanCheck = false, false
	}
	if !s.idleCheck {
		s.Limits.Idle = 0
	}
	if s.oddSandbox {
		complaints = append(complaints, fmt.Sprintf("MCPBASH_SANDBOX=%s: must be auto or none; using auto", env["MCPBASH_SANDBOX"]))
	}
	complaints = append(complaints, UnknownVariables(env)...)
	if s.ToolEnv.Mode == server.Inherit && !s.envInherit {
		complaints = append(complaints, "MCPBASH_TOOL_ENV_MODE=inherit needs MCPBASH_TOOL_ENV_INHERIT_ALLOW=true; using minimal")
		s.ToolEnv.Mode = server.Minimal
	}
	if s.ProviderEnv.Mode == server.Inherit && !s.providerEnvInherit {
		complaints = append(complaints, "MCPBASH_PROVIDER_ENV_MODE=inherit needs MCPBASH_PROVIDER_ENV_INHERIT_ALLOW=true; using isolate")
		s.ProviderEnv.Mode = server.Minimal
	}
	return s, complaints
}

// hostRules decide which hosts may be connected to, as set by the variables.
type hostRules struct {
	allow, deny string
	allowAll    bool
}

// hosts parses the lists. If an entry could not match any host the list counts as empty, and the
// entry is reported.
func (h hostRules) hosts(log *slog.Logger) fetch.Hosts {
	rules := fetch.Hosts{AllowAll: h.allowAll}
	var err error
	if rules.Allow, err = fetch.ParseHosts(h.allow); err != nil {
		log.Warn("no host is allowed: the list of allowed hosts has a fault", "error", err)
	}
	if rules.Deny, err = fetch.ParseHosts(h.deny); err != nil {
		log.Warn("all hosts are denied: the list of denied hosts has a fault", "error", err)
		rules = fetch.Hosts{}
	}
	return rules
}

func text(field func(*Settings) *string) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		*field(s) = v
		return nil
	}
}

// paths returns a setter for a list of folders in the format of PATH.
func paths(field func(*Settings) *[]string) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		if *field(s) = nil; v != "" {
			*field(s) = filepath.SplitList(v)
		}
		return nil
	}
}

// liveUpdates sets whether progress and logs are sent while a tool runs.
func liveUpdates(s *Settings, v string) error {
	on := false
	err := flag(func(*Settings) *bool { return &on })(s, v)
	s.Collected = !on
	return err
}

func names(field func(*Settings) *[]string) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		*field(s) = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
		return nil
	}
}

func count(field func(*Settings) *int) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			return fmt.Errorf("must be a whole number, 0 or more")
		}
		*field(s) = explicitLimit(n)
		return nil
	}
}

// explicitLimit returns a limit as the server takes it: there 0 means the default, so an explicit 0
// becomes negative.
func explicitLimit[T int | time.Duration](n T) T {
	if n == 0 {
		return -1
	}
	return n
}

func secs(field func(*Settings) *time.Duration) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || !(n >= 0 && n < 1e9) {
			return fmt.Errorf("must be a number of seconds, 0 or more")
		}
		*field(s) = explicitLimit(time.Duration(n * float64(time.Second)))
		return nil
	}
}

func flag(field func(*Settings) *bool) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		switch strings.ToLower(v) {
		case "true", "1", "yes", "on":
			*field(s) = true
		case "false", "0", "no", "off":
			*field(s) = false
		default:
			return fmt.Errorf("must be true or false")
		}
		return nil
	}
}

// remoteKey returns a setter for one of the two members that may contain the secret.
func remoteKey(i int) func(*Settings, string) error {
	return func(s *Settings, v string) error {
		keys := append(slices.Clone(s.Secret.Keys), make([]string, 2)...)[:2]
		keys[i] = v
		s.Secret.Keys = keys
		return nil
	}
}

func toolLimits(s *Settings, v string) (err error) {
	s.Limits.Scripts, err = server.ParseScriptLimits(v)
	return err
}

func cgroup(s *Settings, v string) error {
	if v != "" && !filepath.IsAbs(v) {
		return fmt.Errorf("must be an absolute path")
	}
	s.Cgroup = v
	return nil
}

func transport(s *Settings, v string) error {
	if v != "stdio" {
		return fmt.Errorf("the only transport is stdio")
	}
	return nil
}

func allowDefault(s *Settings, v string) error {
	switch strings.ToLower(v) {
	case "allow", "all":
		s.Policy.DenyOthers = false
	case "deny":
		s.Policy.DenyOthers = true
	default:
		return fmt.Errorf("must be allow or deny")
	}
	return nil
}

// sandbox sets whether all tools run in a sandbox. A mistyped value means yes.
func sandbox(s *Settings, v string) error {
	s.Sandbox, s.oddSandbox = v != "none", v != "none" && v != "auto"
	return nil
}

func providerEnvMode(s *Settings, v string) error {
	return mode(&s.ProviderEnv.Mode, "isolate", v)
}

func envMode(s *Settings, v string) error {
	return mode(&s.ToolEnv.Mode, "minimal", v)
}

// mode sets how much of the environment scripts see; least is the value for the minimum.
func mode(m *server.Mode, least, v string) error {
	switch v {
	case least:
		*m = server.Minimal
	case "allowlist":
		*m = server.Allowlist
	case "inherit":
		*m = server.Inherit
	default:
		return fmt.Errorf("must be %s, allowlist or inherit", least)
	}
	return nil
}

// projectHooks sets which hooks of a project run.
func projectHooks(s *Settings, v string) error {
	s.Policy.Hooks = server.GuardHooks
	if v == "unset" {
		return nil
	}
	all := false
	if err := flag(func(*Settings) *bool { return &all })(s, v); err != nil {
		return err
	}
	s.Policy.Hooks = server.NoHooks
	if all {
		s.Policy.Hooks = server.AllHooks
	}
	return nil
}

// GuardRules are the rules for policy.sh and health-checks.sh.
func (s Settings) GuardRules() hooks.Rules {
	return hooks.Rules{Allowed: s.Policy.Hooks != server.NoHooks}
}

// RegisterRules are the rules for register.sh and env.sh.
func (s Settings) RegisterRules() hooks.Rules {
	return hooks.Rules{Allowed: s.Policy.Hooks == server.AllHooks}
}

// SetLogFormat sets how log lines are written.
func SetLogFormat(s *Settings, v string) error {
	switch v {
	case "text", "json":
		s.LogJSON = v == "json"
		return nil
	}
	return fmt.Errorf("must be text or json")
}

func logLevel(s *Settings, v string) error {
	switch strings.ToLower(v) {
	case "debug", "true", "1":
		s.LogLevel = slog.LevelDebug
	case "info", "notice", "false", "0":
		s.LogLevel = slog.LevelInfo
	case "warning", "warn":
		s.LogLevel = slog.LevelWarn
	case "error", "critical", "alert", "emergency":
		s.LogLevel = slog.LevelError
	default:
		return fmt.Errorf("must be debug, info, warning or error")
	}
	return nil
}

// ServerOptions returns the settings as options of a server, without those that each program adds.
func (s Settings) ServerOptions(env map[string]string, log *slog.Logger) server.Options {
	o := s.Options
	o.Environ, o.Secrets, o.Settings = Pairs(env), Secrets, operatorOnly()
	o.HTTPS, o.Git = s.https.hosts(log), s.git.hosts(log)
	o.Log = log
	return o
}

// Pairs returns an environment as NAME=value, in any order.
func Pairs(env map[string]string) []string {
	all := make([]string, 0, len(env))
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	return all
}
