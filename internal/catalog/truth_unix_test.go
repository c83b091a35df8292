//go:build unix

package catalog

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// titled returns the metadata of a tool with a title.
func titled(title string) string { return fmt.Sprintf(`{"title":%q}`, title) }

// A change is a way to change a list. It returns a function that finds the new text, which differs
// each time.
type change struct {
	name string
	make func(t *testing.T, root, text string) (seen func(p *Project) string)
}

// title finds the title of a tool.
func title(name string) func(p *Project) string {
	return func(p *Project) string {
		one, err := p.Tool(context.Background(), name)
		if err != nil {
			return err.Error()
		}
		s, err := p.Tools(context.Background())
		if err != nil {
			return err.Error()
		}
		for _, listed := range s.Items {
			if listed.Name == name && listed.Title == one.Title {
				return listed.Title
			}
		}
		return "not listed as it is found"
	}
}

func sh(t *testing.T, root, script string, args ...string) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-ec", script, "sh"}, args...)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
}

// listedAs finds in a list the title of an entry by its name, or says that there is none.
func listedAs[T Entry](list func(*Project, context.Context) (Snapshot[T], error), name string,
	title func(T) string) func(*Project) string {
	return func(p *Project) string {
		s, err := list(p, context.Background())
		if err != nil {
			return err.Error()
		}
		for _, e := range s.Items {
			if keyOf(e, byName) == name {
				return title(e)
			}
		}
		return "none"
	}
}

var (
	resourceTitle = func(name string) func(*Project) string {
		return listedAs((*Project).Resources, name, func(r *Resource) string { return r.Title })
	}
	promptTitle = func(name string) func(*Project) string {
		return listedAs((*Project).Prompts, name, func(p *Prompt) string { return p.Title })
	}
)

