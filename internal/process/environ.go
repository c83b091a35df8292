package process

import (
	"cmp"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// Bash returns the path of bash, or "bash" if it is not on PATH: then starting it fails with the
// reason. env is the server's environment. On Windows it is used to find the bash of Git, which
// need not be on PATH, rather than that of WSL, which may be.
func Bash(env []string) string {
	return cmp.Or(Interpreter("bash", env), "bash")
}

// Interpreter returns the path of the program that runs scripts for an interpreter such as python3, in
// env; empty if there is none. On Windows the program can have another name.
func Interpreter(name string, env []string) string {
	if runtime.GOOS != "windows" {
		return LookPath(name, env)
	}
	words := winPath{env: env, file: files.Exists}.interpreter(name)
	if words == nil {
		return ""
	}
	return words[0]
}

// LoginShell returns the login shell of the user, which bash uses for SHELL if its environment
// has none; empty if /etc/passwd does not have it.
func LoginShell() string {
	users, err := files.Read("/etc/passwd", 1<<20)
	if err != nil {
		return ""
	}
	return loginShell(string(users), strconv.Itoa(os.Getuid()))
}

func loginShell(users, uid string) string {
	for line := range strings.Lines(users) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), ":")
		if len(fields) == 7 && fields[2] == uid {
			return cmp.Or(fields[6], "/bin/sh")
		}
	}
	return ""
}

// With returns env, as NAME=value, with more variables, which replace those of the
// same names: with duplicates, programs differ in which of them they use.
func With(env []string, more ...string) []string {
	names := make(map[string]bool, len(more))
	for _, v := range more {
		names[VariableOf(v)] = true
	}
	kept := slices.DeleteFunc(slices.Clone(env), func(v string) bool { return names[VariableOf(v)] })
	return append(kept, more...)
}

// Lookup returns the value of a variable in env; of several with its name, that of the last one.
func Lookup(env []string, name string) (value string, set bool) {
	for _, v := range slices.Backward(env) {
		if VariableOf(v) == VariableOf(name) {
			_, value, set = strings.Cut(v, "=")
			return value, set
		}
	}
	return "", false
}

// VariableOf returns the name of the variable that NAME=value sets, in upper case on Windows, where case does
// not matter.
func VariableOf(v string) string {
	name, _, _ := strings.Cut(v, "=")
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}
