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
		"server.d/server.meta.json": `{"name":"weather","title":"Weather","description":"Tells the weather",` +
			`"websiteUrl":"https://w.example/","author":{"name":"Eve","url":"https://e.example/"},` +
			`"repository":"https://r.example/w"}`,
		"VERSION":                     "2.0.0\n",
		"tools/now/tool.sh":           hello,
		"tools/now/tool.meta.json":    `{"name":"weather_now","description":"Of today"}`,
		"tools/broken/tool.sh":        hello,
		"tools/broken/tool.meta.json": `{`,
		"prompts/plan.txt":            "Plan {{ days }} days in {{city}}, not {{other}}",
		"prompts/plan.meta.json": `{"name":"plan","description":"A plan","arguments":[{"name":"days"},` +
			`{"name":"city"}]}`,
		"prompts/printed/prompt.sh":        hello,
		"prompts/printed/prompt.meta.json": `{"name":"printed"}`,
		"mcpb.conf": "MCPB_LICENSE=MIT\nMCPB_KEYWORDS='rain sun'\n" +
			"MCPB_COMPAT_CLAUDE_DESKTOP='>=1.0.0'\nMCPB_RUNTIME_PYTHON='>=3.8'\nMCPB_LONG_DESCRIPTION_FILE=LONG.md",
		"LONG.md": "# Weather",
	})))
	is.NoErr(err)
	want := Manifest{
		ManifestVersion: "0.3", Name: "weather", DisplayName: "Weather", Version: "2.0.0",
		Description: "Tells the weather", LongDescription: "# Weather", License: "MIT", Keywords: []string{"rain", "sun"},
		Author: Author{Name: "Ada", URL: "https://e.example/"}, Homepage: "https://w.example/",
		Repository: &Repository{"git", "https://r.example/w"},
		Tools:      []Tool{{"weather_now", "Of today"}},
		Prompts: []Prompt{{
			"plan", "A plan", []string{"days", "city"}, "Plan ${arguments.days} days in ${arguments.city}, not {{other}}",
		}},
		ToolsGenerated:   true, // the server lists them itself
		PromptsGenerated: true,
		Compatibility:    &Compatibility{">=1.0.0", []Platform{here}, &Runtimes{Python: ">=3.8"}},
		Server: Server{"binary", entryPoint, Launch{Command: Command{
			"${__dirname}/" + entryPoint, nil, map[string]string{"MCPBASH_PROJECT_ROOT": "${__dirname}/server"},
		}}},
	}
	is.Equal(cmp.Diff(want, b.Manifest), "") // the tool that the server leaves out is not told
	data, err := b.Manifest.JSON()
	is.NoErr(err)
	again, err := ParseManifest(data)
	is.NoErr(err)                             // it can be read
	is.Equal(cmp.Diff(b.Manifest, again), "") // and says the same
}

func TestFilesThatAreTooLargeTogetherAreRefused(t *testing.T) {
	is := is.New(t)
	root := folder(t, map[string]string{"tools/a.sh": hello, "lib/a": "", "lib/b": ""})
	is.NoErr(os.Truncate(filepath.Join(root, "lib", "a"), 1<<30))
	is.NoErr(os.Truncate(filepath.Join(root, "lib", "b"), 3<<29))
	_, err := Make(source(t, root))
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), "lib/b has 1610612736 bytes; a bundle has at most 2147483648 in all"))
}

func TestSecretsAndRubbishStayOut(t *testing.T) {
	is := is.New(t)
	b, err := Make(source(t, folder(t, map[string]string{
		"tools/a/tool.sh":                 hello,
		"tools/a/.env":                    "TOKEN=1",
		"tools/a/.env.sample":             "TOKEN=",
		"tools/a/tls.key":                 "x",
		"tools/.git/config":               "x",
		"tools/a/tool.sh~":                "x",
		"tools/greet/.greet.adopted.json": "{}",
		".registry/tools.json":            "{}",
		".mcp-bash/mcp-bash":              "x",
		"lib/shared.sh":                   "x",
		"data/one.csv":                    "1",
		"data/ca.pem":                     "x",
		"notes/private.txt":               "x",
		"node_modules/x.js":               "x",
		"mcpb.conf":                       "MCPB_INCLUDE='data data/ca.pem'",
	})))
	is.NoErr(err)
	want := map[string]bool{
		"manifest.json": true, here.program(): true, entryPoint: true, "server/.mcp-bash/bin/mcp-bash": true,
		"server/server.d/server.meta.json": true, // the folder's name, which is another one in a bundle
		"server/tools/a/tool.sh":           true, "server/tools/a/.env.sample": true, "server/lib/shared.sh": true,
		"server/data/one.csv": true, "server/data/ca.pem": true, // named by its author
	}
	is.Equal(cmp.Diff(want, b.paths()), "")
	is.Equal(strings.Join(b.LeftOut, " "), "tools/a/.env tools/a/tls.key")
}

