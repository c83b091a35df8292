package catalog

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAProjectListsTheFoldersOfItsTools(t *testing.T) {
	const at = "config/roots.json:"
	cases := []struct{ name, text, want, faults string }{
		{"folders", `{"roots": [{"path": "data", "name": "Stock"}, {"path": "other"}], "_meta": {}}`,
			"data=Stock other=other", ""},
		{"none", `{"roots": []}`, "", ""},
		{"empty", "\n", "", at + `1: must be an object; write {"roots": [{"path": "data"}]}`},
		{"an array", `[{"path": "data"}]`, "", at + `1: must be an object; write {"roots": [{"path": "data"}]}`},
		{"no JSON", "{\n\"roots\": [\n],\n}", "", at +
			`4: is not valid JSON: invalid character '}' at start of string (expecting '"'); remove the last comma`},
		{"no roots", `{"_meta": 1}`, "", at + `1: roots: is missing; write {"roots": [{"path": "data"}]}`},
		{"texts", "{\"roots\": [\n\"data\",\n{\"path\": \"other\"}]}", "other=other", at +
			`2: roots.0: must be an object, not a string; write {"path": "data"}`},
		{"no array", `{"roots": "data"}`, "", at + "1: roots: must be an array, not a string"},
		{"of a client", "{\"roots\": [\n{\"uri\": \"file:///tmp\"}]}", "",
			at + `2: roots.0.path: is missing; write "path": "data"` + "\n" + at +
				"2: roots.0.uri: is not a known field, so it has no effect; use path and name"},
		{"a number", `{"roots": [{"path": 5, "name": 6}]}`, "",
			at + `1: roots.0.name: must be a string, not a number; write "6"` + "\n" + at +
				`1: roots.0.path: must be a string, not a number; write "5"`},
		{"no folder", "{\"roots\": [{\"path\": \"data\"},\n{\"path\": \"nowhere\"}, {\"path\": \"\"}]}", "data=data",
			at + "2: roots.1.path: is not a folder, so it is left out; write it relative to the project, or absolute\n" +
				at + "2: roots.2.path: is not a folder, so it is left out; write it relative to the project, or absolute"},
		{"another list", `{"root": [], "roots": []}`, "", at +
			"1: root: is not a known field, so it has no effect; use roots"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			root := folderOf(t, "-- data/x --\n-- other/x --\n-- config/roots.json --\n"+c.text+"\n")
			found, faults := opened(t, root, Options{}).Roots()
			var got []string
			for _, r := range found {
				got = append(got, filepath.Base(r.Path)+"="+r.Name)
			}
			is.Equal(strings.Join(got, " "), c.want)
			is.Equal(lines(faults), c.faults)
		})
	}
}

func TestAFileOrFolderInPlaceOfTheListIsNone(t *testing.T) {
	is := is.New(t)
	for _, archive := range []string{"-- x --\n", "-- config --\na file\n", "-- config/roots.json/x --\n"} {
		found, faults := opened(t, folderOf(t, archive), Options{}).Roots()
		is.Equal(len(found)+len(faults), 0)
	}
}
