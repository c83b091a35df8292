package catalog

import (
	"encoding/base64"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// A section of a page has examples.
type section struct {
	heading string
	blocks  []block
}

// A block is an example, with the line before it, which describes it.
type block struct{ before, text string }

func sections(t *testing.T, page string) (all []section) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	fence := regexp.MustCompile("(?ms)^([^\n]*)\n\n```[a-z]+\n(.*?)^```$")
	for part := range strings.SplitSeq(string(text), "\n## ") {
		heading, rest, _ := strings.Cut(part, "\n")
		sec := section{heading: heading}
		for _, m := range fence.FindAllStringSubmatch(rest, -1) {
			sec.blocks = append(sec.blocks, block{m[1], m[2]})
		}
		if strings.Count(rest, "\n```") != 2*len(sec.blocks) {
			t.Fatalf("%s: an example has no line before it that says what it is", heading)
		}
		all = append(all, sec)
	}
	return all
}

// Each section of the page is a project: its files, its lists, its faults.
func TestTheExamplesOfThePageAboutProjectsAreTrue(t *testing.T) {
	file := regexp.MustCompile("`([^`]+)`:$")
	examples := 0
	for _, section := range sections(t, "../../docs/PROJECT.md") {
		t.Run(section.heading, func(t *testing.T) {
			is := is.New(t)
			root := t.TempDir()
			o := hooked(t)
			o.Folders.Registry = ".registry"
			gives, tells := "", ""
			for _, b := range section.blocks {
				examples++
				switch named := file.FindStringSubmatch(b.before); {
				case b.before == "gives with `MCPBASH_STATIC_REGISTRY=1`:":
					o.Static = true
					gives = b.text
				case b.before == "gives:":
					gives = b.text
				case b.before == "prints:":
					tells = b.text
				case strings.Contains(b.text, `"collection"`):
					isCursor(t, b.text)
				case named != nil:
					put(t, root, named[1], b.text)
				default:
					t.Fatalf("what is the example after %q?", b.before)
				}
			}
			got, told := printedLists(t, opened(t, root, o))
			if gives != "" {
				is.Equal(got, gives)
			}
			is.Equal(told, tells) // nothing else is wrong
		})
	}
	is.New(t).True(examples > 35) // they are found
}

func printedLists(t *testing.T, p *Project) (lists, told string) {
	t.Helper()
	tools, resources, templates, prompts, completers := all(t, p.Tools), all(t, p.Resources), all(t, p.Templates),
		all(t, p.Prompts), all(t, p.Completers)
	for _, list := range []struct{ key, names string }{
		{"tools", names(tools)}, {"resources", names(resources)}, {"resourceTemplates", names(templates)},
		{"prompts", names(prompts)}, {"completions", names(completers)},
	} {
		if list.names != "" {
			lists += list.key + ": " + list.names + "\n"
		}
	}
	for _, faults := range [][]Fault{tools.Faults, resources.Faults, templates.Faults, prompts.Faults, completers.Faults} {
		if len(faults) > 0 {
			told += lines(faults) + "\n"
		}
	}
	return lists, told
}

// isCursor expects a cursor of a list that has its hash to be accepted.
func isCursor(t *testing.T, text string) {
	t.Helper()
	is := is.New(t)
	l := numbers(200)
	l.Hash = "6c2d…"
	page, _, err := l.Page(base64.RawURLEncoding.EncodeToString([]byte(strings.TrimSpace(text))), 1)
	is.NoErr(err)
	is.Equal(page[0], 100)
}
