// Package operator reads the operator's settings from environment variables: one table of them, for
// all programs that serve a project.
package operator

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// Settings are the settings in the environment, read once at startup. Options are those that the
// server itself takes.
type Settings struct {
	server.Options
	Root        string // of the project
	StateParent string // folder in which the private folder is made
	Temp        string // the same, if StateParent is empty

	// Refusal is why nothing may be served: variables that restrict, and cannot be read. Nil: there are none.
	Refusal error

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

	StreamStderr  bool
	LogLevel      slog.Level
	DebugPayloads bool
	LogCalls      bool
	LogJSON       bool
	LogFile       string
	PreserveState bool
}

// invalid is what an invalid value of a variable does.
type invalid bool

const (
	// What restricts and cannot be read refuses: nothing is served until it is corrected. Every variable is one
	// of these whose default allows more than a value that it can have.
	restricts invalid = true
	// tunes: the value is reported, and the default is used.
	tunes invalid = false
)

// A Variable is an environment variable that the server reads.
type Variable struct {
	Name     string
	If       invalid
	Older    string // name in the specification, read where name is unset
	Fallback string
	Meaning  string
	Set      func(*Settings, string) error
}

// Table lists all environment variables that the server reads.
var Table = []Variable{
	{"MCPBASH_PROJECT_ROOT", tunes, "", "", "the project's folder", func(s *Settings, v string) error { return text(&s.Root, v) }},
	{"MCPBASH_TOOLS_DIR", tunes, "", "", "folder of the tools, instead of tools/ in the project", func(s *Settings, v string) error { return text(&s.Folders.Tools, v) }},
	{"MCPBASH_SERVER_DIR", restricts, "", "", "folder of the server's own files, policy.sh among them, instead of server.d/ in the project", func(s *Settings, v string) error { return text(&s.Folders.Server, v) }},
	{"MCPBASH_SERVER_NAME", tunes, "", "", "name of the server, where server.d/server.meta.json has none; by default that of the project's folder", func(s *Settings, v string) error { return label(&s.Identity.Name, v) }},
	{"MCPBASH_SERVER_TITLE", tunes, "", "", "its title, likewise; by default made of the name", func(s *Settings, v string) error { return label(&s.Identity.Title, v) }},
	{"MCPBASH_SERVER_VERSION", tunes, "", "", "its version, likewise; by default from VERSION or package.json in the project", func(s *Settings, v string) error { return label(&s.Identity.Version, v) }},
	{"MCPBASH_RESOURCES_DIR", tunes, "", "", "folder of the resources, instead of resources/ in the project", func(s *Settings, v string) error { return text(&s.Folders.Resources, v) }},
	{"MCPBASH_PROMPTS_DIR", tunes, "", "", "folder of the prompts, instead of prompts/ in the project", func(s *Settings, v string) error { return text(&s.Folders.Prompts, v) }},
	{"MCPBASH_COMPLETIONS_DIR", tunes, "", "", "folder of completion scripts, instead of completions/ in the project", func(s *Settings, v string) error { return text(&s.Folders.Completions, v) }},
	{"MCPBASH_UI_DIR", tunes, "", "", "folder of user interfaces, instead of ui/ in the project", func(s *Settings, v string) error { return text(&s.Folders.UI, v) }},
	{"MCPBASH_PROVIDERS_DIR", tunes, "", "", "folder of the project's own providers, instead of providers/ in the project", func(s *Settings, v string) error { return text(&s.Folders.Providers, v) }},
	{"MCPBASH_REGISTRY_DIR", tunes, "", ".registry", "folder in which lists are cached", func(s *Settings, v string) error { return text(&s.Folders.Registry, v) }},
	{"MCPBASH_STATIC_REGISTRY", tunes, "", "false", "serve the cached lists, without looking at the project", func(s *Settings, v string) error { return flag(&s.Static, v) }},
	{"MCPBASH_REGISTRY_MAX_BYTES", restricts, "", "104857600", "largest size of a cached list in bytes: beyond it `mcp-bash registry refresh` fails", func(s *Settings, v string) error { return count(&s.MaxRegistry, v) }},
	{"MCPBASH_MAX_MANUAL_REGISTRY_BYTES", restricts, "", "1048576", "largest size of server.d/register.json, or of the output of register.sh, in bytes", func(s *Settings, v string) error { return count(&s.Limits.Registration, v) }},
	{"MCPBASH_STATE_DIR", tunes, "", "", "private folder for files of running calls", func(s *Settings, v string) error { return text(&s.StateParent, v) }},
	{"MCPBASH_TMP_ROOT", tunes, "TMPDIR", "", "where that folder is created if it is not set", func(s *Settings, v string) error { return text(&s.Temp, v) }},

	{"MCPBASH_ROOTS", restricts, "MCP_ROOTS", "", "folders that tools work in if the client names none, separated by : (; on Windows)", func(s *Settings, v string) error { return paths(&s.Roots, v) }},
	{"MCPBASH_ROOTS_REQUEST_TIMEOUT", tunes, "", "5", "seconds that a client may take to name its roots", func(s *Settings, v string) error { return secs(&s.Limits.RootsTimeout, v) }},

	{"MCPBASH_MAX_MESSAGE_BYTES", restricts, "", "67108864", "longest message in bytes, in either direction", func(s *Settings, v string) error { return count(&s.Limits.Message, v) }},
	{"MCPBASH_MAX_MEMORY", restricts, "", "201326592", "bytes of memory that the server tries to stay within: calls with long arguments or output (from 256 KiB) may hold two thirds of it until they are answered, further ones wait, and one that needs more runs alone; near the limit memory is collected more often, at the cost of time; if GOMEMLIMIT is set, it applies instead; 0: no limit", func(s *Settings, v string) error { return count(&s.MaxMemory, v) }},
	{"MCPBASH_MAX_CONCURRENT_REQUESTS", restricts, "MAX_CONCURRENT_REQUESTS", "16", "scripts that run at once; others wait", func(s *Settings, v string) error { return count(&s.Limits.Calls, v) }},
	{"MCPBASH_SHUTDOWN_TIMEOUT", tunes, "", "5", "seconds that a client may take to send exit after shutdown", func(s *Settings, v string) error { return secs(&s.Limits.Shutdown, v) }},
	{"MCPBASH_INPUT_WAIT_SECS", tunes, "", "300", "seconds that a script waits for an answer from a client of 2026-07-28; after that it is started again when the answer comes", func(s *Settings, v string) error { return secs(&s.Limits.InputWait, v) }},
	{"MCPBASH_REQUEST_STATE_TTL_SECS", restricts, "", "3600", "seconds that such a client may take to answer", func(s *Settings, v string) error { return secs(&s.Limits.StateLife, v) }},
	{"MCPBASH_STATE_KEY_FILE", tunes, "", "", "file of the key that protects the state that such a client keeps; by default one in the user's configuration folder", func(s *Settings, v string) error { return text(&s.StateKeyFile, v) }},
	{"MCPBASH_TASK_AFTER_SECS", tunes, "", "5", "seconds after which a call becomes a task, for clients with tasks; 0: only calls of tools that require it", func(s *Settings, v string) error { return secs(&s.Limits.TaskAfter, v) }},
	{"MCPBASH_TASK_TTL_SECS", tunes, "", "3600", "seconds that a task may run, and that its result is kept; at least 10", func(s *Settings, v string) error { return within(10, 1e9, v, secs(&s.Limits.TaskLife, v)) }},
	{"MCPBASH_DEFAULT_TOOL_TIMEOUT", restricts, "DEFAULT_TOOL_TIMEOUT", "30", "seconds a tool may run if its metadata has no limit; 0: no limit", func(s *Settings, v string) error { return secs(&s.Limits.ToolTimeout, v) }},
	{"MCPBASH_PROGRESS_EXTENDS_TIMEOUT", restricts, "", "false", "progress restarts a tool's timeout", func(s *Settings, v string) error { return flag(&s.Limits.ExtendTimeout, v) }},
	{"MCPBASH_MAX_TIMEOUT_SECS", restricts, "", "600", "seconds a tool may run in total if progress extends its timeout", func(s *Settings, v string) error { return secs(&s.Limits.ToolTimeoutMax, v) }},
	{"MCPBASH_MAX_TOOL_OUTPUT_SIZE", restricts, "MAX_TOOL_OUTPUT_SIZE", "10485760", "bytes of a tool's stdout that are kept", func(s *Settings, v string) error { return count(&s.Limits.ToolOutput, v) }},
	{"MCPBASH_TOOL_LIMITS", restricts, "", "processes=2048", "what a tool, or another script, and everything that it starts may use: processes, memory, cpuSeconds, fileSize and openFiles, as in processes=512,memory=2G; metadata of a tool can only lower it; a name with =none, or none alone: no limit. Not enforced on macOS; see [SECURITY.md](SECURITY.md#limits-of-scripts)", toolLimits},
	{"MCPBASH_CGROUP", restricts, "", "", "Linux: a cgroup folder for this server only, in which every script gets its own cgroup with limits of processes and memory", cgroup},
	{"MCPBASH_ENV_PAYLOAD_THRESHOLD", tunes, "", "65536", "bytes of arguments that are passed in a variable; more are passed in a file", func(s *Settings, v string) error { return count(&s.Limits.Arguments, v) }},
	{"MCPBASH_STRICT_ARGUMENTS", restricts, "", "false", "refuse arguments of another type than their schema names, even where they spell a value of it (`\"5\"` for a number), are null for an optional one, or are a number where only a string is allowed", func(s *Settings, v string) error { return flag(&s.StrictArguments, v) }},
	{"MCPBASH_KEEP_CR", tunes, "", "false", "keep carriage returns and the byte order mark in the output of tools, which are otherwise removed", func(s *Settings, v string) error { return flag(&s.KeepCR, v) }},
	{"MCPBASH_TOOL_STDERR_TAIL_LIMIT", tunes, "", "4096", "bytes of a tool's stderr in results", func(s *Settings, v string) error { return count(&s.Limits.StderrTail, v) }},
	{"MCPBASH_TOOL_STREAM_STDERR", tunes, "", "false", "copy the stderr of tools to the server's stderr", func(s *Settings, v string) error { return flag(&s.StreamStderr, v) }},
	{"MCPBASH_ENABLE_LIVE_PROGRESS", tunes, "", "true", "send progress and logs while a tool works; false: just before its result", liveUpdates},
	{"MCPBASH_PAGE_SIZE", tunes, "PAGE_SIZE", "100", "items on a page of a list, at most 500", func(s *Settings, v string) error { return within(0, 500, v, count(&s.Limits.Page, v)) }},

	{"MCPBASH_RESOURCES_POLL_INTERVAL_SECS", tunes, "", "2", "seconds between checks of subscribed resources, and of the project, where the system does not report changes; resources that are expensive to read are checked less often; 0: such resources never, the project every second", func(s *Settings, v string) error { return secs(&s.Limits.Poll, v) }},
	{"MCP_RESOURCES_ROOTS", restricts, "", "", "folders whose files can be read as resources, separated by : (; on Windows); by default MCPBASH_ROOTS, else the folder of the resources", func(s *Settings, v string) error { return paths(&s.ResourceRoots, v) }},
	{"MCPBASH_MAX_RESOURCE_BYTES", restricts, "", "10485760", "largest size of a resource in bytes", func(s *Settings, v string) error { return count(&s.Limits.Resource, v) }},
	{"MCPBASH_MAX_UI_RESOURCE_BYTES", restricts, "", "1048576", "largest size of the page of a user interface in bytes", func(s *Settings, v string) error { return count(&s.Limits.UIPage, v) }},
	{"MCPBASH_PROVIDER_ENV_MODE", restricts, "", "isolate", "variables that providers, prompts and completion scripts get: isolate, allowlist or inherit", providerEnvMode},
	{"MCPBASH_PROVIDER_ENV_ALLOWLIST", tunes, "", "", "names of further variables that they get", func(s *Settings, v string) error { return names(&s.ProviderEnv.Allow, v) }},
	{"MCPBASH_PROVIDER_ENV_INHERIT_ALLOW", tunes, "", "false", "allow the mode inherit", func(s *Settings, v string) error { return flag(&s.providerEnvInherit, v) }},
	{"MCPBASH_HTTPS_ALLOW_HOSTS", restricts, "", "", "hosts that https: resources and downloads may come from", func(s *Settings, v string) error { return allowedHosts(&s.HTTPS.Allow, v) }},
	{"MCPBASH_HTTPS_DENY_HOSTS", restricts, "", "", "hosts that they may not come from", func(s *Settings, v string) error { return deniedHosts(&s.HTTPS.Deny, v) }},
	{"MCPBASH_HTTPS_ALLOW_ALL", tunes, "", "false", "allow all hosts that are not denied", func(s *Settings, v string) error { return flag(&s.HTTPS.AllowAll, v) }},
	{"MCPBASH_HTTPS_TIMEOUT", restricts, "", "15", "seconds for a download, at most 60", func(s *Settings, v string) error { return within(0, 60, v, secs(&s.Limits.HTTPSTimeout, v)) }},
	{"MCPBASH_HTTPS_MAX_BYTES", restricts, "", "10485760", "bytes of a download, at most 20971520", func(s *Settings, v string) error { return within(0, 20971520, v, count(&s.Limits.HTTPSBytes, v)) }},
	{"MCPBASH_HTTPS_USER_AGENT", tunes, "", "", "the User-Agent of downloads", func(s *Settings, v string) error { return text(&s.UserAgent, v) }},
	{"MCPBASH_ENABLE_GIT_PROVIDER", tunes, "", "false", "serve git+https: resources", func(s *Settings, v string) error { return flag(&s.GitEnabled, v) }},
	{"MCPBASH_GIT_ALLOW_HOSTS", restricts, "", "", "hosts that they may come from", func(s *Settings, v string) error { return allowedHosts(&s.Git.Allow, v) }},
	{"MCPBASH_GIT_DENY_HOSTS", restricts, "", "", "hosts that they may not come from", func(s *Settings, v string) error { return deniedHosts(&s.Git.Deny, v) }},
	{"MCPBASH_GIT_ALLOW_ALL", tunes, "", "false", "allow all hosts that are not denied", func(s *Settings, v string) error { return flag(&s.Git.AllowAll, v) }},
	{"MCPBASH_GIT_TIMEOUT", restricts, "", "30", "seconds for a fetch, at most 60", func(s *Settings, v string) error { return within(0, 60, v, secs(&s.Limits.GitTimeout, v)) }},
	{"MCPBASH_GIT_MAX_KB", restricts, "", "51200", "KiB that a fetch may take, at most 1048576", func(s *Settings, v string) error { return within(0, 1048576, v, count(&s.Limits.GitKiB, v)) }},

	{"MCPBASH_MAX_REQUESTS_PER_MIN", restricts, "", "0", "calls that a client may make in a minute; 0: no limit", func(s *Settings, v string) error { return count(&s.Limits.Requests, v) }},
	{"MCPBASH_MAX_PROGRESS_PER_MIN", restricts, "MAX_PROGRESS_PER_MIN", "100", "progress notifications of one call in a minute; 0: no limit", func(s *Settings, v string) error { return count(&s.Limits.Progress, v) }},
	{"MCPBASH_MAX_LOGS_PER_MIN", restricts, "", "100", "log notifications of one call in a minute; 0: no limit", func(s *Settings, v string) error { return count(&s.Limits.Logs, v) }},

	{"MCPBASH_CORRUPTION_THRESHOLD", restricts, "", "3", "corrupt messages that end the server", func(s *Settings, v string) error { return count(&s.Limits.Corrupt, v) }},
	{"MCPBASH_CORRUPTION_WINDOW", restricts, "", "60", "seconds within which they count", func(s *Settings, v string) error { return secs(&s.Limits.CorruptWindow, v) }},
	{"MCPBASH_ALLOW_CORRUPT_STDOUT", tunes, "", "false", "only log corrupt messages", func(s *Settings, v string) error { return flag(&s.AllowCorrupt, v) }},
	{"MCPBASH_COMPAT_BATCHES", tunes, "", "false", "accept arrays of messages in every protocol revision", func(s *Settings, v string) error { return flag(&s.Batches, v) }},

	{"MCPBASH_TOOL_ALLOWLIST", restricts, "", "", "names of the tools that may be called, separated by blanks or commas; * is all", allowedTools},
	{"MCPBASH_TOOL_ALLOW_DEFAULT", restricts, "", "allow", "whether tools are allowed if the list is empty: allow or deny", allowDefault},
	{"MCPBASH_ALLOW_PROJECT_HOOKS", restricts, "", "unset", "run register.sh and env.sh in server.d/ if nobody else can write them; if it is false, policy.sh and health-checks.sh do not run either, and with a policy.sh all tools are refused", projectHooks},
	{"MCPBASH_SANDBOX", restricts, "", "none", "auto: run every tool in a sandbox, by default the one for its annotations; on systems without sandboxes the tool is refused", sandbox},

	{"MCPBASH_TOOL_ENV_MODE", restricts, "", "minimal", "variables that tools get: minimal, allowlist or inherit", envMode},
	{"MCPBASH_TOOL_ENV_ALLOWLIST", tunes, "", "", "names of further variables that tools get, separated by blanks or commas", func(s *Settings, v string) error { return names(&s.ToolEnv.Allow, v) }},
	{"MCPBASH_TOOL_ENV_INHERIT_ALLOW", tunes, "", "false", "allow the mode inherit", func(s *Settings, v string) error { return flag(&s.envInherit, v) }},

	{"MCPBASH_REMOTE_TOKEN", restricts, "", "", "secret of at least 32 characters that every call except ping must have in params._meta; the proxy in front of the server adds it", remoteToken},
	{"MCPBASH_REMOTE_TOKEN_KEY", tunes, "", "mcpbash/remoteToken", "member of params._meta with the secret", func(s *Settings, v string) error { return s.remoteKey(0, v) }},
	{"MCPBASH_REMOTE_TOKEN_FALLBACK_KEY", tunes, "", "remoteToken", "another member that may have the secret", func(s *Settings, v string) error { return s.remoteKey(1, v) }},
	{"MCPBASH_REMOTE_TOKEN_MAX_FAILURES_PER_MIN", restricts, "", "10", "calls without it that are logged per minute; further ones are refused as too many", func(s *Settings, v string) error { return count(&s.Secret.Failures, v) }},
	{"MCPBASH_IDLE_TIMEOUT", tunes, "", "0", "seconds after which the server ends if its client has sent nothing and no call or task is running; 0: never", func(s *Settings, v string) error { return secs(&s.Limits.Idle, v) }},
	{"MCPBASH_IDLE_TIMEOUT_ENABLED", tunes, "", "true", "false: ignore MCPBASH_IDLE_TIMEOUT", func(s *Settings, v string) error { return flag(&s.idleCheck, v) }},
	{"MCPBASH_ORPHAN_CHECK_ENABLED", tunes, "", "true", "end the server when the process that started it is gone while its input stays open", func(s *Settings, v string) error { return flag(&s.OrphanCheck, v) }},
	{"MCPBASH_ORPHAN_CHECK_INTERVAL", tunes, "", "30", "seconds between checks for that process", func(s *Settings, v string) error { return secs(&s.OrphanInterval, v) }},
	{"MCPBASH_CI_MODE", tunes, "", "false", "for unattended runs: failed calls are written to failure-summary.jsonl, a description of the machine to env-snapshot.json; the server does not end when it is idle or its parent is gone", func(s *Settings, v string) error { return flag(&s.CI, v) }},
	{"MCPBASH_LOG_DIR", tunes, "", "", "folder of those files; by default a new one, mcpbash.logs.*, in RUNNER_TEMP or the folder for temporary files", func(s *Settings, v string) error { return text(&s.LogDir, v) }},
	{"MCPBASH_FORCE_MINIMAL", restricts, "", "false", "serve nothing but the lifecycle, ping and logging", func(s *Settings, v string) error { return flag(&s.Minimal, v) }},
	{"MCPBASH_TRANSPORT", tunes, "MCP_TRANSPORT", "stdio", "how clients communicate with the server; only stdio is supported", transport},

	{"MCPBASH_DEBUG_PAYLOADS", tunes, "", "false", "record every message in payload.debug.log in the private folder, which is then kept", func(s *Settings, v string) error { return flag(&s.DebugPayloads, v) }},
	{"MCPBASH_PRESERVE_STATE", tunes, "", "false", "keep the private folder, with the files of every call, when the server ends", func(s *Settings, v string) error { return flag(&s.PreserveState, v) }},
	{"MCPBASH_LOG_CALLS", tunes, "", "true", "log a line for each call of a tool, prompt or resource: how it ended, how long it took, why it failed", func(s *Settings, v string) error { return flag(&s.LogCalls, v) }},
	{"MCPBASH_LOG_FORMAT", tunes, "", "text", "how log lines are written: text or json", SetLogFormat},
	{"MCPBASH_LOG_FILE", tunes, "", "", "file to which the log is also written; at 10 MiB it is renamed, and the last three are kept", func(s *Settings, v string) error { return text(&s.LogFile, v) }},
	{"MCPBASH_LOG_LEVEL", tunes, "MCPBASH_LOG_LEVEL_DEFAULT", "info", "how much the server logs to stderr: debug, info, warning or error", logLevel},
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

// Read reads the table from env. An invalid value of a variable that restricts is a part of Settings.Refusal.
// Any other is reported in a complaint, and the default is used; for a number outside of its bounds, the bound.
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
		err := v.Set(&s, value)
		if beyond := (beyondError{}); errors.As(err, &beyond) {
			complaints = append(complaints, fmt.Sprintf("%s=%s: %v; using %s", name, value, err, beyond.used()))
		} else if err != nil && v.If == restricts {
			if !slices.Contains(Secrets, name) {
				name += "=" + value
			}
			s.refuse(fmt.Errorf("%s: %w", name, err))
		} else if err != nil {
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
	complaints = append(complaints, UnknownVariables(env)...)
	if s.ToolEnv.Mode == server.Inherit && !s.envInherit {
		complaints = append(complaints, "MCPBASH_TOOL_ENV_MODE=inherit needs MCPBASH_TOOL_ENV_INHERIT_ALLOW=true; using minimal")
		s.ToolEnv.Mode = server.Minimal
	}
	if s.ProviderEnv.Mode == server.Inherit && !s.providerEnvInherit {
		complaints = append(complaints, "MCPBASH_PROVIDER_ENV_MODE=inherit needs MCPBASH_PROVIDER_ENV_INHERIT_ALLOW=true; using isolate")
		s.ProviderEnv.Mode = server.Minimal
	}
	for _, list := range []struct {
		of       server.Visibility
		variable string
	}{{s.ToolEnv, "MCPBASH_TOOL_ENV"}, {s.ProviderEnv, "MCPBASH_PROVIDER_ENV"}} {
		if len(list.of.Allow) > 0 && list.of.Mode == server.Minimal {
			complaints = append(complaints, list.variable+"_ALLOWLIST has no effect without "+list.variable+"_MODE=allowlist")
		}
	}
	return s, complaints
}

// refuse adds a reason to the refusal, which stays on one line.
func (s *Settings) refuse(why error) {
	if s.Refusal != nil {
		why = fmt.Errorf("%w; %w", s.Refusal, why)
	}
	s.Refusal = why
}

// allowedHosts sets a list of hosts.
func allowedHosts(to *[]string, v string) (err error) {
	*to, err = fetch.ParseHosts(v)
	return err
}

// deniedHosts sets a list of hosts that denies something.
func deniedHosts(to *[]string, v string) error {
	err := allowedHosts(to, v)
	if err == nil && v != "" && len(*to) == 0 {
		return errors.New("names no host")
	}
	return err
}

func text(to *string, v string) error {
	*to = v
	return nil
}

// label sets a text that clients show on one line.
func label(to *string, v string) error {
	if !utf8.ValidString(v) || strings.ContainsFunc(v, unicode.IsControl) {
		return errors.New("must be one line of UTF-8")
	}
	*to = v
	return nil
}

// paths sets a list of folders in the format of PATH.
func paths(to *[]string, v string) error {
	*to = slices.DeleteFunc(filepath.SplitList(v), func(folder string) bool { return folder == "" })
	if v != "" && len(*to) == 0 {
		return errors.New("names no folder")
	}
	if v == "" {
		*to = nil
	}
	return nil
}

// liveUpdates sets whether progress and logs are sent while a tool runs.
func liveUpdates(s *Settings, v string) error {
	on := false
	err := flag(&on, v)
	s.Collected = !on
	return err
}

func names(to *[]string, v string) error {
	*to = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
	return nil
}

// allowedTools sets the names of tools.
func allowedTools(s *Settings, v string) error {
	if err := names(&s.Policy.Allow, v); err != nil || v == "" || len(s.Policy.Allow) > 0 {
		return err
	}
	return errors.New("names no tool; MCPBASH_TOOL_ALLOW_DEFAULT=deny refuses all")
}

func count(to *int, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return fmt.Errorf("must be a whole number, 0 or more")
	}
	*to = explicitLimit(n)
	return nil
}

