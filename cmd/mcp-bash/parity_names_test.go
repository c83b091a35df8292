package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
)

// theirVariables are the variables that the Bash program reads, with their usual values; "" where
// there is none, or one of the machine.
var theirVariables = map[string]string{
	"MCPBASH_PROJECT_ROOT": "", "MCPBASH_TOOLS_DIR": "", "MCPBASH_RESOURCES_DIR": "", "MCPBASH_PROMPTS_DIR": "",
	"MCPBASH_SERVER_DIR": "", "MCPBASH_PROVIDERS_DIR": "", "MCPBASH_COMPLETIONS_DIR": "", "MCPBASH_UI_DIR": "",
	"MCPBASH_REGISTRY_DIR": "", "MCPBASH_HOME": "", "MCPBASH_TMP_ROOT": "", "MCPBASH_STATE_DIR": "",
	"MCPBASH_LOCK_ROOT": "", "MCPBASH_STATE_SEED": "",

	"MCPBASH_MAX_CONCURRENT_REQUESTS": "16", "MCPBASH_MAX_TOOL_OUTPUT_SIZE": "10485760",
	"MCPBASH_MAX_TOOL_STDERR_SIZE": "10485760", "MCPBASH_MAX_RESOURCE_BYTES": "10485760",
	"MCPBASH_MAX_UI_RESOURCE_BYTES": "1048576", "MCPBASH_UI_CACHE_MAX_TEMPLATES": "50",
	"MCPBASH_MAX_TEXT_BYTES": "102400", "MCPBASH_REGISTRY_MAX_BYTES": "104857600",
	"MCPBASH_MAX_MANUAL_REGISTRY_BYTES": "1048576", "MCPBASH_MANUAL_BUFFER_MAX_BYTES": "1048576",
	"MCPBASH_ENV_PAYLOAD_THRESHOLD": "65536", "MCPBASH_MAX_PROGRESS_PER_MIN": "100", "MCPBASH_MAX_LOGS_PER_MIN": "100",
	"MCPBASH_DEFAULT_TOOL_TIMEOUT": "30", "MCPBASH_DEFAULT_SUBSCRIBE_TIMEOUT": "120",
	"MCPBASH_PROGRESS_EXTENDS_TIMEOUT": "false", "MCPBASH_MAX_TIMEOUT_SECS": "600", "MCPBASH_SHUTDOWN_TIMEOUT": "5",
	"MCPBASH_IDLE_TIMEOUT": "3600", "MCPBASH_IDLE_TIMEOUT_ENABLED": "true", "MCPBASH_ORPHAN_CHECK_ENABLED": "true",
	"MCPBASH_ORPHAN_CHECK_INTERVAL": "30", "MCPBASH_RESOURCES_POLL_INTERVAL_SECS": "2",
	"MCPBASH_ENABLE_LIVE_PROGRESS": "false", "MCPBASH_PROGRESS_FLUSH_INTERVAL": "0.5", "MCPBASH_CORRUPTION_WINDOW": "60",
	"MCPBASH_CORRUPTION_THRESHOLD": "3", "MCPBASH_ALLOW_CORRUPT_STDOUT": "false", "MCP_TOOLS_TTL": "5",
	"MCP_RESOURCES_TTL": "5", "MCP_PROMPTS_TTL": "5", "MCP_RESOURCES_TEMPLATES_TTL": "5", "MCP_UI_TTL": "5",
	"MCPBASH_REGISTER_TTL": "5", "MCPBASH_ROOTS_REQUEST_TIMEOUT": "5", "MCPBASH_ROOTS_DEBOUNCE_INTERVAL": "1",
	"MCPBASH_ELICITATION_TIMEOUT": "30", "MCPBASH_LOCK_POLL_INTERVAL": "0.02", "MCPBASH_LOCK_REAP_GRACE_SECS": "1",
	"MCPBASH_HEALTH_TIMEOUT_SECS": "5", "MCPBASH_DOCTOR_LOCK_TIMEOUT_SECS": "10",
	"MCPBASH_DOCTOR_LOCK_POLL_SECS": "0.05",

	"MCPBASH_STATIC_REGISTRY": "", "MCPBASH_REGISTRY_REFRESH_PATH": "", "MCPBASH_REGISTRY_REFRESH_NO_WRITE": "",
	"MCPBASH_REGISTRY_REFRESH_NO_NOTIFY": "", "MCPBASH_ALLOW_PROJECT_HOOKS": "false",

	"MCPBASH_TOOL_ALLOWLIST": "", "MCPBASH_TOOL_ALLOW_DEFAULT": "deny", "MCPBASH_TOOL_POLICY_CONTEXT": "",
	"MCPBASH_TOOL_ENV_MODE": "minimal", "MCPBASH_TOOL_ENV_ALLOWLIST": "", "MCPBASH_TOOL_ENV_INHERIT_ALLOW": "false",
	"MCPBASH_PROVIDER_ENV_MODE": "isolate", "MCPBASH_PROVIDER_ENV_ALLOWLIST": "",
	"MCPBASH_PROVIDER_ENV_INHERIT_ALLOW": "false", "MCPBASH_REMOTE_TOKEN": "",
	"MCPBASH_REMOTE_TOKEN_KEY": "mcpbash/remoteToken", "MCPBASH_REMOTE_TOKEN_FALLBACK_KEY": "remoteToken",
	"MCPBASH_REMOTE_TOKEN_MAX_FAILURES_PER_MIN": "10", "MCPBASH_ROOTS": "", "MCP_RESOURCES_ROOTS": "",
	"MCPBASH_RUN_TOOL_SOURCE_SERVER_ENV": "",

	"MCPBASH_JSON_TOOL": "", "MCPBASH_JSON_TOOL_BIN": "", "MCPBASH_ALLOW_JSON_TOOL_OVERRIDE_FOR_ROOT": "false",
	"MCPBASH_FORCE_MINIMAL": "", "MCPBASH_COMPAT_BATCHES": "", "MCPBASH_TRANSPORT": "stdio", "MCP_TRANSPORT": "",

	"MCPBASH_HTTPS_ALLOW_HOSTS": "", "MCPBASH_HTTPS_DENY_HOSTS": "", "MCPBASH_HTTPS_ALLOW_ALL": "false",
	"MCPBASH_HTTPS_TIMEOUT": "15", "MCPBASH_HTTPS_MAX_BYTES": "10485760", "MCPBASH_HTTPS_USER_AGENT": "",
	"MCPBASH_ENABLE_GIT_PROVIDER": "false", "MCPBASH_GIT_ALLOW_HOSTS": "", "MCPBASH_GIT_DENY_HOSTS": "",
	"MCPBASH_GIT_ALLOW_ALL": "false", "MCPBASH_GIT_TIMEOUT": "30", "MCPBASH_GIT_MAX_KB": "51200",

	"MCPBASH_LOG_LEVEL": "info", "MCPBASH_LOG_LEVEL_DEFAULT": "", "MCPBASH_LOG_VERBOSE": "", "MCPBASH_LOG_JSON_TOOL": "",
	"MCPBASH_LOG_STARTUP": "", "MCPBASH_LOG_TIMESTAMP": "", "MCPBASH_QUIET": "", "MCPBASH_LOG_DIR": "",
	"MCPBASH_KEEP_LOGS": "", "MCPBASH_DEBUG_PAYLOADS": "", "MCPBASH_DEBUG_ERRORS": "false", "MCPBASH_DEBUG_LOG": "",
	"MCPBASH_DEBUG": "", "MCPBASH_DEBUG_ALL_EXITS": "false", "MCPBASH_PRESERVE_STATE": "",
	"MCPBASH_TOOL_STDERR_CAPTURE": "true", "MCPBASH_TOOL_STDERR_TAIL_LIMIT": "4096",
	"MCPBASH_TOOL_TIMEOUT_CAPTURE": "true", "MCPBASH_TOOL_STREAM_STDERR": "false", "MCPBASH_TRACE_TOOLS": "",
	"MCPBASH_TRACE_PS4": "", "MCPBASH_TRACE_MAX_BYTES": "1048576", "MCPBASH_CI_MODE": "false",
	"MCPBASH_CI_VERBOSE": "false", "MCPBASH_SKIP_PROCESS_GROUP_LOOKUP": "", "MCP_PATH_DEBUG": "",
	"MCPBASH_FRAMEWORK_VERSION": "", "MCPB_SKIP_LOGIN_SHELL": "", "MCP_REGISTRY_URL": "", "MCP_REGISTRY_TOKEN": "",
	"MCPBASH_INSTALL_REPO_URL": "", "MCPBASH_INSTALL_LOCAL_SOURCE": "", "MCPBASH_INSTALL_ARCHIVE_URL": "",
	"MCPBASH_DOCTOR_LOCAL_SOURCE": "", "MCPBASH_DOCTOR_KEEP_BACKUP": "",
}