func TestRulesGoInAndNoneIsLeftOut(t *testing.T) {
	is := is.New(t)
	const rule = `{"type":"validation","hooks":[{"events":["tools/call"],"phase":"request"}],"jq":"false"}`
	files := map[string]string{"tools/a/tool.sh": hello, "interceptors/careful/careful.meta.json": rule,
		"interceptors/secrets/secrets.meta.json": rule}
	_, err := Make(source(t, folder(t, files)))
	is.True(err != nil)
	is.Equal(err.Error(), "interceptors/secrets looks like a secret, and without it the rules are "+
		"not those of the project: "+
		"give it another name, or name it in MCPB_INCLUDE")
	files["mcpb.conf"] = "MCPB_INCLUDE=interceptors/secrets"
	b, err := Make(source(t, folder(t, files)))
	is.NoErr(err)
	is.True(b.paths()["server/interceptors/careful/careful.meta.json"])
	is.True(b.paths()["server/interceptors/secrets/secrets.meta.json"])
	is.Equal(len(b.LeftOut), 0)
}

func TestIncludedPathsStayInTheProject(t *testing.T) {
	for include, want := range map[string]string{
		"../x":   "MCPB_INCLUDE rejects path traversal: ../x",
		"a/../.": "MCPB_INCLUDE rejects absolute/relative path: a/../.",
		"a/../b": "MCPB_INCLUDE rejects path traversal: a/../b",
		"/etc":   "MCPB_INCLUDE rejects absolute/relative path: /etc",
		".":      "MCPB_INCLUDE rejects absolute/relative path: .",
		"./data": "MCPB_INCLUDE rejects absolute/relative path: ./data",
		".git":   "MCPB_INCLUDE leaves out .git",
		"absent": "MCPB_INCLUDE directory not found: absent",
		"tools":  "MCPB_INCLUDE overlaps with default: tools",
	} {
		t.Run(include, func(t *testing.T) {
			is := is.New(t)
			files := map[string]string{
				"tools/a/tool.sh": hello, ".git/HEAD": "x", "data/a": "x", "b/b": "x", "mcpb.conf": "MCPB_INCLUDE=" + include,
				"server.d/server.meta.json": `{"name":"demo","description":"d"}`,
			}
			b, err := Make(source(t, folder(t, files)))
			is.NoErr(err)
			is.Equal(len(b.Warnings), 1)
			is.True(strings.HasPrefix(b.Warnings[0], want)) // it is left out, and its author hears of it
			is.True(b.paths()["server/tools/a/tool.sh"])
			is.True(!b.paths()["server/data/a"])
		})
	}
}

func TestTheListsOfTheProjectCanBeIncluded(t *testing.T) {
	is := is.New(t)
	s := source(t, folder(t, map[string]string{
		"tools/a/tool.sh":         hello,
		".registry/commands.json": "{}",
		".registry/tools.json":    "old",
		"mcpb.conf":               "MCPB_INCLUDE=.registry",
	}))
	s.Registry = folder(t, map[string]string{
		"tools.json":              "new",
		"resources.json":          "",
		"resource-templates.json": "",
		"prompts.json":            "",
	})
	b, err := Make(s)
	is.NoErr(err)
	is.True(b.paths()["server/.registry/commands.json"])
	for _, f := range b.Files {
		if f.Path == "server/.registry/tools.json" {
			is.Equal(string(f.Data), "new") // as the project is now
		}
	}
	is.Equal(b.Manifest.Server.Config.Env["MCPBASH_STATIC_REGISTRY"], "1")
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
	is.True(b.paths()["server/tools/a/x.sh"])                  // a copy of the file
	is.True(b.paths()["server/tools/a/shared/x.sh"])           // and of the folder
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
	files := map[string]string{
		"tools/a/tool.sh":           hello,
		"tools/b/tool.sh":           hello,
		"server.d/server.meta.json": `{"description":"d"}`,
	}
	write := func() []byte {
		b, err := Make(source(t, folder(t, files)))
		is.NoErr(err)
		b.Files = b.Files[1:] // without the program, for speed
		var out bytes.Buffer
		steps := 0
		is.NoErr(b.Write(t.Context(), &out, func() { steps++ }))
		is.Equal(steps, len(b.Files)) // one for each file
		return out.Bytes()
	}
	is.True(bytes.Equal(write(), write())) // from two folders, at two times
}

