package clients

import (
	"fmt"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// Wrapper returns a bash script that serves the project at root, for clients and users that need a
// single file to start. It runs the mcp-bash on the PATH, or else in ~/.local/bin or MCPBASH_HOME, or
// else at command. With profile it first reads the startup files of the user's shells, so that tools
// have the PATH that they set.
func Wrapper(command, root string, profile bool) string {
	start := ""
	if profile {
		start = `
# What desktop programs do not know of: the PATH and variables of the user's shells. Whatever these
# files print must not reach the client.
for file in .zprofile .zshrc .bash_profile .profile .bashrc; do
	if [[ -r "$HOME/$file" ]]; then
		source "$HOME/$file" </dev/null >/dev/null 2>&1 || true
	fi
done
`
	}
	return fmt.Sprintf(`#!/usr/bin/env bash
# Serves the project below to MCP clients over stdin and stdout. Made by mcp-bash config.
%s
export MCPBASH_PROJECT_ROOT=%s

for program in "$(type -P mcp-bash)" "$HOME/.local/bin/mcp-bash" "${MCPBASH_HOME:-}/bin/mcp-bash" %s; do
	if [[ -x "$program" ]]; then
		exec "$program" "${@:-serve}"
	fi
done
echo "mcp-bash is not installed: put it on the PATH or set MCPBASH_HOME" >&2
exit 127
`, start, console.Quote(root), console.Quote(command))
}

// BatchWrapper is [Wrapper] for cmd.exe on Windows, where clients cannot start bash scripts. It runs
// the mcp-bash on the PATH, or else in MCPBASH_HOME, or else at command.
func BatchWrapper(command, root string) string {
	literal := func(path string) string { return strings.ReplaceAll(path, "%", "%%") }
	text := fmt.Sprintf(`@echo off
rem Serves the project below to MCP clients over stdin and stdout. Made by mcp-bash config.
setlocal DisableDelayedExpansion
set "MCPBASH_PROJECT_ROOT=%s"
set "program="
for %%%%p in (mcp-bash.exe) do set "program=%%%%~$PATH:p"
if not defined program if exist "%%MCPBASH_HOME%%\bin\mcp-bash.exe" set "program=%%MCPBASH_HOME%%\bin\mcp-bash.exe"
if not defined program if exist "%[2]s" set "program=%[2]s"
if not defined program (
	echo mcp-bash is not installed: put it on the PATH or set MCPBASH_HOME 1>&2
	exit /b 127
)
if "%%~1"=="" ("%%program%%" serve) else "%%program%%" %%*
exit /b %%ERRORLEVEL%%
`, literal(root), literal(command))
	return strings.ReplaceAll(text, "\n", "\r\n")
}

// Inspector returns a command line for a shell that opens an entry in the MCP Inspector.
func Inspector(e Entry) string {
	words := []string{"npx", "@modelcontextprotocol/inspector"}
	for _, v := range variables(e.Env) {
		words = append(words, "-e", v.name+"="+console.Quote(v.value.(string)))
	}
	words = append(words, "--transport", "stdio", "--", console.Quote(e.Command))
	for _, arg := range e.Args {
		words = append(words, console.Quote(arg))
	}
	return strings.Join(words, " ")
}