var everyChange = []change{
	{"a file is written in place", func(t *testing.T, root, text string) func(*Project) string {
		put(t, root, "tools/a/tool.meta.json", titled(text))
		return title("a")
	}},
	{"a file is replaced by another", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `printf '{"title":"%s"}' "$1" > new; mv new tools/a/tool.meta.json`, text)
		return title("a")
	}},
	{"a file is written in place and gets its time back", func(t *testing.T, root, text string) func(*Project) string {
		path := filepath.Join(root, "tools", "a", "tool.meta.json")
		then := time.Unix(1e9, 5)
		if err := errors.Join(os.WriteFile(path, []byte(titled(text)), 0o644), os.Chtimes(path, then, then)); err != nil {
			t.Fatal(err)
		}
		return title("a")
	}},
	{"metadata changes from JSON to YAML", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `rm -f tools/a/tool.meta.json; printf 'title: "%s"\n' "$1" > tools/a/tool.meta.yaml`, text)
		return title("a")
	}},
	{"metadata changes from YAML to the script", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `rm -f tools/a/tool.meta.*; printf '#!/bin/sh\n# mcp: {"title":"%s"}\n' "$1" > tools/a/tool.sh`, text)
		return title("a")
	}},
	{"the mode of a script", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `if [ -x tools/single.sh ]; then chmod -x tools/single.sh; else chmod +x tools/single.sh; fi`)
		var want string
		if info, err := os.Stat(filepath.Join(root, "tools", "single.sh")); err == nil && info.Mode()&0o111 == 0 {
			want = "none"
		}
		found := listedAs((*Project).Tools, "single", func(t *Tool) string { return t.Title })
		return func(p *Project) string {
			if found(p) == want {
				return text
			}
			return "the list does not go with the mode"
		}
	}},
	{"a new folder with files", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `rm -rf tools/fresh; mkdir -p tools/fresh/deep; printf '#!/bin/sh\n' > tools/fresh/deep/tool.sh; printf '{"title":"%s"}' "$1" > tools/fresh/deep/tool.meta.json`, text)
		return title("deep")
	}},
	{"a folder is removed", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `rm -rf tools/fresh`)
		return func(p *Project) string {
			if title("deep")(p) == "unknown tool: deep" {
				return text
			}
			return "still there"
		}
	}},
	{"a folder is renamed", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `rm -rf tools/ren-*; mkdir tools/ren-; printf '{"title":"%s"}' "$1" > tools/ren-/tool.meta.json; printf '#!/bin/sh\n' > tools/ren-/tool.sh; mv tools/ren- "tools/ren-$1"`, text)
		return title("ren-" + text)
	}},
	{"a folder takes the place of another with the same names in it",
		func(t *testing.T, root, text string) func(*Project) string {
			sh(t, root, `rm -rf old; mv tools/group old; cp -r old tools/group; printf '{"title":"%s"}' "$1" > tools/group/one/tool.meta.json`, text)
			return title("one")
		}},
	{"a folder that was moved away is written", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `printf '{"title":"%s"}' "$1" > tools/group/one/tool.meta.json; mkdir -p old/one; printf '{"title":"old"}' > old/one/tool.meta.json`, text)
		return title("one")
	}},
	{"a link leads to another folder", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `rm -rf "tools/.v-"*; mkdir "tools/.v-$1"; printf '{"title":"%s"}' "$1" > "tools/.v-$1/tool.meta.json"; printf '#!/bin/sh\n' > "tools/.v-$1/tool.sh"; ln -sfn ".v-$1" tools/linked`, text)
		return title("linked")
	}},
	{"a file in a folder that a link leads to", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `[ -e tools/linked ] || { mkdir -p tools/.v; printf '#!/bin/sh\n' > tools/.v/tool.sh; ln -s .v tools/linked; }; cd -P tools/linked; printf '{"title":"%s"}' "$1" > tool.meta.json`, text)
		return title("linked")
	}},
	{"a link in the middle of a way of links", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `rm -rf tools/.w-*; mkdir "tools/.w-$1"; printf '{"title":"%s"}' "$1" > "tools/.w-$1/tool.meta.json"; printf '#!/bin/sh\n' > "tools/.w-$1/tool.sh"; ln -sfn "tools/.w-$1" middle; [ -e tools/outer ] || ln -s ../middle tools/outer`, text)
		return title("outer")
	}},
	{"metadata through another name of the file", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `printf '{"title":"%s"}' "$1" > elsewhere`, text)
		return title("named")
	}},
	{"metadata that is a link to a file outside of its folder",
		func(t *testing.T, root, text string) func(*Project) string {
			sh(t, root, `printf '{"title":"%s"}' "$1" > tools/lib/meta.json`, text)
			return title("bylink")
		}},
	{"all tools are swapped by a link above them", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `cp -rPl tools "tools-$1"; rm "tools-$1/a/"tool.meta.* 2>/dev/null || :; printf '{"title":"%s"}' "$1" > "tools-$1/a/tool.meta.json"; mv tools was; mv "tools-$1" tools; rm -rf was`, text)
		return title("a")
	}},
	{"a resource", func(t *testing.T, root, text string) func(*Project) string {
		put(t, root, "resources/r.meta.json", titled(text))
		return resourceTitle("r")
	}},
	{"the size of a resource", func(t *testing.T, root, text string) func(*Project) string {
		put(t, root, "resources/r.md", text)
		return listedAs((*Project).Resources, "r", func(r *Resource) string {
			if *r.Size == int64(len(text)) {
				return text
			}
			return fmt.Sprint(*r.Size)
		})
	}},
	{"a prompt", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `rm -f server.d/register.json`)
		put(t, root, "prompts/p.md", "hello")
		put(t, root, "prompts/p.meta.yaml", fmt.Sprintf("title: %q\n", text))
		return promptTitle("p")
	}},
	{"prompts go away and come back", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `rm -rf prompts server.d/register.json; mkdir prompts; echo x > prompts/q.md; printf '{"title":"%s"}' "$1" > prompts/q.meta.json`, text)
		return promptTitle("q")
	}},
	{"a completion", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `rm -rf completions; mkdir completions; printf '#!/bin/sh\n' > "completions/$1.sh"`, text)
		return listedAs((*Project).Completers, text, func(c *Completer) string { return c.Name })
	}},
	{"a user interface", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `mkdir -p ui/page; echo '<html>' > ui/page/index.html; printf '{"title":"%s"}' "$1" > ui/page/ui.meta.json`, text)
		return resourceTitle("page")
	}},
	{"the user interface of a tool", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `mkdir -p tools/a/ui; echo '<html>' > tools/a/ui/index.html; printf '{"title":"%s"}' "$1" > tools/a/ui/ui.meta.json`, text)
		return resourceTitle("a")
	}},
	{"the name of the server", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `mkdir -p server.d ui/page; echo '<html>' > ui/page/index.html; printf '{"name":"%s"}' "$1" > server.d/server.meta.json`, text)
		return listedAs((*Project).Resources, "page", func(r *Resource) string {
			if r.URI == "ui://"+text+"/page" {
				return text
			}
			return r.URI
		})
	}},
	{"an icon in another folder", func(t *testing.T, root, text string) func(*Project) string {
		put(t, root, "art/of/icon.svg", "<svg>"+text+"</svg>")
		return listedAs((*Project).Tools, "icons", func(one *Tool) string {
			if len(one.Icons) > 0 && strings.Contains(string(one.Icons),
				base64.StdEncoding.EncodeToString([]byte("<svg>"+text+"</svg>"))) {
				return text
			}
			return string(one.Icons)
		})
	}},
	{"a registration", func(t *testing.T, root, text string) func(*Project) string {
		put(t, root, "server.d/register.json",
			fmt.Sprintf(`{"version":1,"prompts":[{"name":"reg","title":%q,"path":"prompts/reg.md"}]}`, text))
		put(t, root, "prompts/reg.md", "x")
		return promptTitle("reg")
	}},
	{"a registration goes away", func(t *testing.T, root, text string) func(*Project) string {
		sh(t, root, `rm -f server.d/register.json; mkdir -p prompts; echo x > prompts/z.md; printf '{"title":"%s"}' "$1" > prompts/z.meta.json`, text)
		return promptTitle("z")
	}},
}

