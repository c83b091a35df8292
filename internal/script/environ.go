package script

import (
	"cmp"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// Bash returns the path of bash, or its name where it is not on PATH: then starting
// it says so.
func Bash() string {
	if path, err := exec.LookPath("bash"); err == nil {
		return path
	}
	return "bash"
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
		name, _, _ := strings.Cut(v, "=")
		names[name] = true
	}
	kept := slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return names[name]
	})
	return append(kept, more...)
}
