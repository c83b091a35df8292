package script

import (
	"cmp"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// Bash returns the path of bash, or its name where it is not on PATH: then starting
// it says so. env is our environment, which Windows needs: there the bash on PATH may be that of
// WSL, and that of Git need not be on it.
func Bash(env []string) string {
	if runtime.GOOS == "windows" {
		if found := Interpreter("bash", env); found != "" {
			return found
		}
	} else if path, err := exec.LookPath("bash"); err == nil {
		return path
	}
	return "bash"
}

// Interpreter returns the path of the program that runs scripts for the interpreter with a name, in
// env; empty if there is none. On Windows that can be another program than the one with the name.
func Interpreter(name string, env []string) string {
	if runtime.GOOS != "windows" {
		return lookPath(name, env)
	}
	words := winPath{env: env, file: isRegular}.interpreter(name)
	if words == nil {
		return ""
	}
	return words[0]
}

// LoginShell returns the login shell of the user, which is what bash takes for SHELL where its
// environment has none; empty where /etc/passwd does not know it.
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

// With returns env, as NAME=value, with more variables in the place of those of
// the same names: of two, programs differ in which one they see.
func With(env []string, more ...string) []string {
	names := make(map[string]bool, len(more))
	for _, v := range more {
		names[VariableOf(v)] = true
	}
	kept := slices.DeleteFunc(slices.Clone(env), func(v string) bool { return names[VariableOf(v)] })
	return append(kept, more...)
}

// VariableOf returns which variable NAME=value sets: its name, whose letters have no case on Windows.
func VariableOf(v string) string {
	name, _, _ := strings.Cut(v, "=")
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}