// otherDefaults are why a usual value is another one here.
var otherDefaults = map[string]string{
	"MCPBASH_IDLE_TIMEOUT":         "a server that waits costs next to nothing, and clients that come back after hours would find it gone",
	"MCPBASH_ENABLE_LIVE_PROGRESS": "progress is for while the tool works",
	"MCPBASH_ALLOW_PROJECT_HOOKS":  "unset is what the Bash program does where it is false; false refuses all hooks, so that an operator can say no",
	"MCPBASH_TOOL_ALLOW_DEFAULT":   "whoever serves a project wants its tools",
}

func TestEveryVariableOfTheBashProgramIsReadOrTheProgramSaysWhyNot(t *testing.T) {
	known := operator.Names()
	ours := make(map[string]string)
	for _, v := range operator.Variables(new(operator.Settings)) {
		ours[v.Name] = v.Fallback
	}
	for _, v := range operator.Elsewhere {
		ours[v.Name] = v.Fallback
	}
	for name, usual := range theirVariables {
		if !slices.Contains(known, name) {
			t.Errorf("%s is neither read nor listed as without effect", name)
		}
		if fallback, read := ours[name]; read && usual != "" && fallback != usual && otherDefaults[name] == "" {
			t.Errorf("%s is %s where it is not set, there %s: a row must say why", name, fallback, usual)
		}
	}
	for name := range otherDefaults {
		if ours[name] == theirVariables[name] {
			t.Errorf("%s has the same usual value, so there is nothing to explain", name)
		}
	}
}

