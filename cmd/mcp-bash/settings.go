package main

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/internal/tool"
)

// settings are what the environment says, read once at the start.
type settings struct {
	projectRoot string
	toolsDir    string
	serverDir   string
	stateDir    string
	tempDir     string

	roots         string
	rootsPatience time.Duration

	maxMessage  int
	maxCalls    int
	drain       time.Duration
	toolTimeout time.Duration
	maxTimeout  time.Duration
	extend      bool
	maxOutput   int
	inline      int
	stderrTail  int
	streamErr   bool
	live        bool
	pageSize    int

	requestsPerMin int
	progressPerMin int
	logsPerMin     int

	corruptThreshold int
	corruptWindow    time.Duration
	allowCorrupt     bool
	batches          bool

	envMode      tool.Mode
	envAllowlist []string
	envInherit   bool

	allowTools []string
	denyTools  bool
	allowHooks bool

	logLevel slog.Level
}

// A variable is one that the server reads.
type variable struct {
	name     string
	older    string // name in the specification, read where name is unset
	fallback string
	meaning  string
	set      func(*settings, string) error
}

// table lists every variable of the environment that the server reads.
var table = []variable{
	{"MCPBASH_PROJECT_ROOT", "", "", "the project's folder", text(func(s *settings) *string { return &s.projectRoot })},
	{"MCPBASH_TOOLS_DIR", "", "", "folder of the tools, instead of tools/ in the project", text(func(s *settings) *string { return &s.toolsDir })},
	{"MCPBASH_SERVER_DIR", "", "", "folder of the server's own files, instead of server.d/ in the project", text(func(s *settings) *string { return &s.serverDir })},
	{"MCPBASH_STATE_DIR", "", "", "private folder for files of running calls", text(func(s *settings) *string { return &s.stateDir })},
	{"MCPBASH_TMP_ROOT", "TMPDIR", "", "where that folder is made if it is not set", text(func(s *settings) *string { return &s.tempDir })},

	{"MCPBASH_ROOTS", "MCP_ROOTS", "", "folders that tools work in where the client names none, with : between (; on Windows)", text(func(s *settings) *string { return &s.roots })},
	{"MCPBASH_ROOTS_REQUEST_TIMEOUT", "", "5", "seconds that a client may take to name its roots", secs(func(s *settings) *time.Duration { return &s.rootsPatience })},

	{"MCPBASH_MAX_MESSAGE_BYTES", "", "67108864", "longest message, in bytes, either way", count(func(s *settings) *int { return &s.maxMessage })},
	{"MCPBASH_MAX_CONCURRENT_REQUESTS", "MAX_CONCURRENT_REQUESTS", "16", "calls that run at once; others wait", count(func(s *settings) *int { return &s.maxCalls })},
	{"MCPBASH_SHUTDOWN_TIMEOUT", "", "5", "seconds for running calls after the end of input, and for exit after shutdown", secs(func(s *settings) *time.Duration { return &s.drain })},
	{"MCPBASH_DEFAULT_TOOL_TIMEOUT", "DEFAULT_TOOL_TIMEOUT", "30", "seconds a tool may run where its metadata does not say; 0: no limit", secs(func(s *settings) *time.Duration { return &s.toolTimeout })},
	{"MCPBASH_PROGRESS_EXTENDS_TIMEOUT", "", "false", "progress starts a tool's timeout anew", flag(func(s *settings) *bool { return &s.extend })},
	{"MCPBASH_MAX_TIMEOUT_SECS", "", "600", "seconds a tool may run in all where progress extends its timeout", secs(func(s *settings) *time.Duration { return &s.maxTimeout })},
	{"MCPBASH_MAX_TOOL_OUTPUT_SIZE", "MAX_TOOL_OUTPUT_SIZE", "10485760", "bytes of a tool's stdout that are kept", count(func(s *settings) *int { return &s.maxOutput })},
	{"MCPBASH_ENV_PAYLOAD_THRESHOLD", "", "65536", "bytes of arguments that are passed in a variable; more are passed in a file", count(func(s *settings) *int { return &s.inline })},
	{"MCPBASH_TOOL_STDERR_TAIL_LIMIT", "", "4096", "bytes of a tool's stderr that results tell", count(func(s *settings) *int { return &s.stderrTail })},
	{"MCPBASH_TOOL_STREAM_STDERR", "", "false", "pass what tools write to stderr on to the server's stderr", flag(func(s *settings) *bool { return &s.streamErr })},
	{"MCPBASH_ENABLE_LIVE_PROGRESS", "", "true", "send progress and logs while a tool works; false: just before its result", flag(func(s *settings) *bool { return &s.live })},
	{"MCPBASH_PAGE_SIZE", "PAGE_SIZE", "100", "items on a page of a list, at most 500", count(func(s *settings) *int { return &s.pageSize })},

	{"MCPBASH_MAX_REQUESTS_PER_MIN", "", "0", "calls that a client may make in a minute; 0: no limit", count(func(s *settings) *int { return &s.requestsPerMin })},
	{"MCPBASH_MAX_PROGRESS_PER_MIN", "MAX_PROGRESS_PER_MIN", "100", "progress notifications of one call in a minute; 0: no limit", count(func(s *settings) *int { return &s.progressPerMin })},
	{"MCPBASH_MAX_LOGS_PER_MIN", "", "100", "log notifications of one call in a minute; 0: no limit", count(func(s *settings) *int { return &s.logsPerMin })},

	{"MCPBASH_CORRUPTION_THRESHOLD", "", "3", "corrupt messages that end the server", count(func(s *settings) *int { return &s.corruptThreshold })},
	{"MCPBASH_CORRUPTION_WINDOW", "", "60", "seconds within which they count", secs(func(s *settings) *time.Duration { return &s.corruptWindow })},
	{"MCPBASH_ALLOW_CORRUPT_STDOUT", "", "false", "only log corrupt messages", flag(func(s *settings) *bool { return &s.allowCorrupt })},
	{"MCPBASH_COMPAT_BATCHES", "", "false", "accept arrays of messages in every protocol revision", flag(func(s *settings) *bool { return &s.batches })},

	{"MCPBASH_TOOL_ALLOWLIST", "", "", "names of the tools that may be called, with blanks or commas between; * is all", names(func(s *settings) *[]string { return &s.allowTools })},
	{"MCPBASH_TOOL_ALLOW_DEFAULT", "", "allow", "allow or deny the tools that the list does not name, where it names none", allowDefault},
	{"MCPBASH_ALLOW_PROJECT_HOOKS", "", "false", "run server.d/policy.sh, where nobody else can write it", flag(func(s *settings) *bool { return &s.allowHooks })},

	{"MCPBASH_TOOL_ENV_MODE", "", "minimal", "variables that tools get: minimal, allowlist or inherit", envMode},
	{"MCPBASH_TOOL_ENV_ALLOWLIST", "", "", "names of variables that tools get besides, with blanks or commas between", names(func(s *settings) *[]string { return &s.envAllowlist })},
	{"MCPBASH_TOOL_ENV_INHERIT_ALLOW", "", "false", "allow the mode inherit", flag(func(s *settings) *bool { return &s.envInherit })},

	{"MCPBASH_LOG_LEVEL", "MCPBASH_LOG_LEVEL_DEFAULT", "info", "how much the server logs to stderr: debug, info, warning or error", logLevel},
}

