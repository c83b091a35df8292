package operator

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// of returns a project with this env.sh.
func of(t *testing.T, text string) envFile {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "server.d")
	for _, err := range []error{
		os.Chmod(root, 0o755),
		os.Mkdir(dir, 0o755),
		os.WriteFile(filepath.Join(dir, "env.sh"), []byte(text), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	visible := []string{"PATH=" + os.Getenv("PATH"), "HOME=/home/me"}
	return envFile{
		Host:   hooks.Host{Root: root, ServerDir: dir, Runner: &process.Runner{}, Env: func() []string { return visible }},
		Server: append([]string{"SECRET=s", "REGION=here", "MCPBASH_PAGE_SIZE=7"}, visible...),
	}
}

// set returns all variables that a file sets, and its warnings.
func set(t *testing.T, f envFile) (all, warnings []string) {
	t.Helper()
	v := f.Read(t.Context())
	for _, name := range slices.Sorted(maps.Keys(v.Server)) {
		all = append(all, "server: "+name+"="+v.Server[name])
	}
	return append(all, v.Tools...), v.Warnings
}

func TestAssignmentsSetVariablesOfToolsAndSomeOfTheServer(t *testing.T) {
	is := is.New(t)
	all, warnings := set(t, of(t, `#!/usr/bin/env bash
# settings
API_URL="https://example.com"
export API_HOME="$HOME/api" API_URL
MODE="${MODE:-fast}"
MODE="$MODE-er"
MCPBASH_MAX_TOOL_OUTPUT_SIZE=1000
`))
	is.Equal(cmp.Diff(all, []string{"server: MCPBASH_MAX_TOOL_OUTPUT_SIZE=1000", "API_URL=https://example.com", "API_HOME=/home/me/api", "MODE=fast-er"}), "")
	is.Equal(len(warnings), 0)
}

func TestTheEnvironmentWins(t *testing.T) {
	is := is.New(t)
	all, warnings := set(t, of(t, "REGION=there\nMCPBASH_PAGE_SIZE=9\nREGION=\"${REGION:-x}\"\nHOME=/\n"))
	is.Equal(len(all), 0)      // tools get the operator's values
	is.Equal(len(warnings), 2) // a warning for each line: tools do not get these
	is.True(strings.HasPrefix(warnings[0], "server.d/env.sh:1: REGION is ignored: the environment of the server sets it too, but does not pass it to tools; "))
	f := of(t, "REGION=${REGION:-there}\n")
	f.Server = []string{"REGION="}
	f.Env = func() []string { return f.Server }
	all, _ = set(t, f)
	is.Equal(all, []string{"REGION=there"}) // an empty variable counts as unset
}

func TestAnOlderNameIsAsGoodAsTheNewerOne(t *testing.T) {
	is := is.New(t)
	f := of(t, "MAX_PROGRESS_PER_MIN=9\nMCPBASH_LOG_LEVEL_DEFAULT=debug\nPAGE_SIZE=9\nMCPBASH_DEFAULT_TOOL_TIMEOUT=60\n")
	f.Server = append(f.Server, "DEFAULT_TOOL_TIMEOUT=5")
	all, warnings := set(t, f)
	is.Equal(cmp.Diff(all, []string{
		"server: MCPBASH_LOG_LEVEL=debug", "server: MCPBASH_MAX_PROGRESS_PER_MIN=9", // what the operator sets stays, by either name
		"MAX_PROGRESS_PER_MIN=9", "PAGE_SIZE=9", // tools may have their own
	}), "")
	is.Equal(len(warnings), 0)
}

func TestWithoutAFileNothingIsSet(t *testing.T) {
	is := is.New(t)
	f := of(t, "")
	is.NoErr(os.Remove(filepath.Join(f.ServerDir, "env.sh")))
	all, warnings := set(t, f)
	is.Equal(len(all)+len(warnings), 0)
}

func TestAFileCalledDebugSetsTheLogLevelIfNothingElseDoes(t *testing.T) {
	is := is.New(t)
	f := of(t, "")
	is.NoErr(os.WriteFile(filepath.Join(f.ServerDir, ".debug"), nil, 0o600))
	all, _ := set(t, f)
	is.Equal(all, []string{"server: MCPBASH_LOG_LEVEL=debug"})
	f.Server = append(f.Server, "MCPBASH_LOG_LEVEL=error")
	all, _ = set(t, f)
	is.Equal(len(all), 0) // set by the environment
	f = of(t, "MCPBASH_LOG_LEVEL=warning\n")
	is.NoErr(os.WriteFile(filepath.Join(f.ServerDir, ".debug"), nil, 0o600))
	all, _ = set(t, f)
	is.Equal(all, []string{"server: MCPBASH_LOG_LEVEL=warning"}) // set by env.sh
}

func TestAProjectCannotSetItsOwnSecurity(t *testing.T) {
	is := is.New(t)
	text := ""
	guards := []string{
		"MCPBASH_ALLOW_PROJECT_HOOKS", "MCPBASH_TOOL_ALLOWLIST", "MCPBASH_TOOL_ALLOW_DEFAULT", "MCPBASH_TOOL_ENV_MODE",
		"MCPBASH_TOOL_ENV_INHERIT_ALLOW", "MCPBASH_PROVIDER_ENV_INHERIT_ALLOW", "MCPBASH_HTTPS_ALLOW_ALL", "MCPBASH_HTTPS_ALLOW_HOSTS",
		"MCPBASH_ENABLE_GIT_PROVIDER", "MCPBASH_REMOTE_TOKEN", "MCPBASH_STATE_KEY_FILE", "MCPBASH_STATE_DIR", "MCPBASH_TOOLS_DIR",
		"MCPBASH_ROOTS", "MCP_RESOURCES_ROOTS", "MCP_ROOTS", "MCP_TOOL_NAME", "MCP_REGISTRY_TOKEN", "MCP_CHANNEL",
	}
	for _, name := range guards {
		text += name + "=true\n"
	}
	f := of(t, text+"OTHER=1\nMCPBASH_MINE=2\n")
	all, warnings := set(t, f)
	is.Equal(all, []string{"OTHER=1", "MCPBASH_MINE=2"}) // the rest applies
	is.Equal(len(warnings), len(guards))
	is.Equal(warnings[1], "server.d/env.sh:2: MCPBASH_TOOL_ALLOWLIST is ignored: only the operator can set it, in the environment of the server")
}

func TestAProjectCannotChangeHowProgramsStart(t *testing.T) {
	for _, name := range []string{"PATH", "Path", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "IFS", "PS4", "SHELLOPTS"} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			all, warnings := set(t, of(t, name+"=x\n"))
			is.Equal(len(all), 0)
			is.Equal(warnings, []string{"server.d/env.sh:1: " + name + " is ignored: it changes how programs start"})
		})
	}
}

