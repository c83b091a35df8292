package bundle

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"
)

func TestTheManifestTellsWhatTheServerOffers(t *testing.T) {
	is := is.New(t)
	b, err := Make(source(t, folder(t, map[string]string{
		"server.d/server.meta.json":        `{"name":"weather","title":"Weather","description":"Tells the weather","websiteUrl":"https://w.example/","author":{"name":"Eve","url":"https://e.example/"},"repository":"https://r.example/w"}`,
		"VERSION":                          "2.0.0\n",
		"tools/now/tool.sh":                hello,
		"tools/now/tool.meta.json":         `{"name":"weather_now","description":"Of today"}`,
		"tools/broken/tool.sh":             hello,
		"tools/broken/tool.meta.json":      `{`,
		"prompts/plan.txt":                 "Plan {{ days }} days in {{city}}, not {{other}}",
		"prompts/plan.meta.json":           `{"name":"plan","description":"A plan","arguments":[{"name":"days"},{"name":"city"}]}`,
		"prompts/printed/prompt.sh":        hello,
		"prompts/printed/prompt.meta.json": `{"name":"printed"}`,
		"mcpb.conf":                        "MCPB_LICENSE=MIT\nMCPB_KEYWORDS='rain sun'\nMCPB_COMPAT_CLAUDE_DESKTOP='>=1.0.0'\nMCPB_RUNTIME_PYTHON='>=3.8'\nMCPB_LONG_DESCRIPTION_FILE=LONG.md",
		"LONG.md":                          "# Weather",
	})))
	is.NoErr(err)
	want := Manifest{
		ManifestVersion: "0.3", Name: "weather", DisplayName: "Weather", Version: "2.0.0",
		Description: "Tells the weather", LongDescription: "# Weather", License: "MIT", Keywords: []string{"rain", "sun"},
		Author: Author{Name: "Ada", URL: "https://e.example/"}, Homepage: "https://w.example/", Repository: &Repository{"git", "https://r.example/w"},
		Tools:            []Tool{{"weather_now", "Of today"}},
		Prompts:          []Prompt{{"plan", "A plan", []string{"days", "city"}, "Plan ${arguments.days} days in ${arguments.city}, not {{other}}"}},
		PromptsGenerated: true, // one is a script
		Compatibility:    &Compatibility{">=1.0.0", []Platform{here}, &Runtimes{Python: ">=3.8"}},
		Server: Server{"binary", here.program(), Launch{Command: Command{
			"${__dirname}/" + here.program(), []string{"serve"}, map[string]string{"MCPBASH_PROJECT_ROOT": "${__dirname}/project/demo"},
		}}},
	}
	is.Equal(cmp.Diff(want, b.Manifest), "") // the tool that the server leaves out is not told
	data, err := b.Manifest.JSON()
	is.NoErr(err)
	again, err := ParseManifest(data)
	is.NoErr(err)                             // it can be read
	is.Equal(cmp.Diff(b.Manifest, again), "") // and says the same
}

func TestSecretsAndRubbishStayOut(t *testing.T) {
	is := is.New(t)
	b, err := Make(source(t, folder(t, map[string]string{
		"tools/a/tool.sh":      hello,
		"tools/a/.env":         "TOKEN=1",
		"tools/a/.env.sample":  "TOKEN=",
		"tools/a/tls.key":      "x",
		"tools/.git/config":    "x",
		"tools/a/tool.sh~":     "x",
		".registry/tools.json": "{}",
		".mcp-bash/mcp-bash":   "x",
		"lib/shared.sh":        "x",
		"data/one.csv":         "1",
		"data/ca.pem":          "x",
		"notes/private.txt":    "x",
		"node_modules/x.js":    "x",
		"mcpb.conf":            "MCPB_INCLUDE='data data/ca.pem'",
	})))
	is.NoErr(err)
	want := map[string]bool{
		"manifest.json": true, here.program(): true,
		"project/demo/tools/a/tool.sh": true, "project/demo/tools/a/.env.sample": true, "project/demo/lib/shared.sh": true,
		"project/demo/data/one.csv": true, "project/demo/data/ca.pem": true, // named by its author
	}
	is.Equal(cmp.Diff(want, b.paths()), "")
	is.Equal(strings.Join(b.LeftOut, " "), "tools/a/.env tools/a/tls.key")
}

func TestIncludedPathsStayInTheProject(t *testing.T) {
	for include, want := range map[string]string{
		"../x":   `MCPB_INCLUDE: "../x" must be a path below the project`,
		"/etc":   `MCPB_INCLUDE: "/etc" must be a path below the project`,
		".":      `MCPB_INCLUDE: "." must be a path below the project`,
		"a/../.": `MCPB_INCLUDE: "." must be a path below the project`,
		".git":   `MCPB_INCLUDE: .git is never part of a bundle`,
		"absent": `MCPB_INCLUDE: absent is not in the project`,
	} {
		t.Run(include, func(t *testing.T) {
			is := is.New(t)
			_, err := Make(source(t, folder(t, map[string]string{"tools/a/tool.sh": hello, ".git/HEAD": "x", "mcpb.conf": "MCPB_INCLUDE=" + include})))
			is.True(err != nil) // it is refused
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say %q", err, want)
			}
		})
	}
}

func TestLinksMayPointWithinTheProjectOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	is := is.New(t)
	root := folder(t, map[string]string{"tools/a/tool.sh": hello, "shared/x.sh": "x"})
	is.NoErr(os.Symlink("../../shared/x.sh", filepath.Join(root, "tools/a/x.sh")))
	is.NoErr(os.Symlink("../../shared", filepath.Join(root, "tools/a/shared")))
	is.NoErr(os.WriteFile(filepath.Join(root, ".env"), []byte("TOKEN=1"), 0o600))
	is.NoErr(os.Symlink("../../.env", filepath.Join(root, "tools/a/settings")))
	b, err := Make(source(t, root))
	is.NoErr(err)
	is.True(b.paths()["project/demo/tools/a/x.sh"])            // a copy of the file
	is.True(b.paths()["project/demo/tools/a/shared/x.sh"])     // and of the folder
	is.Equal(strings.Join(b.LeftOut, " "), "tools/a/settings") // a secret is one by any name

	is.NoErr(os.Symlink("/etc/hostname", filepath.Join(root, "tools/a/host")))
	is.NoErr(os.Symlink("..", filepath.Join(root, "tools/a/up")))
	is.NoErr(os.Symlink("nowhere", filepath.Join(root, "tools/a/broken")))
	s := source(t, root)
	_, err = Make(s)
	is.True(err != nil) // none of them is packed
	for _, want := range []string{"tools/a/up is a link to a folder that it lies in", "tools/a/host", "tools/a/broken"} {
		is.True(strings.Contains(err.Error(), want)) // each is named
	}
}

func TestTheSameProjectMakesTheSameBytes(t *testing.T) {
	is := is.New(t)
	files := map[string]string{"tools/a/tool.sh": hello, "tools/b/tool.sh": hello, "server.d/server.meta.json": `{"description":"d"}`}
	write := func() []byte {
		b, err := Make(source(t, folder(t, files)))
		is.NoErr(err)
		b.Files = b.Files[1:] // without the program, for speed
		var out bytes.Buffer
		steps := 0
		is.NoErr(b.Write(&out, func() { steps++ }))
		is.Equal(steps, len(b.Files)) // one for each file
		return out.Bytes()
	}
	is.True(bytes.Equal(write(), write())) // from two folders, at two times
}

func TestSettingsBecomeVariablesThatReachTheScripts(t *testing.T) {
	is := is.New(t)
	b, err := Make(source(t, folder(t, map[string]string{
		"tools/a/tool.sh":           hello,
		"settings.json":             `{"token":{"type":"string","title":"Token","description":"d"},"hooks":{"type":"boolean","title":"Hooks","description":"d"},"idle":{"type":"string","title":"Idle","description":"d"}}`,
		"mcpb.conf":                 "MCPB_USER_CONFIG_FILE=settings.json\nMCPB_USER_CONFIG_ENV_MAP='token=API_TOKEN hooks=MCPBASH_ALLOW_PROJECT_HOOKS'\nMCPB_USER_CONFIG_ARGS_MAP=idle",
		"server.d/server.meta.json": `{"description":"d","platform_overrides":{"` + string(here) + `":{"env":{"LANG":"C"}}}}`,
	})))
	is.NoErr(err)
	want := map[string]string{
		"MCPBASH_PROJECT_ROOT":           "${__dirname}/project/demo",
		"API_TOKEN":                      "${user_config.token}",
		"MCPBASH_ALLOW_PROJECT_HOOKS":    "${user_config.hooks}",
		"MCPBASH_TOOL_ENV_MODE":          "allowlist",
		"MCPBASH_TOOL_ENV_ALLOWLIST":     "API_TOKEN",
		"MCPBASH_PROVIDER_ENV_MODE":      "allowlist",
		"MCPBASH_PROVIDER_ENV_ALLOWLIST": "API_TOKEN",
	}
	is.Equal(cmp.Diff(want, b.Manifest.Server.Config.Env), "")
	want["LANG"] = "C"
	is.Equal(cmp.Diff(want, b.Manifest.Server.Config.PlatformOverrides[here].Env), "") // it replaces the other as a whole
	is.Equal(len(b.Warnings), 2)                                                       // idle reaches nobody, neither as an argument
	for _, w := range b.Warnings {
		is.True(strings.Contains(w, "idle"))
	}
}