// variables reads NAME=value pairs; of two with one name the last counts.
func variables(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return env
}

// readSettings reads the table from env. A value that makes no sense is told in
// a complaint, and the usual one holds.
func readSettings(env map[string]string) (s settings, complaints []string) {
	for _, v := range table {
		if err := v.set(&s, v.fallback); err != nil {
			panic(v.name + ": " + err.Error())
		}
		name, value := v.name, env[v.name]
		if value == "" && v.older != "" {
			name, value = v.older, env[v.older]
		}
		if value == "" {
			continue
		}
		if err := v.set(&s, value); err != nil {
			complaints = append(complaints, fmt.Sprintf("%s=%s: %v; using %s", name, value, err, v.fallback))
			v.set(&s, v.fallback)
		}
	}
	if s.envMode == tool.Inherit && !s.envInherit {
		complaints = append(complaints, "MCPBASH_TOOL_ENV_MODE=inherit needs MCPBASH_TOOL_ENV_INHERIT_ALLOW=true; using minimal")
		s.envMode = tool.Minimal
	}
	return s, complaints
}

func text(field func(*settings) *string) func(*settings, string) error {
	return func(s *settings, v string) error {
		*field(s) = v
		return nil
	}
}

func names(field func(*settings) *[]string) func(*settings, string) error {
	return func(s *settings, v string) error {
		*field(s) = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
		return nil
	}
}

func count(field func(*settings) *int) func(*settings, string) error {
	return func(s *settings, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			return fmt.Errorf("must be a whole number, 0 or more")
		}
		*field(s) = n
		return nil
	}
}

func secs(field func(*settings) *time.Duration) func(*settings, string) error {
	return func(s *settings, v string) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || !(n >= 0 && n < 1e9) {
			return fmt.Errorf("must be a number of seconds, 0 or more")
		}
		*field(s) = time.Duration(n * float64(time.Second))
		return nil
	}
}

func flag(field func(*settings) *bool) func(*settings, string) error {
	return func(s *settings, v string) error {
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

func allowDefault(s *settings, v string) error {
	switch strings.ToLower(v) {
	case "allow", "all":
		s.denyTools = false
	case "deny":
		s.denyTools = true
	default:
		return fmt.Errorf("must be allow or deny")
	}
	return nil
}

func envMode(s *settings, v string) error {
	switch m := tool.Mode(v); m {
	case tool.Minimal, tool.Allowlist, tool.Inherit:
		s.envMode = m
		return nil
	}
	return fmt.Errorf("must be minimal, allowlist or inherit")
}

func logLevel(s *settings, v string) error {
	switch strings.ToLower(v) {
	case "debug", "true", "1":
		s.logLevel = slog.LevelDebug
	case "info", "notice", "false", "0":
		s.logLevel = slog.LevelInfo
	case "warning", "warn":
		s.logLevel = slog.LevelWarn
	case "error", "critical", "alert", "emergency":
		s.logLevel = slog.LevelError
	default:
		return fmt.Errorf("must be debug, info, warning or error")
	}
	return nil
}