func TestAssignmentsCannotUseVariablesHiddenFromTools(t *testing.T) {
	is := is.New(t)
	all, warnings := set(t, of(t, "A=1\nB=$SECRET\n"))
	is.Equal(len(all), 0)
	is.True(strings.HasPrefix(warnings[0], "server.d/env.sh:2: B: $SECRET is not set here; "))
	all, _ = set(t, of(t, "B=${SECRET:-none}\n"))
	is.Equal(all, []string{"B=none"})
}

func TestOtherStatementsNeedTheOperatorsPermission(t *testing.T) {
	is := is.New(t)
	all, warnings := set(t, of(t, "A=1\n\nset -e\nB=$(id)\n"))
	is.Equal(len(all), 0) // not even the valid assignments
	is.Equal(warnings, []string{`server.d/env.sh:3: commands are not run; write NAME="value"; the file is ignored. ` +
		`Set MCPBASH_ALLOW_PROJECT_HOOKS=true to run it as a script`})
}

func TestWithTheOperatorsPermissionItIsRun(t *testing.T) {
	is := is.New(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed, so env.sh cannot run")
	}
	f := of(t, `set -eu
echo noise
A=$(echo two words)
printf -v B 'a\nb'
IFS=x
REGION=there
PATH=$PATH:/nowhere
MCPBASH_ALLOW_PROJECT_HOOKS=true
MCPBASH_LOG_LEVEL=debug
C=${SECRET:-none}
f() { :; }
`)
	f.Bash, f.Rules = func() string { return bash }, hooks.Rules{Allowed: true}
	all, warnings := set(t, f)
	slices.Sort(all)
	is.Equal(cmp.Diff(all, []string{"A=two words", "B=a\nb", "C=none", "server: MCPBASH_LOG_LEVEL=debug"}), "")
	slices.Sort(warnings)
	is.Equal(cmp.Diff(warnings, []string{
		"server.d/env.sh: MCPBASH_ALLOW_PROJECT_HOOKS is ignored: only the operator can set it, in the environment of the server",
		"server.d/env.sh: PATH is ignored: it changes how programs start",
		"server.d/env.sh: REGION is ignored: the environment of the server sets it too, but does not pass it to tools; add it to MCPBASH_TOOL_ENV_ALLOWLIST with MCPBASH_TOOL_ENV_MODE=allowlist, or unset it there",
	}), "")

	for text, want := range map[string]string{
		"A=1\nfalse":               "server.d/env.sh: ended with exit code 1; its variables are ignored",
		"echo oh no >&2\nexit 3":   "server.d/env.sh: ended with exit code 3: oh no; its variables are ignored",
		"A=$(echo 1)\nif; then fi": "its variables are ignored",
	} {
		broken := of(t, text)
		broken.Bash, broken.Rules = f.Bash, f.Rules
		all, warnings := set(t, broken)
		is.Equal(len(all), 0)
		is.True(strings.HasSuffix(warnings[0], want)) // gives the reason
	}
}

func TestAFileThatOthersCanWriteIsNotRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no mode that lets other users write a file")
	}
	is := is.New(t)
	f := of(t, "A=1\n")
	path := filepath.Join(f.ServerDir, "env.sh")
	is.NoErr(os.Chmod(path, 0o666))
	all, warnings := set(t, f)
	is.Equal(len(all), 0)
	is.True(strings.HasPrefix(warnings[0], "server.d/env.sh is ignored: ")) // gives the reason
	is.True(strings.Contains(warnings[0], "chmod go-w"))                    // and the remedy
	is.NoErr(os.Rename(path, path+".real"))
	is.NoErr(os.Symlink(path+".real", path))
	_, warnings = set(t, f)
	is.True(strings.Contains(warnings[0], "symbolic link"))
}
