package catalog

import (
	"cmp"
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
	orphans    []string    // metadata files without a file that they belong to
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
		if !known || cmp.Or(compareTrue(f.script, all[best].file.script), compareScripts(f.name, all[best].file.name)) < 0 {
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

// isHelperFolder reports whether a folder, by its name, contains helpers and not tools.
func isHelperFolder(name string) bool {
	switch name {
	case "lib", "libs", "ui", "tests", "testdata", "vendor":
		return true
	}
	return false
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
