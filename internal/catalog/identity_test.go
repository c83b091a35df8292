package catalog

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"
)

// identity returns the identity of a project called weather-report.
func identity(t *testing.T, archive string) (id Identity, faults, root string) {
	t.Helper()
	root = filepath.Join(folderOf(t, "-- weather-report/x --\n"), "weather-report")
	for part := range strings.SplitSeq("\n"+archive, "\n-- ") {
		if name, text, ok := strings.Cut(part, " --\n"); ok {
			put(t, root, name, text)
		}
	}
	id, all := opened(t, root, Options{}).Identity()
	return id, lines(all), root
}

func TestAnIdentityFromMetadata(t *testing.T) {
	is := is.New(t)
	id, faults, root := identity(t, `
-- server.d/server.meta.json --
{"name": "weather", "title": "Weather!", "version": "1.2.3", "description": "All weather.",
 "websiteUrl": "https://example.com", "icons": [{"src": "icon.svg"}], "author": {"name": "x"}, "_meta": {}}
-- server.d/server.instructions.md --

Ask for one city at a time.
C:\weather

-- icon.svg --
<svg/>
`)
	is.Equal(faults, "")
	is.True(strings.HasPrefix(string(id.Metadata), `{"name":"weather",`)) // on one line
	is.True(strings.HasSuffix(string(id.Metadata), `"_meta":{}}`))        // with what bundles need
	want := Identity{
		Described: Described{Name: "weather", Title: "Weather!", Description: "All weather.",
			Icons:        []byte(`[{"src":"data:image/svg+xml;base64,PHN2Zy8+Cg=="}]`),
			MetadataFile: filepath.Join(root, "server.d", "server.meta.json"), Metadata: id.Metadata},
		Version: "1.2.3", WebsiteURL: "https://example.com",
		Instructions: "Ask for one city at a time.\nC:\\weather",
	}
	is.Equal(cmp.Diff(want, id), "")
}

func TestAnIdentityFromNothing(t *testing.T) {
	is := is.New(t)
	id, faults, _ := identity(t, "")
	is.Equal(faults, "")
	is.Equal(cmp.Diff(Identity{Described: Described{Name: "weather-report", Title: "Weather Report"}, Version: "0.0.0"}, id), "")
}

func TestAnIdentityInYAML(t *testing.T) {
	is := is.New(t)
	id, faults, _ := identity(t,
		"-- server.d/server.meta.yaml --\n# ours\nname: élan_vital\nversion: \"1.20\"\n-- server.d/server.meta.yml --\nname: no\n")
	is.Equal(id.Name+"|"+id.Title+"|"+id.Version, "élan_vital|Élan Vital|1.20")
	is.Equal(faults, "server.d/server.meta.yml: has no effect beside server.meta.yaml; keep one of the two")
}

func TestWhereTheVersionComesFrom(t *testing.T) {
	const (
		meta    = "-- server.d/server.meta.json --\n{\"version\": \"1\"}\n"
		version = "-- VERSION --\n\n2 \nrest\n"
		pack    = "-- package.json --\n{\"version\": \"3\", \"dependencies\": {}}\n"
	)
	cases := []struct{ name, files, version, faults string }{
		{"metadata first", meta + version + pack, "1", ""},
		{"then VERSION", version + pack, "2", ""},
		{"then package.json", pack, "3", ""},
		{"not from an empty VERSION", "-- VERSION --\n\n" + pack, "3",
			"VERSION: has no version in its first line; write one, as in 1.0.0"},
		{"not from a program called VERSION", "-- VERSION --\n\x00\x01\n" + pack, "3",
			"VERSION: has no version in its first line; write one, as in 1.0.0"},
		{"not from a long VERSION", "-- VERSION --\n" + strings.Repeat("1", versionBytes+1) + "\n", "0.0.0",
			"VERSION: has more than 1024 bytes"},
		{"not from a folder", "-- VERSION/x --\n", "0.0.0", ""},
		{"not from a broken package.json", "-- package.json --\n{\n", "0.0.0",
			"package.json:1: is not valid JSON: it ends too early; close what is open"},
		{"not from a wrong one", "-- package.json --\n{\"version\": 3}\n", "0.0.0",
			`package.json:1: version: must be a string, not a number; write "3"`},
		{"not from one without", "-- package.json --\n{}\n", "0.0.0", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			id, faults, _ := identity(t, c.files)
			is.Equal(id.Version, c.version)
			is.Equal(faults, c.faults)
		})
	}
}