// A list that is asked for right after a change shows it: whether the system reports changes, and
// nothing has happened for a while or much happens, or the files are looked at.
func TestAListAskedForRightAfterAChangeShowsIt(t *testing.T) {
	for way, times := range map[string]int{"reported, at rest": 3, "reported, in a hurry": 8, "looked at": 3} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			above := folderOf(t, `-- tools/a/tool.sh --
-- tools/single.sh --
-- tools/group/one/tool.sh --
-- tools/group/one/tool.meta.json --
{"title":"x"}
-- tools/named/tool.sh --
-- tools/bylink/tool.sh --
-- tools/lib/meta.json --
{}
-- tools/icons/tool.sh --
-- tools/icons/tool.meta.json --
{"icons":[{"src":"../../art/of/icon.svg"}]}
-- resources/r.md --
-- elsewhere --
{}
`)
			root := filepath.Join(t.TempDir(), "link") // the project is reached by a link
			is.NoErr(os.Symlink(above, root))
			sh(t, root, `rm -f tools/named/tool.meta.json; ln elsewhere tools/named/tool.meta.json; ln -s ../lib/meta.json tools/bylink/tool.meta.json`)
			p := opened(t, root, Options{})
			p.debounce = time.Millisecond
			if way == "looked at" {
				p.listen = func(*Project) (*monitor, error) { return nil, errors.New("nothing is reported") }
			}
			watching(t, p)
			for i := range times * len(everyChange) {
				c := everyChange[(i*7+i/len(everyChange))%len(everyChange)]
				if way == "reported, at rest" {
					waittest.Until(t, "the watch rests", p.rests)
				}
				text := fmt.Sprintf("t%03d", i)
				seen := c.make(t, root, text)
				if got := seen(p); got != text {
					t.Fatalf("round %d, %s: %q instead of %q", i, c.name, got, text)
				}
			}
		})
	}
}

// Moving a whole project, or a folder above it, shows at once too.
func TestAProjectBehindALinkIsSwappedAtOnce(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	put(t, root, "releases/1/project/tools/one.sh", "")
	put(t, root, "releases/2/project/tools/two.sh", "")
	is.NoErr(os.Symlink("releases/1", filepath.Join(root, "current")))
	p := opened(t, filepath.Join(root, "current", "project"), Options{})
	p.debounce = time.Millisecond
	n := watching(t, p)
	for i := range 10 {
		waittest.Until(t, "the watch rests", p.rests)
		sh(t, root, `ln -sfn "releases/$1" current`, fmt.Sprint(2-i%2))
		is.Equal(names(snapshot(t, p)), []string{"two", "one"}[i%2])
		is.Equal(n.next(), "tools") // the client hears of it, too
	}
	waittest.Until(t, "the watch rests", p.rests)
	sh(t, root, `mv releases/1 away; mv releases/2 releases/1`)
	is.Equal(names(snapshot(t, p)), "two")
}

// Unchanged lists need no look.
func TestListsAreNotLookedForWhileNothingHappens(t *testing.T) {
	is := is.New(t)
	p := opened(t, folderOf(t, "-- tools/a.sh --\n-- prompts/p.md --\n"), Options{})
	scans := scansOf(p.tools)
	watching(t, p)
	waittest.Until(t, "a call need not look", func() bool {
		_, err := p.Tool(t.Context(), "a")
		return err == nil && !p.Looks()
	})
	first, before := snapshot(t, p), scans()
	for range 100 {
		is.True(&snapshot(t, p).Items[0] == &first.Items[0])
		_, err := p.Tool(t.Context(), "a")
		is.NoErr(err)
		_, err = p.Tool(t.Context(), "b")
		is.True(errors.Is(err, ErrUnknownTool))
	}
	is.Equal(scans(), before)
	tools := p.lists[kindTool]
	tools.mu.Lock() // as a look does, which may be stuck
	defer tools.mu.Unlock()
	is.True(&snapshot(t, p).Items[0] == &first.Items[0])
}