func TestSettingsBecomeVariablesThatReachTheScripts(t *testing.T) {
	is := is.New(t)
	b, err := Make(source(t, folder(t, map[string]string{
		"tools/a/tool.sh": hello,
		"settings.json": `{"token":{"type":"string","title":"Token","description":"d"},` +
			`"hooks":{"type":"boolean","title":"Hooks","description":"d"},"idle":{"type":"string","title":"Idle"},` +
			`"dirs":{"type":"directory","title":"Folders","multiple":true}}`,
		"mcpb.conf": "MCPB_USER_CONFIG_FILE=settings.json\n" +
			"MCPB_USER_CONFIG_ENV_MAP='token=API_TOKEN hooks=MCPBASH_ALLOW_PROJECT_HOOKS'\nMCPB_USER_CONFIG_ARGS_MAP=dirs",
		"server.d/server.meta.json": `{"description":"d","platform_overrides":{"` + string(here) + `":{"env":{"LANG":"C"}}}}`,
	})))
	is.NoErr(err)
	want := map[string]string{
		"MCPBASH_PROJECT_ROOT":           "${__dirname}/server",
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
	is.Equal(cmp.Diff([]string{"${user_config.dirs}"}, b.Manifest.Server.Config.Args), "")
	is.Equal(len(b.Warnings), 2)
	is.True(strings.Contains(b.Warnings[0], "collides with reserved MCPBASH namespace"))
	is.True(strings.Contains(b.Warnings[1], "nothing reads the setting idle"))
	settings, err := ParseSettings(b.Manifest.UserConfig)
	is.NoErr(err)
	is.Equal(settings[2].Key, "idle")
	is.Equal(settings[2].Description, "Idle") // which clients want: its title
}

func TestImagesAndTranslationsKeepTheirPlace(t *testing.T) {
	is := is.New(t)
	b, err := Make(source(t, folder(t, map[string]string{
		"tools/a/tool.sh":   hello,
		"icon.png":          "png",
		"server.d/dark.png": "png",
		"shots/one.png":     "png",
		"lang/en-US.json":   "{}",
		"lang/de.json":      "{}",
		"server.d/server.meta.json": `{"description":"d","icons":[
			{"src":"dark.png","sizes":["any","64x64"],"theme":"dark"},
			{"src":"https://i.example/i.png","size":"16x16"},{"src":"dark.png"}],
			"screenshots":["shots/one.png"],
			"localization":{"resources":"lang/${locale}.json","default_locale":"en-US"},"_meta":{"com.example":{"a":1}}}`,
	})))
	is.NoErr(err)
	m := b.Manifest
	is.Equal(m.Icon, "icon.png")
	icons := []Icon{{"server.d/dark.png", "64x64", "dark"}, {"https://i.example/i.png", "16x16", ""}}
	is.Equal(cmp.Diff(icons, m.Icons), "")
	is.Equal(m.Screenshots[0], "shots/one.png")
	is.Equal(m.Localization.Resources, "lang/${locale}.json")
	is.Equal(string(m.Meta), `{"com.example":{"a":1}}`)
	for _, path := range []string{"icon.png", "server.d/dark.png", "shots/one.png", "lang/de.json", "lang/en-US.json"} {
		is.True(b.paths()[path]) // it is in the bundle
	}
	is.Equal(len(b.Warnings), 1) // the icon without a size
}

func TestWhatIsMissingIsToldAllAtOnce(t *testing.T) {
	is := is.New(t)
	s := source(t, folder(t, map[string]string{
		"tools/a/tool.sh":           hello,
		"server.d/server.meta.json": `{"name":"my server","websiteUrl":"nope"}`,
	}))
	s.Author = Author{Email: "x"}
	_, err := Make(s)
	is.True(err != nil)
	for _, want := range []string{`name "my server"`, `author.email "x"`, `homepage "nope" is not a URL`} {
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
	is.True(strings.Contains(err.Error(), "is not a build of this program"))
}

func TestHooksAndOddVersionsAreWarnedOf(t *testing.T) {
	is := is.New(t)
	b, err := Make(source(t, folder(t, map[string]string{
		"tools/a/tool.sh":           hello,
		"server.d/register.sh":      "x",
		"server.d/policy.sh":        "x",
		"server.d/env.sh":           "TOKEN=1",
		"VERSION":                   "one",
		"server.d/server.meta.json": `{"description":"d"}`,
	})))
	is.NoErr(err)
	is.Equal(len(b.Warnings), 3)
	is.True(strings.Contains(b.Warnings[0], "register.sh runs only with MCPBASH_ALLOW_PROJECT_HOOKS"))
	is.True(strings.Contains(b.Warnings[1], "env.sh goes in"))
	is.True(strings.Contains(b.Warnings[2], `version "one" is not valid semver`))
}

func TestEachPlatformStartsItsOwnProgram(t *testing.T) {
	is := is.New(t)
	programs := map[Platform]string{Linux: "l", Darwin: "d", Windows: "w"}
	m := &maker{Bundle: &Bundle{}, Source: Source{Root: "/x/demo", Programs: programs}}
	m.said.PlatformOverrides = map[Platform]Command{Windows: {Args: []string{"serve", "--x"}}}
	m.launch()
	s := m.Manifest.Server
	is.Equal(s.EntryPoint, "server/run-server.sh") // which finds the program for the system
	is.Equal(s.Config.Program, "${__dirname}/server/run-server.sh")
	want := map[Platform]Command{
		Windows: {Program: "${__dirname}/server/.mcp-bash/win32/mcp-bash.exe", Args: []string{"serve", "--x"}},
	}
	is.Equal(cmp.Diff(want, s.Config.PlatformOverrides), "") // and the author's words come on top

	delete(m.Programs, Windows)
	m.launch()
	want[Windows] = Command{Args: []string{"serve", "--x"}}
	is.Equal(cmp.Diff(want, m.Manifest.Server.Config.PlatformOverrides), "") // an author may know more

	m.Programs = map[Platform]string{Windows: "w"}
	m.said.PlatformOverrides = nil
	m.launch()
	is.Equal(m.Manifest.Server.EntryPoint, "server/.mcp-bash/win32/mcp-bash.exe")
	is.Equal(cmp.Diff(m.Manifest.Server.Config.Args, []string{"serve"}), "")
}

func TestABundleCanBeForAPlatformThatItHasNoProgramFor(t *testing.T) {
	is := is.New(t)
	s := source(t, folder(t, map[string]string{
		"tools/a/tool.sh":           hello,
		"server.d/server.meta.json": `{"name":"demo","description":"d"}`,
	}))
	s.Programs, s.Platforms = nil, []Platform{Darwin}
	b, err := Make(s)
	is.NoErr(err)
	is.Equal(cmp.Diff([]Platform{Darwin}, b.Manifest.Compatibility.Platforms), "")
	is.Equal(len(b.Warnings), 1)
	is.True(strings.Contains(b.Warnings[0], "the bundle has no mcp-bash for darwin"))
}

func TestAnAuthorIsNotNeeded(t *testing.T) {
	is := is.New(t)
	s := source(t, folder(t, map[string]string{
		"tools/a/tool.sh":           hello,
		"server.d/server.meta.json": `{"name":"demo","description":"d"}`,
	}))
	s.Author = Author{}
	b, err := Make(s)
	is.NoErr(err)
	is.Equal(b.Manifest.Author.Name, "Unknown")
	is.Equal(len(b.Warnings), 1)
	is.True(strings.Contains(b.Warnings[0], "nobody is named as the author"))
}

func TestTheServerKeepsItsNameInABundle(t *testing.T) {
	is := is.New(t)
	b, err := Make(source(t, folder(t, map[string]string{
		"tools/a/tool.sh":           hello,
		"server.d/server.meta.json": `{"title":"T"}`,
	})))
	is.NoErr(err)
	for _, f := range b.Files {
		if f.Path == "server/server.d/server.meta.json" {
			is.Equal(string(f.Data), "{\n  \"name\": \"demo\",\n  \"title\": \"T\"\n}\n") // its folder is called server there
			return
		}
	}
	t.Error("the metadata is not in the bundle")
}