// theirNames are other names that projects rely on: what they are, the names, and those that
// differ with their reason behind a colon.
var theirNames = []struct {
	what  string
	names []string
}{
	{"variable of tools", []string{
		"MCP_SDK", "MCP_TOOL_NAME", "MCP_TOOL_PATH", "MCP_TOOL_ARGS_JSON", "MCP_TOOL_ARGS_FILE", "MCP_TOOL_METADATA_JSON",
		"MCP_TOOL_METADATA_FILE", "MCP_TOOL_META_JSON", "MCP_TOOL_META_FILE", "MCP_TOOL_ERROR_FILE",
		"MCP_TOOL_RESOURCES_FILE", "MCP_PROGRESS_STREAM", "MCP_PROGRESS_TOKEN", "MCP_LOG_STREAM", "MCP_CANCEL_FILE",
		"MCP_ROOTS_JSON", "MCP_ROOTS_PATHS", "MCP_ROOTS_COUNT", "MCP_ELICIT_SUPPORTED", "MCPBASH_JSON_TOOL",
		"MCPBASH_JSON_TOOL_BIN", "MCPBASH_MODE", "MCPBASH_PROJECT_ROOT", "MCPBASH_FRAMEWORK_VERSION", "MCPBASH_DEBUG_LOG",
		"MCPBASH_SERVER_NAME", "MCPBASH_SERVER_TITLE", "MCPBASH_SERVER_VERSION", "MCPBASH_SERVER_DESCRIPTION",
		"MCPBASH_SERVER_ICONS", "MCPBASH_SERVER_INSTRUCTIONS", "MCPBASH_SERVER_WEBSITE_URL",
		"MCPBASH_WORKER_KEY: a part of the Bash program", "MCPBASH_DIRECT_FD: a part of the Bash program",
		"MCPBASH_TRACE_FILE: tools are not traced; `set -x` in a tool goes to its stderr",
	}},
	{"variable of completions", []string{
		"MCP_COMPLETION_NAME", "MCP_COMPLETION_ARGS_JSON", "MCP_COMPLETION_LIMIT", "MCP_COMPLETION_OFFSET",
		"MCP_COMPLETION_ARGS_HASH: the arguments are in `MCP_COMPLETION_ARGS_JSON`",
	}},
	{"field of server.meta.json", []string{
		"name", "title", "version", "description", "websiteUrl", "icons", "author", "repository", "long_description_file",
		"user_config", "user_config_env_map", "user_config_args_map", "screenshots", "platform_overrides", "localization",
		"_meta",
	}},
	{"field of tools", []string{
		"name", "description", "inputSchema", "arguments", "outputSchema", "timeoutSecs", "timeoutHint",
		"progressExtendsTimeout", "maxTimeoutSecs", "annotations", "icons", "_meta",
	}},
	{"field of resources and templates",
		[]string{"name", "title", "description", "uri", "uriTemplate", "mimeType", "provider", "icons",
			"annotations", "_meta"}},
	{"field of prompts", []string{"name", "description", "role", "arguments", "metadata", "icons"}},
	{"field of completions", []string{"name", "path", "timeoutSecs"}},
	{"field of register.json",
		[]string{"version", "tools", "resources", "resourceTemplates", "prompts", "completions", "_meta"}},
	{"field of ui.meta.json", []string{
		"description", "entrypoint", "template", "config", "meta",
	}},
	{"template of a user interface", []string{"form", "data-table", "progress", "diff-viewer", "tree-view", "kanban"}},
	{"field of requirements.json", []string{"framework", "minVersion", "dependencies", "or"}},
	{"field of failure-summary.jsonl", []string{
		"ts", "tool", "exitCode", "timedOut", "argCount", "argBytes", "argHash", "metaKeys", "roots", "message",
		"stderrTail", "traceLine",
	}},
	{"field of env-snapshot.json",
		[]string{"bashVersion", "os", "cwd", "pathBytes", "envBytes", "jsonTool", "jsonToolBin"}},
	{"file", []string{
		"server.meta.json", "server.instructions.md", "env.sh", "policy.sh", "register.json", "register.sh",
		"health-checks.sh", "requirements.json", ".debug", ".registry", "tools.json", "resources.json",
		"resource-templates.json", "prompts.json", "index.html", "ui.meta.json", "roots.json", "mcpb.conf", "icon.png",
		"icon.svg", "VERSION", "package.json", ".completion.sh", ".completion", "payload.debug.log",
		"failure-summary.jsonl", "env-snapshot.json", "vendor.json", "run-server.sh", "manifest.json", "smoke.sh",
		"ui-resources.json: user interfaces are in `resources.json`, without absolute paths",
		"INSTALLER.json: `install.sh` takes a version and `MCPBASH_INSTALL_DIR` only",
		"install.sh: another one: it installs a released program and has no options of 1.x",
		"analyze-debug-log: the recording is a line of JSON a message, for `jq`",
	}},
}