// explicitLimit returns a limit as the server takes it: there 0 means the default, so an explicit 0
// becomes negative.
func explicitLimit[T int | time.Duration](n T) T {
	if n == 0 {
		return -1
	}
	return n
}

func secs(to *time.Duration, v string) error {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n >= 0 && n < 1e9) {
		return fmt.Errorf("must be a number of seconds, 0 or more")
	}
	*to = explicitLimit(time.Duration(n * float64(time.Second)))
	return nil
}

// within reports a number outside of the bounds that the server holds anyway. err is that of setting it.
func within(least, most float64, v string, err error) error {
	n, _ := strconv.ParseFloat(v, 64)
	switch {
	case err != nil:
		return err
	case n < least:
		return beyondError{"must be at least", least}
	case n > most:
		return beyondError{"must be at most", most}
	}
	return nil
}

// A beyondError is about a number of which the server uses the bound.
type beyondError struct {
	rule  string
	bound float64
}

func (e beyondError) Error() string {
	return e.rule + " " + e.used()
}

func (e beyondError) used() string { return strconv.FormatFloat(e.bound, 'f', -1, 64) }

func flag(to *bool, v string) error {
	switch strings.ToLower(v) {
	case "true", "1", "yes", "on":
		*to = true
	case "false", "0", "no", "off":
		*to = false
	default:
		return fmt.Errorf("must be true or false")
	}
	return nil
}

