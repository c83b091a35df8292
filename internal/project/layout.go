package project

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// Which files below tools/ are tools:
//
//   - A script is a file that the system would start, or that ends in .sh or .bash, or that begins
//     with #!. Documents, data and copies that editors leave are no scripts, whatever their mode.
//   - A folder that has a main script, called tool or like the folder, is the folder of that one
//     tool. Other scripts in it and below it are its helpers.
//   - Elsewhere each script is a tool, but in folders called lib, test and the like each is a
//     helper, and so is what its name calls a test, and what lies in tools/ itself without the
//     mode to be started.
//   - A helper is a tool if it has metadata of its own, and only then.

// maxDepth is how many folders below tools/ a tool may lie in: tools/a/b/tool.sh.
const maxDepth = 2

// A place is what the position of a folder says about the scripts in it.
type place struct {
	name  string // of the folder
	depth int    // 0 for tools/ itself
	inner bool   // it belongs to a tool, or is for helpers
}

// A file is a candidate for a script.
type file struct {
	name       string
	stamp      stamp
	executable bool
	script     bool
}

// A candidate is a script that is a tool, or is one if it has metadata.
type candidate struct {
	file     file
	name     string   // of the tool, unless metadata gives another
	sidecars []string // its metadata files, the one to use first
	helper   bool     // a tool only with metadata of its own
	idle     bool     // a helper for the only reason that it cannot be started
}

// A plan tells what the files of one folder are.
type plan struct {
	candidates []candidate // sorted by file name
	main       bool        // there is a main script, so folders below are inner
	orphans    []string    // metadata files without a script
}

// layout applies the rules to the files and metadata files of a folder.
func layout(at place, files []file, sidecars []string) plan {
	owners := make(map[string][]string) // script → its metadata files
	var p plan
	for _, sidecar := range sidecars {
		if owner := ownerOf(sidecar, files); owner != "" {
			owners[owner] = append(owners[owner], sidecar)
		} else if !at.inner {
			p.orphans = append(p.orphans, sidecar)
		}
	}
	main := mainScript(at, files)
	p.main = main != ""
	for _, f := range files {
		described := owners[f.name]
		if !f.script && len(described) == 0 {
			continue
		}
		slices.SortStableFunc(described, func(a, b string) int { return sidecarRank(f.name, a) - sidecarRank(f.name, b) })
		helper := f.name != main && (at.inner || p.main || looksLikeTest(f.name))
		idle := !helper && at.depth == 0 && !f.executable
		p.candidates = append(p.candidates, candidate{
			file:     f,
			name:     usualName(at, f.name),
			sidecars: described,
			helper:   helper || idle,
			idle:     idle,
		})
	}
	return p
}

// usualName is what a tool is called without metadata: like its folder if the script is just
// called tool, else like the script.
func usualName(at place, script string) string {
	if s := stem(script); s != "tool" || at.depth == 0 {
		return s
	}
	return at.name
}

// stem is a file name without its ending.
func stem(name string) string {
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// mainScript is the script that gives the folder its meaning: tool.sh before tool.py before
// FOLDER.sh.
func mainScript(at place, files []file) string {
	if at.depth == 0 || at.inner {
		return ""
	}
	main := ""
	for _, f := range files {
		if f.script && isMain(at, f.name) && (main == "" || compareMain(f.name, main) < 0) {
			main = f.name
		}
	}
	return main
}

func isMain(at place, name string) bool {
	return stem(name) == "tool" || stem(name) == at.name || name == at.name
}

func compareMain(a, b string) int {
	return cmp.Or(
		compareTrue(stem(a) == "tool", stem(b) == "tool"),
		compareScripts(a, b),
	)
}

// compareScripts puts .sh first, then .bash, then the rest by name.
func compareScripts(a, b string) int {
	return cmp.Or(
		compareTrue(strings.HasSuffix(a, ".sh"), strings.HasSuffix(b, ".sh")),
		compareTrue(strings.HasSuffix(a, ".bash"), strings.HasSuffix(b, ".bash")),
		cmp.Compare(a, b),
	)
}

// compareTrue puts true before false.
func compareTrue(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// ownerOf finds the file that a metadata file describes: x.sh.meta.json is x.sh's; x.meta.json is
// the file x's, or else that of the best script with the stem x, or else of any file with it.
func ownerOf(sidecar string, files []file) string {
	owner, _ := sidecarOf(sidecar)
	var best file
	for _, f := range files {
		switch {
		case f.name == owner:
			return f.name
		case stem(f.name) != owner:
		case best.name == "", cmp.Or(compareTrue(f.script, best.script), compareScripts(f.name, best.name)) < 0:
			best = f
		}
	}
	return best.name
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

// looksLikeTest reports whether a name says that a script checks another.
func looksLikeTest(name string) bool {
	s := stem(name)
	return name == "smoke.sh" || strings.HasSuffix(name, ".bats") || strings.HasSuffix(s, "_test") || strings.HasSuffix(s, ".test")
}

// isHelperFolder reports whether a folder is, by its name, for what tools need and not for tools.
func isHelperFolder(name string) bool {
	switch name {
	case "lib", "libs", "ui", "tests", "testdata", "vendor":
		return true
	}
	return false
}

// isIgnoredFolder reports whether nothing of interest can be in a folder.
func isIgnoredFolder(name string) bool { return name == "node_modules" || name == "__pycache__" }

// isIgnoredFile reports whether a file is, by its name, no script: a document, data, or a copy
// that an editor left. File systems exist where all of these may be started.
func isIgnoredFile(name string) bool {
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
	return strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#")
}