func TestImagesAndTranslationsBecomeAssets(t *testing.T) {
	is := is.New(t)
	b, err := Make(source(t, folder(t, map[string]string{
		"tools/a/tool.sh":   hello,
		"icon.png":          "png",
		"server.d/dark.png": "png",
		"shots/one.png":     "png",
		"lang/en-US.json":   "{}",
		"lang/de.json":      "{}",
		"server.d/server.meta.json": `{"description":"d","icons":[{"src":"dark.png","sizes":["any","64x64"],"theme":"dark"},{"src":"https://i.example/i.png","size":"16x16"},{"src":"dark.png"}],
			"screenshots":["shots/one.png"],"localization":{"resources":"lang/${locale}.json","default_locale":"en-US"},"_meta":{"com.example":{"a":1}}}`,
	})))
	is.NoErr(err)
	m := b.Manifest
	is.Equal(m.Icon, "assets/icon.png")
	is.Equal(cmp.Diff([]Icon{{"assets/server.d/dark.png", "64x64", "dark"}, {"https://i.example/i.png", "16x16", ""}}, m.Icons), "")
	is.Equal(m.Screenshots[0], "assets/shots/one.png")
	is.Equal(m.Localization.Resources, "assets/lang/${locale}.json")
	is.Equal(string(m.Meta), `{"com.example":{"a":1}}`)
	for _, path := range []string{"assets/icon.png", "assets/server.d/dark.png", "assets/shots/one.png", "assets/lang/de.json", "assets/lang/en-US.json"} {
		is.True(b.paths()[path]) // it is in the bundle
	}
	is.Equal(len(b.Warnings), 1) // the icon without a size
}

func TestWhatIsMissingIsToldAllAtOnce(t *testing.T) {
	is := is.New(t)
	s := source(t, folder(t, map[string]string{"tools/a/tool.sh": hello, "server.d/server.meta.json": `{"name":"my server","websiteUrl":"nope"}`}))
	s.Author = Author{Email: "x"}
	_, err := Make(s)
	is.True(err != nil)
	for _, want := range []string{`name "my server"`, "author.name is missing; set MCPB_AUTHOR_NAME", `author.email "x"`, `homepage "nope" is no URL`} {
		is.True(strings.Contains(err.Error(), want)) // and what to do
	}
}

func TestAProgramOfAnotherSystemIsRefused(t *testing.T) {
	is := is.New(t)
	s := source(t, folder(t, map[string]string{"tools/a/tool.sh": hello}))
	other := Darwin
	if here == Darwin {
		other = Linux
	}
	s.Programs[other] = s.Programs[here]
	_, err := Make(s)
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), "not for "+string(other)))
	is.True(strings.Contains(err.Error(), "go build")) // it says how to get one
	s.Programs[other] = filepath.Join(s.Root, "tools/a/tool.sh")
	_, err = Make(s)
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), "is no build of this program"))
}

func TestHooksAndOddVersionsAreWarnedOf(t *testing.T) {
	is := is.New(t)
	b, err := Make(source(t, folder(t, map[string]string{"tools/a/tool.sh": hello, "server.d/policy.sh": "x", "server.d/env.sh": "TOKEN=1", "VERSION": "one", "server.d/server.meta.json": `{"description":"d"}`})))
	is.NoErr(err)
	is.Equal(len(b.Warnings), 3)
	is.True(strings.Contains(b.Warnings[0], "MCPBASH_ALLOW_PROJECT_HOOKS"))
	is.True(strings.Contains(b.Warnings[1], "env.sh goes in"))
	is.True(strings.Contains(b.Warnings[2], `version "one" is none of semver.org`))
}

func TestEachPlatformStartsItsOwnProgram(t *testing.T) {
	is := is.New(t)
	m := &maker{Bundle: &Bundle{}, Source: Source{Root: "/x/demo", Programs: map[Platform]string{Linux: "l", Darwin: "d", Windows: "w"}}}
	m.said.PlatformOverrides = map[Platform]Command{Windows: {Args: []string{"serve", "--x"}}}
	m.launch()
	s := m.Manifest.Server
	is.Equal(s.EntryPoint, "server/darwin/mcp-bash")
	is.Equal(s.Config.Program, "${__dirname}/server/darwin/mcp-bash")
	want := map[Platform]Command{
		Linux:   {Program: "${__dirname}/server/linux/mcp-bash"},
		Windows: {Program: "${__dirname}/server/win32/mcp-bash.exe", Args: []string{"serve", "--x"}},
	}
	is.Equal(cmp.Diff(want, s.Config.PlatformOverrides), "") // and the author's words come on top

	delete(m.Programs, Windows)
	m.launch()
	is.Equal(len(m.Manifest.Server.Config.PlatformOverrides), 1)
	is.True(strings.Contains(m.Warnings[0], "platform_overrides.win32 is left out: the bundle is for darwin, linux"))
}
