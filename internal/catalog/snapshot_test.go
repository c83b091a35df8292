package catalog

import (
	"errors"
	"fmt"
	"testing"

	"github.com/matryer/is"
)

func TestAListingOfSomeHasAHashOfItsOwn(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n-- tools/b.sh --\n-- tools/secret.sh --\n")
	p := opened(t, root, Options{})
	public := func(one *Tool) bool { return one.Name != "secret" }
	before := snapshot(t, p)
	is.Equal(before.Listing(nil).Hash, before.Hash)
	is.Equal(before.Listing(nil).Collection, "tools")
	is.Equal(before.Listing(func(*Tool) bool { return true }).Hash, before.Hash) // nothing is hidden
	listing := before.Listing(public)
	is.Equal(len(listing.Items), 2)
	is.True(listing.Hash != before.Hash)
	is.Equal(len(before.Items), 3) // the snapshot is left alone

	_, next, err := listing.Page("", 1)
	is.NoErr(err)
	put(t, root, "tools/secret.sh", "# mcp: {\"title\": \"x\"}")
	now := snapshot(t, p)
	is.True(now.Hash != before.Hash)
	page, _, err := now.Listing(public).Page(next, 1)
	is.NoErr(err) // a change in what is hidden ends no cursor
	is.Equal(page[0].Name, "b")
	put(t, root, "tools/b.sh", "# mcp: {\"title\": \"x\"}")
	_, _, err = snapshot(t, p).Listing(public).Page(next, 1)
	is.True(errors.Is(err, ErrInvalidCursor)) // one in what is shown does
}

func TestListsOfOneContentHaveDifferentCollections(t *testing.T) {
	is := is.New(t)
	p := opened(t, t.TempDir(), Options{})
	is.Equal(all(t, p.Resources).Listing(nil).Collection, "resources")
	is.Equal(all(t, p.Templates).Listing(nil).Collection, "resourceTemplates")
	is.Equal(all(t, p.Prompts).Listing(nil).Collection, "prompts")
}

func TestAnEmptyProjectHasEmptyLists(t *testing.T) {
	is := is.New(t)
	p := opened(t, t.TempDir(), Options{})
	is.Equal(lists(t, p), "||||")
	// not none
	is.True(all(t, p.Resources).Items != nil && all(t, p.Templates).Items != nil && all(t, p.Prompts).Items != nil)
}

func TestAVeryLongListIsServedWithAWarning(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	for i := range manyEntries {
		put(t, root, fmt.Sprintf("prompts/p%d.md", i), "")
	}
	p := opened(t, root, Options{})
	is.Equal(faults(all(t, p.Prompts)), "") // 500 are fine
	put(t, root, "prompts/one-more.md", "")
	s := all(t, p.Prompts)
	is.Equal(len(s.Items), manyEntries+1)
	is.Equal(faults(s), "prompts: there are more than 500 prompts; all are served, but lists get slow and models lose their way; "+
		"list those that matter in server.d/register.json")
	is.True(s.Faults[0].Warning)
	is.Equal(sizeWarnings("tools", kindTool, 1, manyBytes+1)[0].String(),
		"tools: the metadata of all tools is more than 100 MiB; shorten descriptions, schemas and icons")
}

func TestTheNamesOfLists(t *testing.T) {
	is := is.New(t)
	is.Equal((Tools | Prompts).String(), "tools, prompts")
	is.Equal((Resources | Templates).String(), "resources, resourceTemplates")
	is.True((Tools | Prompts).Has(Prompts))
	is.True(!Tools.Has(Prompts | Resources))
	is.Equal(Kinds(0).String(), "")
}
