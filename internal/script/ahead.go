package script

import (
	"errors"
	"strings"
)

// ControlFD is the descriptor on which a shell that was started ahead waits.
const ControlFD = 48

// ErrNotAhead is the error of [Runner.StartAhead] for a command that cannot be started ahead.
var ErrNotAhead = errors.New("only a script that begins with #!/usr/bin/env bash, or with #! and the path of bash and no option, can be started ahead, where scripts inherit descriptors")

// ErrDied is the error for a shell that was started ahead and has ended before it was needed.
var ErrDied = errors.New("a shell that was started ahead has ended before it was needed")

// IsBash reports whether the #! line of the script at path runs bash without options.
func IsBash(path string) bool {
	_, name, _ := bashOf(readHead(path), nil)
	return name != ""
}

// changesBash reports whether a variable changes how bash starts.
func changesBash(v string) bool {
	name, _, _ := strings.Cut(v, "=")
	return name == "ENV" || name == "SHELLOPTS" || name == "POSIXLY_CORRECT" || strings.HasPrefix(name, "BASH")
}

// exportCode returns shell code that exports the variables of env that differ from early, which the shell got
// at its start. ok is false if one of them is not for later, or if env lacks one of early.
func exportCode(env, early []string, later func(name string) bool) (code string, ok bool) {
	for len(env) > 0 && len(early) > 0 && env[0] == early[0] { // nearly all are equal, and in the same order
		env, early = env[1:], early[1:]
	}
	for len(env) > 0 && len(early) > 0 && env[len(env)-1] == early[len(early)-1] {
		env, early = env[:len(env)-1], early[:len(early)-1]
	}
	was := make(map[string]string, len(early))
	for _, v := range early {
		name, _, _ := strings.Cut(v, "=")
		was[name] = v
	}
	var b strings.Builder
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		same := was[name] == v
		delete(was, name)
		if same {
			continue
		}
		if !later(name) || !isPlain(name) || strings.Contains(value, "\x00") {
			return "", false
		}
		b.WriteString(" " + name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'")
	}
	if b.Len() == 0 {
		return "", len(was) == 0
	}
	return "export" + b.String() + "\n", len(was) == 0
}

// isPlain reports whether a shell can have a variable with this name.
func isPlain(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		if !letter && (i == 0 || c < '0' || '9' < c) {
			return false
		}
	}
	return name != ""
}

// bashOf returns the program that the system starts for a script with this head, and its argument 0.
// ok is false if it is not bash, or is started with options.
func bashOf(head []byte, env []string) (program, name string, ok bool) {
	s := parseShebang(head)
	switch {
	case s.cr, !strings.Contains(string(head), "\n"):
		return "", "", false
	case strings.HasPrefix(s.program, "/") && strings.HasSuffix(s.program, "/bash") && s.argument == "":
		return s.program, s.program, true
	case (s.program == "/usr/bin/env" || s.program == "/bin/env") && s.argument == "bash":
		program = execvp("bash", env)
		return program, "bash", program != ""
	}
	return "", "", false
}
