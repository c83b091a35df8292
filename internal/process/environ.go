package process

import (
	"cmp"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// WithLocale returns env, as NAME=value, with a UTF-8 LC_CTYPE if it names no locale, as desktop clients
// start servers: in the C locale of a shell, and of many languages, a character is a byte, and half an Ä is
// not UTF-8. env itself does not change. A system without a known UTF-8 locale gets none, since shells
// complain about one that does not exist.
func WithLocale(env []string) []string { return withLocale(env, utf8Locale()) }

func withLocale(env []string, locale string) []string {
	named := slices.ContainsFunc(env, func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return value != "" && (name == "LC_ALL" || name == "LC_CTYPE" || name == "LANG")
	})
	if named || locale == "" {
		return env
	}
	return With(env, "LC_CTYPE="+locale)
}

// locales has alternately a folder that exists where a UTF-8 locale does, and the name of that locale: glibc,
// the BSDs and macOS. In musl every locale is UTF-8, and so it is in Git Bash.
var locales = []string{
	"/usr/lib/locale/C.utf8", "C.UTF-8",
	"/usr/lib/locale/C.UTF-8", "C.UTF-8",
	"/usr/share/locale/C.UTF-8", "C.UTF-8",
	"/usr/share/locale/en_US.UTF-8", "en_US.UTF-8",
	"/usr/lib/locale/en_US.utf8", "en_US.UTF-8",
}

// utf8Locale returns the name of a UTF-8 locale of this machine; empty if none is known.
var utf8Locale = sync.OnceValue(func() string {
	for i := 0; i < len(locales); i += 2 {
		if _, err := os.Stat(locales[i]); err == nil {
			return locales[i+1]
		}
	}
	return ""
})