func TestABrokenIdentityIsNoDeadServer(t *testing.T) {
	cases := []struct{ name, files, identity, faults, icons string }{
		{"no JSON", "-- server.d/server.meta.json --\n{\"name\": \"x\",\n", "weather-report|0.0.0|",
			"server.d/server.meta.json:1: is not valid JSON: it ends too early; close what is open", ""},
		{"a wrong field", "-- server.d/server.meta.json --\n{\"name\": \"x\",\n\"version\": 1.20, \"description\": \"d\", \"websiteurl\": \"\"}\n", "x|0.0.0|d",
			"server.d/server.meta.json:2: version: must be a string, not a number; write \"1.20\"\n" +
				"server.d/server.meta.json:2: websiteurl: is not a known field, so it has no effect; did you mean websiteUrl?", ""},
		{"no YAML", "-- server.d/server.meta.yaml --\nname: x\nversion: [\n", "weather-report|0.0.0|",
			"server.d/server.meta.yaml:3: is not valid YAML: did not find expected node content", ""},
		{"a wrong icon", "-- server.d/server.meta.json --\n{\"icons\": [1, {\"src\": \"https://x/a.png\"}]}\n",
			"weather-report|0.0.0|",
			"server.d/server.meta.json:1: icons.0: must be an object, not a number; write {\"src\":\"icon.png\"}",
			`[{"src":"https://x/a.png"}]`},
		{"long instructions", "-- server.d/server.instructions.md --\n" + strings.Repeat("x", instructionsBytes+1),
			"weather-report|0.0.0|",
			"server.d/server.instructions.md: has more than 262144 bytes", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			id, faults, _ := identity(t, c.files)
			is.Equal(id.Name+"|"+id.Version+"|"+id.Description, c.identity) // what could be read, and defaults
			is.Equal(faults, c.faults)
			is.Equal(string(id.Icons), c.icons)
		})
	}
}

func TestInstructionsThatAreNoText(t *testing.T) {
	is := is.New(t)
	id, faults, _ := identity(t, "-- server.d/server.instructions.md --\n\uFEFFa\xffb\n")
	is.Equal(id.Instructions, "a\uFFFDb") // no message could carry the byte
	is.Equal(faults, "server.d/server.instructions.md: is not valid UTF-8; save it as UTF-8")
}

func TestAnotherServerFolder(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- etc/server.meta.json --\n{\"name\":\"x\"}\n")
	id, _ := opened(t, root, Options{Folders: Folders{Server: "etc"}}).Identity()
	is.Equal(id.Name, "x")
}

func TestTheIdentityIsReadAnew(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	p := opened(t, root, Options{})
	for _, name := range []string{"a", "b"} {
		put(t, root, "server.d/server.meta.json", `{"name":"`+name+`"}`)
		id, _ := p.Identity()
		is.Equal(id.Name, name)
	}
}

func TestTitles(t *testing.T) {
	for name, want := range map[string]string{
		"weather": "Weather", "weather-report": "Weather Report", "a_b c": "A B C", "myAPI": "MyAPI", "über-x": "Über X",
		"-": "-",
	} {
		is := is.New(t)
		is.Equal(titleOf(name), want)
	}
}

func TestTheDefaultsAreWhatHoldsWithoutMetadata(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- VERSION --\n1.2.3\n-- server.d/server.meta.json --\n{\"name\":\"x\",\"title\":\"y\",\"version\":\"z\"}\n")
	d := opened(t, root, Options{}).Defaults()
	is.Equal(d.Name, filepath.Base(root)) // of the folder
	is.Equal(d.Title, titleOf(d.Name))
	is.Equal(d.Version, "1.2.3") // of the file VERSION
}
