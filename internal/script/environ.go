package script

import (
	"os/exec"
	"slices"
	"strings"
)

// Bash returns the path of bash, or its name where it is not on PATH: then starting
// it says so.
func Bash() string {
	if path, err := exec.LookPath("bash"); err == nil {
		return path
	}
	return "bash"
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
