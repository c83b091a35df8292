package run

import (
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

func TestSecretsAndTheSettingsOfTheServerDoNotReachTools(t *testing.T) {
	server := []string{
		"PATH=/bin", "HOME=/h", "SECRET=1", "MCP_X=2", "MCPBASH_REMOTE_TOKEN=t", "MCPBASH_PAGE_SIZE=9",
		"EXTRA=3", "MCPBASH_MINE=4", "MCPBASH_IDLE_TIMEOUT=5",
	}
	for _, c := range []struct {
		mode Mode
		want string
	}{
		{Minimal, "PATH=/bin HOME=/h MCP_X=2 MCPBASH_MINE=4"},
		{Allowlist, "PATH=/bin HOME=/h MCP_X=2 EXTRA=3 MCPBASH_MINE=4 MCPBASH_IDLE_TIMEOUT=5"}, // the operator has named it
		{Inherit, "PATH=/bin HOME=/h SECRET=1 MCP_X=2 EXTRA=3 MCPBASH_MINE=4 MCPBASH_IDLE_TIMEOUT=5"},
	} {
		is := is.New(t)
		i := Isolation{
			Mode:     c.mode,
			Allowed:  []string{"EXTRA", "MCPBASH_IDLE_TIMEOUT", "MCPBASH_REMOTE_TOKEN"},
			Secrets:  []string{"MCPBASH_REMOTE_TOKEN"},
			Settings: []string{"MCPBASH_PAGE_SIZE", "MCPBASH_IDLE_TIMEOUT"},
		}
		is.Equal(strings.Join(i.Environment(server), " "), c.want) // c.mode
	}
}

func TestProgramsOfWindowsGetWhatTheyNeedToStart(t *testing.T) {
	is := is.New(t)
	server := []string{
		`Path=C:\Windows`, `SystemRoot=C:\Windows`, `ComSpec=C:\Windows\system32\cmd.exe`, "PATHEXT=.EXE", `TEMP=C:\t`, `TMP=C:\t`, `windir=C:\Windows`,
		`USERPROFILE=C:\u`, `APPDATA=C:\u\r`, `LOCALAPPDATA=C:\u\l`, `ProgramData=C:\d`, `ProgramFiles=C:\f`, `ProgramFiles(x86)=C:\g`,
		"HOMEDRIVE=C:", `HOMEPATH=\u`, "USERNAME=me", "PROCESSOR_ARCHITECTURE=AMD64",
	}
	got := Isolation{system: "windows"}.Environment(append(server, "AWS_SECRET_ACCESS_KEY=x", "OneDrive=x"))
	is.Equal(strings.Join(got, " "), strings.Join(server, " "))
	elsewhere := Isolation{system: "linux"}.Environment([]string{"PATH=/bin", "USERNAME=me", "APPDATA=x"})
	is.Equal(strings.Join(elsewhere, " "), "PATH=/bin")
}

func TestAVariableOfWindowsIsNotGivenMoreThanItHolds(t *testing.T) {
	is := is.New(t)
	is.Equal(Limits{}.inline("linux"), 64<<10)
	is.True(Limits{}.inline("windows")+len("MCP_TOOL_METADATA_JSON=")+1 <= 32767)
	is.Equal(Limits{Inline: 100}.inline("windows"), 100)
	is.Equal(Limits{Inline: 1 << 20}.inline("windows"), Limits{}.inline("windows"))
}

func TestScriptsGetWhoAndWhereTheUserIsInEveryMode(t *testing.T) {
	is := is.New(t)
	server := []string{"USER=ada", "LOGNAME=ada", "TZ=Europe/Berlin", "LANG=de_DE.UTF-8", "LC_CTYPE=UTF-8", "LC_TIME=C"}
	is.Equal(Isolation{Mode: Minimal}.Environment(append(server, "GITHUB_TOKEN=x")), server)
}

func TestCharactersAreLettersForScriptsOfAServerWithoutALocale(t *testing.T) {
	const text = "#!/usr/bin/env bash\nname=Ärger\nprintf '%s of %d' \"${name:0:1}\" ${#name}"
	if len(process.WithLocale(nil)) == 0 {
		t.Skip("no UTF-8 locale is known on this machine")
	}
	is := is.New(t)
	r := newRuntime(t)
	bare := []string{"PATH=" + os.Getenv("PATH")}
	r.Env = func() []string { return bare }
	r.Others = r.Env
	for name, got := range each(t, r, text) {
		is.Equal(name+" "+got, name+" Ä of 5")
	}
}

func TestAMessageThatNamesAVariableOfTheServerGetsAHint(t *testing.T) {
	server := []string{"GITHUB_TOKEN=x", "http_proxy=p", "EMPTY=", "PWD=/", "MCPBASH_REMOTE_TOKEN=t", "GIVEN=1"}
	for message, want := range map[string]string{
		"t.sh: line 2: GITHUB_TOKEN: parameter null or not set": "GITHUB_TOKEN",
		"t.sh: 2: GITHUB_TOKEN: parameter not set":              "GITHUB_TOKEN",
		"t.sh: line 3: http_proxy: unbound variable":            "http_proxy",
		"KeyError: 'GITHUB_TOKEN'":                              "GITHUB_TOKEN",
		"please set $GITHUB_TOKEN.":                             "GITHUB_TOKEN",
		"MY_GITHUB_TOKEN: unbound variable":                     "", // another
		"OTHER: unbound variable":                               "", // which the server does not have either
		"EMPTY: unbound variable":                               "",
		"cannot enter PWD":                                      "",
		"GIVEN is not a number":                                 "", // the script has it
		"MCPBASH_REMOTE_TOKEN: unbound variable":                "", // nobody can pass it on
	} {
		is := is.New(t)
		i := Isolation{Mode: Minimal, Secrets: []string{"MCPBASH_REMOTE_TOKEN"}}
		if want != "" {
			want = "the server has the variable " + want + ", but its scripts do not get it: set X_MODE=allowlist and X_ALLOWLIST=" + want + " in the server's environment"
		}
		is.Equal(i.Hint(server, "X", message, []string{"GIVEN=1"}), want) // message
	}
	is := is.New(t)
	hint := Isolation{Mode: Allowlist}.Hint(server, "X", "GITHUB_TOKEN: unbound variable", nil)
	is.True(strings.HasSuffix(hint, "do not get it: add it to X_ALLOWLIST in the server's environment")) // which has others
}

func TestAScriptThatFailsForWantOfAVariableOfTheServerSaysWhoCanGiveIt(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	var log strings.Builder
	r.Log = slog.New(slog.NewTextHandler(&log, nil))
	hint := func(message string, env []string) string {
		return Isolation{}.Hint([]string{"API_KEY=x"}, "MCPBASH_TOOL_ENV", message, env)
	}
	r.Hint, r.Advice = hint, hint
	for name, got := range each(t, r, "#!/usr/bin/env bash\n: ${API_KEY:?}") {
		if name != "provider" { // its client gets the stderr of the script, the operator the log
			is.True(strings.Contains(got, "MCPBASH_TOOL_ENV_ALLOWLIST=API_KEY")) // the result
		}
	}
	is.Equal(strings.Count(log.String(), "MCPBASH_TOOL_ENV_ALLOWLIST=API_KEY"), 4)
}

func TestVariablesOfAnOuterCallDoNotReachTools(t *testing.T) {
	is := is.New(t)
	outer := []string{"MCP_TOOL_ARGS_FILE=/outer", "MCP_CHANNEL=1:50:/outer", "MCP_X=1"}
	is.Equal(strings.Join(Isolation{Mode: Inherit}.Environment(outer), " "), "MCP_X=1")
}

func TestEveryScriptGetsWhatTheServerSaysInTheSameWay(t *testing.T) {
	const text = "#!/bin/sh\nprintf '%s|%s|%s' \"$MCPBASH_HOME\" \"$MCP_SDK\" \"$MCPBASH_PROJECT_ROOT\""
	is := is.New(t)
	r := newRuntime(t)
	inherited := append(r.Env(), "MCPBASH_HOME=/old", "MCP_SDK=/old", "MCPBASH_PROJECT_ROOT=/old") // of a server around this one
	r.Env = func() []string { return inherited }
	r.Others = r.Env
	home, err := r.Home()
	is.NoErr(err)
	want := home + "|" + home + "/sdk|" + r.Root
	for name, got := range each(t, r, text) {
		is.Equal(name+" "+got, name+" "+want)
	}
}

func TestWhatTheOperatorTellsGitBashOfArgumentsReachesScripts(t *testing.T) {
	is := is.New(t)
	shared := []string{"MSYS2_ARG_CONV_EXCL=/items;--path=", "MSYS2_ENV_CONV_EXCL=A", "MSYS_NO_PATHCONV=1"}
	is.Equal(Isolation{Mode: Minimal}.Environment(append(shared, "MSYS2_OTHER=1")), shared)
}
