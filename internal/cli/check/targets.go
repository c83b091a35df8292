package check

import (
	"cmp"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// A target is a script to check.
type target struct {
	path    string // absolute
	section string
	started bool // the server starts it; otherwise it is sourced, or a helper
	hook    bool // it is sourced by the server itself
}

// A source is a script as it has been read.
type source struct {
	target
	text    []byte
	err     error // why it cannot be read
	shell   shellScript
	isShell bool // it is for a known shell
}

// read reads and parses the script.
func (t target) read() *source {
	s := &source{target: t}
	if s.text, s.err = read(t.path); s.err == nil {
		s.shell, s.isShell = t.parse(s.text)
	}
	return s
}

// parsed reports whether it is a shell script without syntax errors.
func (s *source) parsed() bool { return s.isShell && s.shell.err == nil }

// runs reports whether the server runs the script, so that faults in it make calls fail.
func (t target) runs(o Options) bool { return t.started || t.hook && o.Hooks.Allowed }

// targets returns all scripts of the project, each once: those that the server starts, its hooks, and
// the others in the folders for code.
func (c *contents) targets() []target {
	var all []target
	start := func(section, path string) {
		if path != "" {
			all = append(all, target{path: path, section: section, started: true})
		}
	}
	for _, t := range c.tools {
		if t.Alone && c.project.Rel(t.Path) == filepath.ToSlash(t.Path) {
			continue // an installed program
		}
		start("tools", t.Path)
	}
	for _, t := range c.templates {
		start("resourceTemplates", t.Path)
		for _, completion := range t.Completions {
			start("completions", completion.Path)
		}
	}
	for _, p := range c.prompts {
		if p.Executable && p.Messages == nil {
			start("prompts", p.Path)
		}
		for _, completion := range p.Completions {
			start("completions", completion.Path)
		}
	}
	for _, completer := range c.completers {
		start("completions", completer.Path)
	}
	for _, rule := range c.rules {
		start("interceptors", rule.Path)
	}
	for _, path := range shellFiles(c.providersDir(), 0) {
		start("providers", path)
	}
	for _, path := range shellFiles(c.project.ServerDir(), 0) {
		all = append(all, target{path: path, section: "hooks", hook: true})
	}
	for _, dir := range []string{c.project.ToolsDir(), filepath.Join(c.project.Root(), "lib")} {
		for _, path := range shellFiles(dir, helperDepth) {
			all = append(all, target{path: path, section: "scripts"})
		}
	}
	// Of several targets with the same path, the first knows the most.
	sort.SliceStable(all, func(i, j int) bool { return all[i].path < all[j].path })
	return slices.CompactFunc(all, func(a, b target) bool { return a.path == b.path })
}

func (c *contents) providersDir() string {
	dir := cmp.Or(c.options.ProvidersDir, "providers")
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(c.project.Root(), dir)
}

// helperDepth is how many levels below tools/ or lib/ helpers are searched.
const helperDepth = 4

// shellFiles returns those of [filesBelow] that are shell scripts by their extension.
func shellFiles(dir string, depth int) []string {
	return slices.DeleteFunc(filesBelow(dir, depth), func(path string) bool { return !isShellFile(path) })
}

const anyDepth = math.MaxInt

// filesBelow returns the regular files at a path, and in depth levels of folders below it, except hidden ones and
// what others wrote.
func filesBelow(root string, depth int) (paths []string) {
	// Unreadable folders are skipped.
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch hidden := path != root && strings.HasPrefix(filepath.Base(path), "."); {
		case err != nil:
			return nil
		case e.IsDir() && path != root && (hidden || slices.Contains(others, e.Name()) || depthBelow(root, path) > depth):
			return filepath.SkipDir
		case e.Type().IsRegular() && !hidden:
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

func depthBelow(dir, path string) int {
	below, _ := filepath.Rel(dir, path) // both are absolute
	return strings.Count(below, string(filepath.Separator)) + 1
}

// others are the names of folders with what others wrote.
var others = []string{"node_modules", "vendor", "testdata"}

func isShellFile(name string) bool {
	return strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".bash")
}