// remoteKey sets one of the two members that may contain the secret.
func (s *Settings) remoteKey(i int, v string) error {
	keys := append(slices.Clone(s.Secret.Keys), make([]string, 2)...)[:2]
	keys[i] = v
	s.Secret.Keys = keys
	return nil
}

func toolLimits(s *Settings, v string) (err error) {
	if strings.Trim(v, ", \t\n") == "" {
		return errors.New("names no limit; write processes=512,memory=2G, or none")
	}
	s.Limits.Scripts, err = server.ParseScriptLimits(v)
	return err
}

func cgroup(s *Settings, v string) error {
	s.Cgroup = v
	switch {
	case v == "":
		return nil
	case !filepath.IsAbs(v):
		return errors.New("must be an absolute path")
	}
	return script.CheckCgroup(v)
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

// sandbox sets whether all tools run in a sandbox.
func sandbox(s *Settings, v string) error {
	if v != "none" && v != "auto" {
		return errors.New("must be auto or none")
	}
	s.Sandbox = v == "auto"
	return nil
}

// remoteToken sets the secret of calls.
func remoteToken(s *Settings, v string) error {
	s.Secret.Token = v
	if n := utf8.RuneCountInString(v); n > 0 && n < middleware.MinSecret {
		return fmt.Errorf("has %d characters, and must have at least %d; `openssl rand -hex 32` makes one", n, middleware.MinSecret)
	}
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
	if err := flag(&all, v); err != nil {
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
