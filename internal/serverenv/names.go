package serverenv

import (
	"slices"
	"strings"
)

// settable are the variables of the server that a project may set: limits of size and time, never
// permissions or places of secrets.
var settable = []string{
	"MCPBASH_CI_MODE",
	"MCPBASH_COMPAT_BATCHES",
	"MCPBASH_DEBUG",
	"MCPBASH_DEFAULT_TOOL_TIMEOUT",
	"MCPBASH_ELICITATION_TIMEOUT",
	"MCPBASH_ENABLE_LIVE_PROGRESS",
	"MCPBASH_ENV_PAYLOAD_THRESHOLD",
	"MCPBASH_GIT_MAX_KB",
	"MCPBASH_GIT_TIMEOUT",
	"MCPBASH_HTTPS_MAX_BYTES",
	"MCPBASH_HTTPS_TIMEOUT",
	"MCPBASH_IDLE_TIMEOUT",
	"MCPBASH_INPUT_WAIT_SECS",
	"MCPBASH_KEEP_CR",
	"MCPBASH_LOG_LEVEL",
	"MCPBASH_MAX_CONCURRENT_REQUESTS",
	"MCPBASH_MAX_LOGS_PER_MIN",
	"MCPBASH_MAX_MANUAL_REGISTRY_BYTES",
	"MCPBASH_MAX_MESSAGE_BYTES",
	"MCPBASH_MAX_PROGRESS_PER_MIN",
	"MCPBASH_MAX_REQUESTS_PER_MIN",
	"MCPBASH_MAX_RESOURCE_BYTES",
	"MCPBASH_MAX_TEXT_BYTES",
	"MCPBASH_MAX_TIMEOUT_SECS",
	"MCPBASH_MAX_TOOL_OUTPUT_SIZE",
	"MCPBASH_MAX_UI_RESOURCE_BYTES",
	"MCPBASH_PAGE_SIZE",
	"MCPBASH_PROGRESS_EXTENDS_TIMEOUT",
	"MCPBASH_REQUEST_STATE_TTL_SECS",
	"MCPBASH_RESOURCES_POLL_INTERVAL_SECS",
	"MCPBASH_ROOTS_REQUEST_TIMEOUT",
	"MCPBASH_SHUTDOWN_TIMEOUT",
	"MCPBASH_TASK_AFTER_SECS",
	"MCPBASH_TASK_TTL_SECS",
	"MCPBASH_TOOL_STDERR_TAIL_LIMIT",
	"MCPBASH_TOOL_STREAM_STDERR",
}

// Settable are the names of the server's variables that env.sh may set.
func Settable() []string { return slices.Clone(settable) }

// forOperators reports whether a variable belongs to the server, or to its messages to tools, and
// must not be set by the project.
func (f File) forOperators(name string) bool {
	switch {
	case name == "MCP_CHANNEL", name == "MCP_SDK", name == "MCP_TRANSPORT",
		name == "MCP_RESOURCES_ROOTS", name == "MCP_ROOTS": // these select the files that clients can read
		return true
	}
	return slices.Contains(f.Names, name) || hasPrefix(name, "MCP_TOOL_", "MCP_REGISTRY_")
}

// dangerous reports whether a variable makes programs run or load other files when they are
// started. Windows ignores case in names.
func dangerous(name string) bool {
	switch upper := strings.ToUpper(name); upper {
	case // shells
		"PATH", "PATHEXT", "COMSPEC", "IFS", "ENV", "BASH_ENV", "BASHOPTS", "SHELLOPTS", "GLOBIGNORE", "PS4", "PROMPT_COMMAND", "BASH_XTRACEFD", "ZDOTDIR",
		// the C library
		"GCONV_PATH", "LOCPATH", "NLSPATH", "GETCONF_DIR", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "RESOLV_HOST_CONF", "MALLOC_TRACE", "GLIBC_TUNABLES",
		// interpreters and libraries
		"NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE",
		"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONBREAKPOINT", "PYTHONINSPECT", "PYTHONWARNINGS", "PYTHONPLATLIBDIR", "PYTHONEXECUTABLE", "PYTHONPYCACHEPREFIX",
		"PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "PERL5SHELL", "RUBYOPT", "RUBYLIB", "RUBYPATH", "RUBYSHELL", "GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE", "BUNDLE_PATH", "LUA_PATH", "LUA_CPATH", "PHPRC", "PHP_INI_SCAN_DIR",
		"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "MAVEN_OPTS", "GRADLE_OPTS", "JAVA_OPTS", "DOTNET_STARTUP_HOOKS", "DOTNET_ADDITIONAL_DEPS", "PSMODULEPATH",
		"TCLLIBPATH", "TCL_LIBRARY", "GUILE_LOAD_PATH", "GUILE_LOAD_COMPILED_PATH", "R_ENVIRON", "R_ENVIRON_USER", "R_LIBS", "R_LIBS_USER", "R_PROFILE", "R_PROFILE_USER",
		"AWKPATH", "AWKLIBPATH", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES",
		// programs that start others
		"LESSOPEN", "LESSCLOSE", "SSH_ASKPASS", "SUDO_ASKPASS", "CURL_HOME", "WGETRC", "RIPGREP_CONFIG_PATH":
		return true
	default:
		return hasPrefix(upper, "LD_", "DYLD_", "BASH_FUNC_", "LUA_INIT", "LUA_PATH_", "LUA_CPATH_", "CORECLR_", "COR_", "NPM_CONFIG_", "GIT_") && !slices.Contains(harmless, upper)
	}
}

// harmless are variables of git that name neither a program nor a file that names one.
var harmless = []string{
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE",
	"GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE", "GIT_TERMINAL_PROMPT",
}

func hasPrefix(name string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
