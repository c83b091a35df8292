package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

const every = Tools | Resources | Templates | Prompts

// refreshed returns the results of Refresh, list by list.
func refreshed(t testing.TB, p *Project, some Kinds) string {
	t.Helper()
	var all []string
	for _, r := range p.Refresh(t.Context(), some) {
		one := fmt.Sprintf("%v %d", r.List, r.Count)
		if r.Interfaces > 0 {
			one += fmt.Sprintf(" (%d ui)", r.Interfaces)
		}
		if r.Err != nil {
			one += " failed"
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
}

// keeps returns the results of Stored, list by list.
func keeps(p *Project) string {
	var all []string
	for _, k := range p.Stored() {
		one := fmt.Sprintf("%v %d", k.List, k.Count)
		switch {
		case errors.Is(k.Err, fs.ErrNotExist):
			one = fmt.Sprintf("%v missing", k.List)
		case k.Err != nil:
			one = fmt.Sprintf("%v broken", k.List)
		case len(k.Hash) != 64 || k.Modified.IsZero():
			one += " without a hash"
		case k.Interfaces > 0:
			one += fmt.Sprintf(" (%d ui)", k.Interfaces)
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
}

func TestListsAreWrittenAnewWhenAsked(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, rich)
	p := opened(t, root, Options{Folders: Folders{Registry: ".registry"}})
	is.Equal(keeps(p), "tools missing, resources missing, resourceTemplates missing, prompts missing")
	is.Equal(refreshed(t, p, Prompts), "prompts 2") // one list
	is.Equal(keeps(p), "tools missing, resources missing, resourceTemplates missing, prompts 2")
	is.Equal(refreshed(t, p, every), "tools 4, resources 5 (2 ui), resourceTemplates 1, prompts 2")
	is.Equal(keeps(p), "tools 4, resources 5 (2 ui), resourceTemplates 1, prompts 2")
	put(t, root, "tools/more.sh", "")
	is.Equal(refreshed(t, p, Tools), "tools 5") // as the files are now
	is.Equal(p.Stored()[0].Count, 5)
}

func TestAFileThatNobodyCanReadAsAListIsBroken(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":        "{",
		"another format": `{"format_version":2,"items":[]}`,
		"another shape":  `{"format_version":1,"items":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			root := folderOf(t, "")
			put(t, root, ".registry/tools.json", text)
			p := opened(t, root, Options{Folders: Folders{Registry: ".registry"}})
			is.True(strings.HasPrefix(keeps(p), "tools broken, ")) // it is there, and no good
			is.True(!p.Stored()[0].Modified.IsZero())
			is.Equal(refreshed(t, p, Tools), "tools 0")
			is.True(strings.HasPrefix(keeps(p), "tools 0, ")) // mended
		})
	}
}

func TestAListThatCannotBeWrittenHasFailed(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, rich)
	put(t, root, ".registry", "a file in the place of the folder")
	p := opened(t, root, Options{Folders: Folders{Registry: ".registry"}})
	is.Equal(refreshed(t, p, Tools|Prompts), "tools 4 failed, prompts 2 failed")
	is.Equal(refreshed(t, p, Tools), "tools 4 failed") // still
	is.NoErr(os.Remove(filepath.Join(root, ".registry")))
	put(t, root, "tools/more.sh", "")
	is.Equal(refreshed(t, p, Tools), "tools 5") // and no more
}

func TestAPathTellsWhichListsItHasAPartIn(t *testing.T) {
	root := folderOf(t, rich)
	p := opened(t, root, Options{})
	for path, want := range map[string]Kinds{
		"tools":                          Tools | Resources, // for the user interfaces of tools
		"tools/a/tool.sh":                Tools | Resources,
		"resources/deep":                 Resources | Templates,
		"prompts/":                       Prompts,
		"completions":                    Templates | Prompts,
		"ui/board":                       Resources,
		"server.d/register.json":         every,
		".":                              every,
		"docs":                           0,
		"tools2":                         0,
		filepath.Join(root, "prompts/x"): Prompts,
		filepath.Dir(root):               every,
	} {
		t.Run(path, func(t *testing.T) {
			is := is.New(t)
			is.Equal(p.ListsAt(path).String(), want.String())
		})
	}
}
