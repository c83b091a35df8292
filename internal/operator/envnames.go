package operator

import (
	"maps"
	"slices"
	"strings"
)

// newer has the names of variables by the older ones that env.sh may use.
var newer = func() map[string]string {
	all := maps.Clone(olderNames)
	all["LOG_LEVEL_DEFAULT"] = "MCPBASH_LOG_LEVEL"
	return all
}()

// settable returns the names of the variables that env.sh may set.
func settable() []string {
	return named(append(Variables(new(Settings)), Elsewhere...), Variable.Projects)
}

// forOperators reports whether a variable belongs to the server, or to its messages to tools, and
// must not be set by the project.
func forOperators(name string) bool {
	switch name {
	case "MCP_CHANNEL", "MCP_SDK", "MCP_TRANSPORT", "MCP_ROOTS": // the last selects the files that clients can read
		return true
	}
	return slices.Contains(ServerNames(), name) || hasPrefix(name, "MCP_TOOL_", "MCP_REGISTRY_")
}

// dangerous reports whether a variable makes programs run or load other files when they are
// started. Windows ignores case in names.
func dangerous(name string) bool {
	switch upper := strings.ToUpper(name); upper {
	case // shells
		"PATH", "PATHEXT", "COMSPEC", "IFS", "ENV", "BASH_ENV", "BASHOPTS", "SHELLOPTS", "GLOBIGNORE", "PS4",
		"PROMPT_COMMAND", "BASH_XTRACEFD", "ZDOTDIR",
		// the C library
		"GCONV_PATH", "LOCPATH", "NLSPATH", "GETCONF_DIR", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "RESOLV_HOST_CONF",
		"MALLOC_TRACE", "GLIBC_TUNABLES",
		// interpreters and libraries
		"NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE",
		"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONBREAKPOINT", "PYTHONINSPECT", "PYTHONWARNINGS",
		"PYTHONPLATLIBDIR", "PYTHONEXECUTABLE", "PYTHONPYCACHEPREFIX",
		"PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "PERL5SHELL", "RUBYOPT", "RUBYLIB", "RUBYPATH", "RUBYSHELL", "GEM_HOME",
		"GEM_PATH", "BUNDLE_GEMFILE", "BUNDLE_PATH", "LUA_PATH", "LUA_CPATH", "PHPRC", "PHP_INI_SCAN_DIR",
		"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "MAVEN_OPTS", "GRADLE_OPTS", "JAVA_OPTS",
		"DOTNET_STARTUP_HOOKS", "DOTNET_ADDITIONAL_DEPS", "PSMODULEPATH",
		"TCLLIBPATH", "TCL_LIBRARY", "GUILE_LOAD_PATH", "GUILE_LOAD_COMPILED_PATH", "R_ENVIRON", "R_ENVIRON_USER", "R_LIBS",
		"R_LIBS_USER", "R_PROFILE", "R_PROFILE_USER",
		"AWKPATH", "AWKLIBPATH", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES",
		// programs that start others
		"LESSOPEN", "LESSCLOSE", "SSH_ASKPASS", "SUDO_ASKPASS", "CURL_HOME", "WGETRC", "RIPGREP_CONFIG_PATH":
		return true
	default:
		return hasPrefix(upper, "LD_", "DYLD_", "BASH_FUNC_", "LUA_INIT", "LUA_PATH_", "LUA_CPATH_", "CORECLR_", "COR_",
			"NPM_CONFIG_", "GIT_") && !slices.Contains(harmless, upper)
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
