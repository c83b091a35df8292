package jq

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// Names are the names under which mcp-bash works as jq. Scripts get the first in a variable.
var Names = []string{"jq", "gojq"}

// usualPath is where tools look for programs if the server was started without a PATH.
const usualPath = "/usr/local/bin:/usr/bin:/bin"

// Links make sure that scripts find a jq and a gojq.
type Links struct {
	program string // mcp-bash; empty: scripts use the machine's jq, if there is one
	dir     string // for links to it
	found   func() onPath
}

// onPath is what a look at the PATH of this process has found.
type onPath struct {
	linked []string // the names that are links to mcp-bash, as they are not on the PATH
	path   string   // where scripts find jq; empty for nowhere
}

// NewLinks returns what looks for a jq and a gojq on the PATH of this process, once, when they are
// needed. Missing ones will be links to program in dir, on Windows copies of it. Without a program,
// scripts use the machine's jq, if there is one.
func NewLinks(program, dir string) Links {
	return Links{program: program, dir: dir, found: sync.OnceValue(func() onPath { return find(program, dir) })}
}

func find(program, dir string) (found onPath) {
	for _, name := range Names {
		path, err := exec.LookPath(name)
		if err != nil && program == "" {
			continue // there is no replacement for it
		}
		if err != nil {
			path = filepath.Join(dir, fileName(name))
			found.linked = append(found.linked, name)
		}
		if name == Names[0] {
			found.path = path
		}
	}
	return found
}

// Give returns env with a PATH on which scripts find a jq and a gojq: the links come last. It also
// sets the variables by which the Bash program named its JSON tool.
func (j Links) Give(env []string) []string {
	env = slices.Clone(env)
	at := slices.IndexFunc(env, func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), "PATH=") })
	if at < 0 {
		env = append(env, "PATH=")
		at = len(env) - 1
	}
	// the default of programs without a PATH no longer applies when there is one
	if strings.HasSuffix(env[at], "=") && runtime.GOOS != "windows" {
		env[at] += usualPath
	}
	found := j.found()
	if len(found.linked) > 0 {
		env[at] += string(os.PathListSeparator) + j.dir
	}
	if found.path != "" {
		env = append(env, "MCPBASH_JSON_TOOL=jq", "MCPBASH_JSON_TOOL_BIN="+found.path)
	}
	return env
}

// Link creates the links, and restores those that were removed: systems clean up old temporary
// files. If all exist, it only checks each of them.
func (j Links) Link() error {
	for _, name := range j.found().linked {
		if err := j.link(name); err != nil {
			return err
		}
	}
	return nil
}

// Keep returns a func that calls Link before each script. The first error is reported: later
// scripts would only repeat it.
func (j Links) Keep(report func(error)) func() {
	var once sync.Once
	return func() {
		if err := j.Link(); err != nil {
			once.Do(func() { report(err) })
		}
	}
}

func (j Links) link(name string) error {
	path := filepath.Join(j.dir, fileName(name))
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return j.copy(path)
	}
	err := os.Symlink(j.program, path)
	if errors.Is(err, fs.ErrExist) { // another call was faster
		return nil
	}
	return err
}

// copy creates the jq of Windows. Symbolic links need a privilege there, a script would be a jq for
// shells only, and a running program cannot be removed under any of its names. So it is a copy,
// under both names.
func (j Links) copy(path string) error {
	for _, name := range j.found().linked {
		if other := filepath.Join(j.dir, fileName(name)); other != path && os.Link(other, path) == nil {
			return nil
		}
	}
	program, _, err := files.Open(j.program)
	if err != nil {
		return err
	}
	defer program.Close()
	err = files.ReplaceWith(path, 0o700, func(w io.Writer) error {
		_, err := io.Copy(w, program)
		return err
	})
	if _, missing := os.Lstat(path); missing == nil { // another call was faster
		return nil
	}
	return err
}

// fileName returns the file name of a program.
func fileName(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// IsLink reports whether this program was started under one of the names of jq. program is its
// argument 0; on Windows callers may leave out the extension, and case is ignored.
func IsLink(program string) bool {
	name := filepath.Base(program)
	if runtime.GOOS == "windows" {
		name = strings.TrimSuffix(strings.ToLower(name), ".exe")
	}
	return slices.Contains(Names, name)
}
