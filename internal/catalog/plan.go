package catalog

import (
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// A place is the position of a folder, which determines what its files are.
type place struct {
	dir   string // absolute
	depth int    // 0 for the top of the tree
	inner bool   // it belongs to an entry, or contains helpers
}

// name is the name of the folder.
func (p place) name() string { return filepath.Base(p.dir) }

// path is the path from the top of the tree, with a slash at its end; empty for the top itself.
func (p place) path() (path string) {
	for dir, i := p.dir, p.depth; i > 0; dir, i = filepath.Dir(dir), i-1 {
		path = filepath.Base(dir) + "/" + path
	}
	return path
}

// A plan is the classification of the files of one folder.
type plan struct {
	candidates []candidate // sorted by file name
	main       bool        // there is a main script, so folders below are inner
}

// pair returns a candidate for each file of a folder, with its metadata files in order of preference,
// and one for metadata without a file that it belongs to. They are sorted by file name.
func pair(in contents) []candidate {
	all := make([]candidate, len(in.files))
	for i, f := range in.files {
		all[i] = candidate{file: &in.files[i], name: stem(f.name)}
	}
	if len(in.sidecars) == 0 {
		return all
	}
	names := make(map[string]int, len(in.files)) // indexes in all
	stems := make(map[string]int, len(in.files))
	for i, f := range in.files {
		names[f.name] = i
		best, known := stems[stem(f.name)]
		if !known || f.rank(f.script) < in.files[best].rank(in.files[best].script) {
			stems[stem(f.name)] = i
		}
	}
	for _, sidecar := range in.sidecars {
		owner, _ := sidecarOf(sidecar)
		i, known := names[owner]
		if !known {
			i, known = stems[owner]
		}
		if !known {
			i = len(all)
			stems[owner] = i
			all = append(all, candidate{file: &file{name: sidecar}, name: owner, alone: true})
		}
		all[i].sidecars = append(all[i].sidecars, sidecar)
	}
	for _, c := range all {
		rank := func(sidecar string) int { return sidecarRank(c.file.name, sidecar) }
		slices.SortStableFunc(c.sidecars, func(a, b string) int { return rank(a) - rank(b) })
	}
	sort.Slice(all, func(i, j int) bool { return all[i].file.name < all[j].file.name })
	return all
}

// sidecarRank orders the metadata files of one script: JSON first, and x.sh.meta.json before
// x.meta.json.
func sidecarRank(script, sidecar string) int {
	rank := 2 * slices.IndexFunc(sidecarEndings, func(ending string) bool { return strings.HasSuffix(sidecar, ending) })
	if owner, _ := sidecarOf(sidecar); owner != script {
		rank++
	}
	return rank
}

// stem returns a file name without its extension.
func stem(name string) string {
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// rank orders files of which one is chosen: .sh comes first, then .bash, then the rest; those that are preferred come
// before all others. Of those with the same rank, the first by name is chosen.
func (f file) rank(preferred bool) (rank int) {
	switch filepath.Ext(f.name) {
	case ".sh":
	case ".bash":
		rank = 1
	default:
		rank = 2
	}
	if !preferred {
		rank += 3
	}
	return rank
}

// isHelperFolder reports whether a folder, by its name, contains helpers and not tools.
func isHelperFolder(name string) bool {
	return slices.Contains([]string{"lib", "libs", "ui", "tests", "testdata", "vendor"}, name)
}

// isIgnoredFolder reports whether nothing of interest can be in a folder.
func isIgnoredFolder(name string) bool { return name == "node_modules" || name == "__pycache__" }

// isDocument reports whether a file, by its name, is not a script but a document, data, or a backup
// copy of an editor. On some file systems all of these are executable.
func isDocument(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".txt", ".rst", ".adoc", ".pdf", ".html", ".htm", ".css", ".csv", ".tsv", ".log", ".sql", ".env",
		".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".toml", ".ini", ".conf", ".cfg", ".lock", ".xml",
		".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".so", ".dylib", ".dll", ".zip", ".gz",
		".bak", ".orig", ".rej", ".swp", ".tmp", ".pyc":
		return true
	}
	switch name {
	case "README", "LICENSE", "LICENCE", "COPYING", "NOTICE", "CHANGELOG", "Makefile", "Dockerfile", "justfile":
		return true
	}
	return isCopy(name)
}

// isCopy reports whether a file is, by its name, a backup copy of an editor.
func isCopy(name string) bool {
	return strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#")
}

// Which files below tools/ are tools:
//
//   - A script is a file that the system would start, or that ends in .sh or .bash, or that begins
//     with #!. Documents, data and backup copies of editors are not scripts, whatever their mode.
//   - A folder that has a main script, called tool or like the folder, is the folder of that one
//     tool. Other scripts in it and below it are its helpers.
//   - Elsewhere each script is a tool, but in folders called lib, test and the like each is a
//     helper, and so is what its name calls a test, and what is in tools/ itself without the
//     mode to be started.
//   - A helper is a tool if it has metadata of its own, and only then.
//   - Metadata without a script is a tool if it has argv, whose first word is the program.

// toolDepth is the maximal depth of a tool below tools/: tools/a/b/tool.sh.
const toolDepth = 2

// planTools applies the rules to the contents of a folder.
func planTools(at place, in contents) plan {
	main := mainScript(at, in.files)
	all := pair(in)
	p := plan{candidates: all[:0], main: main != ""}
	hasUI := slices.Contains(in.folders, "ui")
	for _, c := range all {
		script := c.file.name
		switch {
		case c.alone && at.inner, !c.alone && !c.file.script && len(c.sidecars) == 0:
			continue
		case c.alone:
			script = c.name
			c.helper = true
			c.ui = hasUI && at.depth > 0 && isMain(at, script)
		default:
			c.helper = script != main && (at.inner || p.main || looksLikeTest(script))
			c.idle = !c.helper && at.depth == 0 && !c.file.executable
			c.helper = c.helper || c.idle
			c.ui = hasUI && script == main
		}
		c.name = defaultName(at, script)
		p.candidates = append(p.candidates, c)
	}
	return p
}

// defaultName is the name of a tool without metadata: that of its folder if the script is called
// tool, else that of the script.
func defaultName(at place, script string) string {
	if s := stem(script); s != "tool" || at.depth == 0 {
		return s
	}
	return at.name()
}

// mainScript returns the main script of a folder: tool.sh before tool.py before FOLDER.sh.
func mainScript(at place, files []file) string {
	if at.depth == 0 || at.inner {
		return ""
	}
	main, best := "", 0
	for _, f := range files {
		if rank := f.rank(stem(f.name) == "tool"); f.script && isMain(at, f.name) && (main == "" || rank < best) {
			main, best = f.name, rank
		}
	}
	return main
}

func isMain(at place, name string) bool {
	return stem(name) == "tool" || stem(name) == at.name() || name == at.name()
}

// looksLikeTest reports whether a script is a test, by its name.
func looksLikeTest(name string) bool {
	s := stem(name)
	return name == "smoke.sh" || strings.HasSuffix(name, ".bats") || strings.HasSuffix(s, "_test") ||
		strings.HasSuffix(s, ".test")
}

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
	for i, c := range p.candidates {
		p.candidates[i].helper = at.inner || isReadme(c)
	}
	orphan := slices.IndexFunc(p.candidates, func(c candidate) bool { return c.alone && c.name == "prompt" })
	owner := slices.IndexFunc(p.candidates, func(c candidate) bool {
		return !c.alone && c.name == at.name() && len(c.sidecars) == 0
	})
	if orphan >= 0 && owner >= 0 {
		p.candidates[owner].sidecars = p.candidates[orphan].sidecars
		p.candidates = slices.Delete(p.candidates, orphan, orphan+1)
	}
	return p
}

func isReadme(c candidate) bool { return strings.EqualFold(c.name, "README") }

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
