package serverenv

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// JQNames are the names under which mcp-bash is jq. Scripts are told of the first.
var JQNames = []string{"jq", "gojq"}

// usualPath is where tools find programs if the server was started without a PATH.
const usualPath = "/usr/local/bin:/usr/bin:/bin"

// A JQ makes sure that scripts find a jq and a gojq.
type JQ struct {
	Program string // mcp-bash; empty: scripts have the jq of the machine or none
	Dir     string // for links to it; made when it is needed
}

// Give returns env with a PATH on which scripts find a jq and a gojq: a name that
// the PATH of this process has not is a link to mcp-bash (on Windows, a copy), last on their PATH. The
// variables by which the Bash program named its JSON tool are set too.
func (j JQ) Give(env []string) ([]string, error) {
	env = slices.Clone(env)
	at := slices.IndexFunc(env, func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), "PATH=") })
	if at < 0 {
		env = append(env, "PATH=")
		at = len(env) - 1
	}
	if strings.HasSuffix(env[at], "=") && runtime.GOOS != "windows" { // what programs do without a PATH ends when there is one
		env[at] += usualPath
	}
	for _, name := range JQNames {
		found, err := exec.LookPath(name)
		switch {
		case err != nil && j.Program == "":
			continue // there is none, and nothing that could stand in for it
		case err != nil:
			if found, err = j.link(name); err != nil {
				return env, err
			}
			if end := string(os.PathListSeparator) + j.Dir; !strings.HasSuffix(env[at], end) {
				env[at] += end
			}
		}
		if name == JQNames[0] {
			env = append(env, "MCPBASH_JSON_TOOL=jq", "MCPBASH_JSON_TOOL_BIN="+found)
		}
	}
	return env, nil
}

// link makes a jq of that name, unless it is there, and returns its path.
func (j JQ) link(name string) (string, error) {
	path := filepath.Join(j.Dir, fileName(name))
	if _, err := os.Lstat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(j.Dir, 0o700); err != nil {
		return "", err
	}
	if runtime.GOOS != "windows" {
		return path, os.Symlink(j.Program, path)
	}
	// Symbolic links need a privilege there, a script would be a jq for shells alone, and no name of a
	// program that runs can be removed. So it is a copy, under both names.
	for _, other := range JQNames {
		if other != name && os.Link(filepath.Join(j.Dir, fileName(other)), path) == nil {
			return path, nil
		}
	}
	program, _, err := files.Open(j.Program)
	if err != nil {
		return "", err
	}
	defer program.Close()
	return path, files.ReplaceWith(path, 0o700, func(w io.Writer) error {
		_, err := io.Copy(w, program)
		return err
	})
}

// fileName is what the file of a program is called.
func fileName(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// IsJQ reports whether this program was started under one of the names of jq. program is its
// argument 0; Windows leaves the ending of a name to whoever calls it, and its case.
func IsJQ(program string) bool {
	name := filepath.Base(program)
	if runtime.GOOS == "windows" {
		name = strings.TrimSuffix(strings.ToLower(name), ".exe")
	}
	return slices.Contains(JQNames, name)
}

// Keep returns what puts back each jq that Give has linked, as temporary files that
// are old get cleaned up. While they are there that is a look at them and no more.
// Without any it is nil.
func (j JQ) Keep() func() {
	ours := slices.DeleteFunc(slices.Clone(JQNames), func(name string) bool {
		_, err := os.Lstat(filepath.Join(j.Dir, fileName(name)))
		return err != nil
	})
	if len(ours) == 0 {
		return nil
	}
	return func() {
		for _, name := range ours {
			_, _ = j.link(name) // perhaps another call was faster; else the shell says what is missing
		}
	}
}