func TestEveryNameThatProjectsRelyOnIsKnownToTheProgram(t *testing.T) {
	sources := sources(t)
	for _, kind := range theirNames {
		t.Run(kind.what, func(t *testing.T) {
			for _, entry := range kind.names {
				name, _, differs := strings.Cut(entry, ": ")
				if !differs && !mentions(sources, name) {
					t.Errorf("no source of the program mentions %s", name)
				}
			}
		})
	}
}

// sources are the texts of the program: Go without tests, the SDK and templates.
func sources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, root := range []string{"..", "../../internal", "../../handlers", "../../providers", "../../mcp", "../../server"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() && e.Name() == "testdata" {
				return fs.SkipDir
			}
			if e.IsDir() || strings.HasSuffix(path, "_test.go") ||
				!slices.Contains([]string{".go", ".sh"}, filepath.Ext(path)) || strings.HasSuffix(path, "variables.go") {
				return nil
			}
			text, err := os.ReadFile(path)
			all.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// passedOn are members of meta in ui.meta.json.
const passedOn = `{"csp":{"connectDomains":["a"],"resourceDomains":["b"],"frameDomains":["c"],"baseUriDomains":["d"]},` +
	`"permissions":{"camera":{},"microphone":{},"geolocation":{},"clipboardWrite":{}},"prefersBorder":true}`

func TestWhatAUserInterfaceMayDoIsPassedOnAsItIsWritten(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	for name, text := range map[string]string{"ui.meta.json": `{"meta":` + passedOn + `}`, "index.html": "<!doctype html>"} {
		path := filepath.Join(root, "ui", "board", name)
		is.NoErr(os.MkdirAll(filepath.Dir(path), 0o755))
		is.NoErr(os.WriteFile(path, []byte(text), 0o644))
	}
	p, err := catalog.Open(root, catalog.Options{})
	is.NoErr(err)
	resources, err := p.Resources(t.Context())
	is.NoErr(err)
	is.Equal(len(resources.Items), 1)
	is.Equal(string(resources.Items[0].Meta), `{"ui":`+passedOn+`}`)
}

// mentions reports whether a source has a name as a string, the end of a path, a member in a tag, or a variable.
func mentions(sources, name string) bool {
	for _, ending := range []string{"_FILE", "_JSON"} { // payloads that are in a variable, or in a file
		if stem, ok := strings.CutSuffix(name, ending); ok && strings.Contains(sources, `"`+stem+`"`) {
			return true
		}
	}
	for _, form := range []string{`"` + name + `"`, `"` + name + `,`, `"` + name + `=`, `/` + name + `"`, name + `=`, "`" + name + "`", `${` + name, `"` + name + ` `, ` ` + name + `"`} {
		if strings.Contains(sources, form) {
			return true
		}
	}
	return false
}
