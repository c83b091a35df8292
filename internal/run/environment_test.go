package run

import (
	"strings"
	"testing"

	"github.com/matryer/is"
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
