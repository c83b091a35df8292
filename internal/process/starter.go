package process

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// started returns the command with which c is started. The system starts programs, and scripts that
// are executable and have a #! line; the mode gets lost in archives and on Windows file systems, and
// Windows ignores #! lines. A script that the system would not start is passed to the interpreter of
// its #! line, or else of its file extension. Only this function decides that.
func started(c Command) (Command, *StartError) {
	file := program(c)
	head, err := files.Head(file, headLength)
	if e := Scarce(c.Path, err); e != nil {
		return c, e // otherwise later checks would misreport what is wrong
	}
	if len(head) == 0 || isProgram(head) || runtime.GOOS == "windows" && isNativeName(file) {
		return c, nil // if something is wrong, the start fails with the reason
	}
	s := parseShebang(head)
	if runtime.GOOS == "windows" {
		return winPath{env: c.Env, file: files.Exists}.started(c, s)
	}
	if bytes.HasPrefix(head, []byte("#!")) && Executable(file) {
		return throughEnv(c, s, c.Path), nil
	}
	interpreter, fault := interpreterOf(file, s, c.Env)
	switch {
	case fault != nil:
		fault.Path = c.Path
		return c, fault
	case interpreter == nil:
		return c, nil
	}
	named := c.Path
	if !filepath.IsAbs(named) {
		named = "./" + named // not an option, and not from PATH
	}
	if direct := throughEnv(c, s, named); direct.name != "" {
		return direct, nil
	}
	c.Path = interpreter[0]
	c.Args = slices.Concat(interpreter[1:], []string{named}, c.Args)
	return c, nil
}

// throughEnv does the work of env for a script with a line like "#!/usr/bin/env bash", which is to find
// the program on PATH and start it with the path of the script: starting env takes longer than many
// scripts. In cases that env might handle differently, c is returned as it is.
func throughEnv(c Command, s shebang, script string) Command {
	words := s.plainEnv()
	if words == nil || runtime.GOOS != "linux" || !Executable(s.program) {
		return c
	}
	found := execvp(words[0], c.Env)
	if found == "" {
		return c
	}
	c.Path, c.name = found, words[0]
	c.Args = slices.Concat(words[1:], []string{script}, c.Args)
	return c
}

// execvp returns the program that the C function of this name would start in this environment; empty if
// that is not certain, because PATH is missing, duplicate, or has relative folders.
func execvp(name string, env []string) (path string) {
	list := ""
	for _, v := range env {
		if p, ok := strings.CutPrefix(v, "PATH="); ok {
			if list != "" {
				return ""
			}
			list = p
		}
	}
	for dir := range strings.SplitSeq(list, ":") {
		if !filepath.IsAbs(dir) {
			return ""
		}
		path := dir + "/" + name
		if files.Exists(path) && Executable(path) {
			return path
		}
	}
	return ""
}

// interpreterOf returns the interpreter of a script, with its arguments; nil if it is unknown.
func interpreterOf(file string, s shebang, env []string) ([]string, *StartError) {
	if words := s.command(); words != nil {
		s.cr = false // the CR is ignored here
		return words, s.fault(env).of("", fs.ErrNotExist)
	}
	words := ByEnding(file)
	if words == nil {
		return nil, nil
	}
	found := LookPath(words[0], env)
	if found == "" {
		return nil, fault{"the interpreter " + words[0] + " that the ending of its name asks for is not on PATH",
			"install it, or pass a PATH that has it"}.of("", fs.ErrNotExist)
	}
	words[0] = found
	return words, nil
}

// LookPath returns the path of a program on the PATH of env; empty if it is not found.
func LookPath(name string, env []string) string {
	if runtime.GOOS == "windows" {
		return winPath{env: env, file: files.Exists}.find(name)
	}
	list, set := Lookup(env, "PATH")
	if !set {
		list = "/usr/bin:/bin"
	}
	for _, dir := range filepath.SplitList(list) {
		if found := filepath.Join(dir, name); files.Exists(found) && Executable(found) {
			return found
		}
	}
	return ""
}
