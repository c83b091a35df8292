package catalog

import (
	"slices"
	"strings"
)

// Which files below resources/ and prompts/ are entries:
//
//   - Every file is an entry, except hidden files, backup copies of editors, metadata, and scripts that
//     complete arguments: x.md.completion.sh, x.md.completion, x.completion.sh or x.completion
//     beside x.md; also with .exe, .cmd or .bat at the end, for Windows.
//   - Metadata without a file is an entry too, if it defines enough: a URI template, the URI of something
//     that a provider serves, the messages of a prompt.
//   - Below prompts/, prompt.meta.json describes the file that is called like its folder.
//   - Below prompts/, a README, and what is in a folder called lib and the like, is a prompt only
//     if it has metadata of its own. Images are none.
//   - So is a README below resources/ that lies beside a resource with metadata that is called like its
//     folder, stock/stock.csv: it is about that resource.

// filesDepth is the maximal depth of an entry below resources/ and prompts/.
const filesDepth = 16

// planResources applies the rules to a folder of resources.
func planResources(at place, in contents) plan {
	p := planFiles(in)
	described := slices.ContainsFunc(p.candidates, func(c candidate) bool {
		return at.depth > 0 && c.name == at.name() && len(c.sidecars) > 0
	})
	for i, c := range p.candidates {
		p.candidates[i].helper = described && isReadme(c)
		p.candidates[i].fallbackName = at.path() + c.file.name
		if c.alone {
			p.candidates[i].fallbackName = at.path() + c.name
		}
	}
	return p
}

// planPrompts applies the rules to a folder of prompts.
func planPrompts(at place, in contents) plan {
	p := planFiles(in)
	p.describe("prompt", at.name())
	for i, c := range p.candidates {
		p.candidates[i].helper = at.inner || isReadme(c)
	}
	return p
}

func isReadme(c candidate) bool { return strings.EqualFold(c.name, "README") }

// describe assigns metadata that is named after its kind, as in review/prompt.meta.json, to the
// file that is named like its folder, review/review.txt, if that has no metadata itself.
func (p *plan) describe(kind, folder string) {
	orphan := slices.IndexFunc(p.candidates, func(c candidate) bool { return c.alone && c.name == kind })
	owner := slices.IndexFunc(p.candidates, func(c candidate) bool {
		return !c.alone && c.name == folder && len(c.sidecars) == 0
	})
	if orphan < 0 || owner < 0 {
		return
	}
	p.candidates[owner].sidecars = p.candidates[orphan].sidecars
	p.candidates = slices.Delete(p.candidates, orphan, orphan+1)
}

func isCopyOrImage(name string) bool { return isCopy(name) || imageType(name) != "" }

// planFiles matches files with their metadata and completers.
func planFiles(in contents) plan {
	completers := make(map[string]file)
	if slices.ContainsFunc(in.files, isCompleter) {
		in.files = slices.DeleteFunc(slices.Clone(in.files), func(f file) bool {
			if isCompleter(f) {
				completers[f.name] = f
			}
			return isCompleter(f)
		})
	}
	beside := func(names ...string) *file {
		for _, name := range names {
			for _, ending := range completerEndings {
				if f, ok := completers[name+ending]; ok {
					return &f
				}
			}
		}
		return nil
	}
	p := plan{candidates: pair(in)}
	for i, c := range p.candidates {
		if c.alone {
			p.candidates[i].completer = beside(c.name)
		} else {
			p.candidates[i].completer = beside(c.file.name, c.name)
		}
	}
	return p
}

// completerEndings are the endings of the names of scripts that complete arguments.
var completerEndings = []string{".completion.sh", ".completion", ".completion.exe", ".completion.cmd",
	".completion.bat"}

func isCompleter(f file) bool {
	return slices.ContainsFunc(completerEndings, func(ending string) bool { return strings.HasSuffix(f.name, ending) })
}
