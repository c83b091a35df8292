package catalog

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// oddValues are values of a wrong type.
var oddValues = []string{
	`null`, `false`, `-1`, `1e999`, `""`, `"a\u0000b"`, `"x y"`, `"../../x"`,
	`[]`, `[null, 1, "x", [], {"name": 1}]`, `{"a": 1, "b": null}`,
	`{"type": "object", "properties": {"a": {"required": true}}}`, `{"properties": 5, "template": 1}`,
}

// sound is a project with an entry of each kind, as its own file, as metadata beside a file, and
// as a registration.
const sound = `
-- server.d/register.json --
{"version": 1, "completions": [
 {"name": "other", "path": "completions/other.sh"},
 {"name": "odd", "path": "completions/odd.sh"FIELD}]}
-- completions/other.sh --
-- completions/odd.sh --
-- tools/other/tool.sh --
-- tools/odd/tool.sh --
-- tools/odd/tool.meta.json --
{"description": "d"FIELD}
-- resources/other.md --
-- resources/odd.md --
-- resources/odd.meta.json --
{"description": "d"FIELD}
-- resources/shape.meta.json --
{"name": "shape", "uriTemplate": "x:{y}"FIELD}
-- resources/others.meta.json --
{"name": "others", "uriTemplate": "z:{y}"}
-- prompts/other.md --
-- prompts/odd.md --
-- prompts/odd.meta.json --
{"description": "d"FIELD}
-- ui/odd/index.html --
-- ui/odd/ui.meta.json --
{"description": "d"FIELD}
-- ui/other/index.html --
`

func TestAToolWithABrokenRestrictionIsNotServed(t *testing.T) {
	for _, field := range restricting() {
		for _, value := range []string{`"soon"`, `[{}]`, `-1`, `1e999`} {
			is := is.New(t)
			s := found(t, fmt.Sprintf("-- tools/a.sh --\n-- tools/a.meta.json --\n{\"description\":\"d\",\n%q: %s}\n-- tools/b.sh --\n", field, value))
			is.Equal(names(s), "b")
			is.True(!s.Faults[0].Warning)
			is.True(strings.HasPrefix(s.Faults[0].String(), "tools/a.meta.json:2: "+field+": ")) // file, line and field
		}
	}
}

func TestAToolWithABrokenHintHasTheStrictestSandbox(t *testing.T) {
	is := is.New(t)
	tool := found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{\"annotations\": {\"readOnlyHint\": \"yes\"}}\n").Items[0]
	is.True(tool.ReadOnly && tool.ClosedWorld) // the operator may run it in the sandbox of its hints
}

// oddFields are all fields of all kinds, and an unknown one.
func oddFields() []string {
	all := slices.Concat(toolFields().names(), resourceFields().names(), templateFields().names(), promptFields().names(),
		interfaceFields().names(), serverFields.names(), []string{"metadata", "nobody's"})
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(f string) bool {
		if slices.Contains(restricting(), f) {
			return true
		}
		// no program is run with other words than its author wrote: TestAToolWithABrokenCommandLineIsNotServed
		if f == "argv" || f == "stdin" {
			return true
		}
		return f == "description" || f == "uriTemplate" || f == "path" // they are there, or needed
	})
}

func TestAnOddValueOfAnyFieldTakesNoEntryOut(t *testing.T) {
	for _, field := range oddFields() {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			text := sound
			if field == "name" { // it is there once
				text = strings.NewReplacer(`odd.sh"FIELD`, `odd.sh"`, `"name": "shape", `, ``).Replace(text)
			}
			root := folderOf(t, text)
			changing := map[string]string{"server.d/server.meta.json": `{"description": "d"FIELD}`}
			for part := range strings.SplitSeq(text, "\n-- ") {
				if name, contents, _ := strings.Cut(part, " --\n"); strings.Contains(contents, "FIELD") {
					changing[name] = contents
				}
			}
			for _, value := range oddValues {
				if field == "name" && slices.Contains([]string{`"x y"`, `"ü"`, `"system"`, `"../../x"`}, value) {
					continue // names that all of them would have
				}
				is := is.New(t)
				written := fmt.Sprintf(", %q: %s", field, value)
				for name, text := range changing { // the other files are as they were
					put(t, root, name, strings.ReplaceAll(text, "FIELD", written))
				}
				p := opened(t, root, Options{})
				counts := []int{
					len(all(t, p.Tools).Items), len(all(t, p.Resources).Items), len(all(t, p.Prompts).Items),
					len(all(t, p.Templates).Items), len(all(t, p.Completers).Items),
				}
				want := []int{2, 4, 2, 2, 2}
				if field == "name" { // templates need one
					want[3] = 1
				}
				if fmt.Sprint(counts) != fmt.Sprint(want) {
					t.Errorf("%s %s: %v of %v entries; %s", field, value, counts, want, allFaults(t, p))
				}
				is.True(!slices.ContainsFunc(snapshot(t, p).Items, func(tool *Tool) bool {
					return !tool.InputSchema.IsValid() || tool.Meta != nil && !tool.Meta.IsValid() || tool.Annotations != nil &&
						!tool.Annotations.IsValid()
				})) // what clients are shown is JSON
				id, _ := p.Identity()
				is.True(id.Name != "" && id.Title != "")
				is.Equal(filepath.Base(p.Root()), filepath.Base(root))
			}
		})
	}
}
