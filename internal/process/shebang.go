package process

import (
	"bytes"
	"path/filepath"
	"strings"
)

// shebang is the line of a script that names its interpreter (#!).
type shebang struct {
	program  string // as it is written, or "" if there is no such line
	argument string // the rest of the line, which the system passes on as one argument
	cr       bool   // the line ends in CR LF, and the system takes the CR as part of the line
	whole    bool   // its end was seen
}

// parseShebang reads the first line of a file.
func parseShebang(head []byte) (s shebang) {
	line, ok := bytes.CutPrefix(head, []byte("#!"))
	if !ok {
		return shebang{}
	}
	line, _, s.whole = bytes.Cut(line, []byte("\n"))
	line, s.cr = bytes.CutSuffix(line, []byte("\r"))
	text := strings.Trim(string(line), " \t")
	end := strings.IndexAny(text, " \t")
	if end < 0 {
		end = len(text)
	}
	s.program, s.argument = text[:end], strings.Trim(text[end:], " \t")
	return s
}

// command returns the interpreter and its argument.
func (s shebang) command() []string {
	switch {
	case s.program == "":
		return nil
	case s.argument == "":
		return []string{s.program}
	}
	return []string{s.program, s.argument}
}

// viaEnv returns the program that a line such as "#!/usr/bin/env bash" looks up on PATH, or ""
// if the line does not use env or has options other than -S.
func (s shebang) viaEnv() string {
	_, words := s.envWords()
	if filepath.Base(s.program) != "env" || words == nil {
		return ""
	}
	return words[0]
}

// envWords returns the variables that a line such as "#!/usr/bin/env -S A=1 node x" sets, and the
// words of the command that env runs; nil if it has options other than -S.
func (s shebang) envWords() (variables, words []string) {
	rest, split := strings.CutPrefix(s.argument, "-S")
	if words = []string{s.argument}; split {
		words = strings.Fields(rest)
	}
	for len(words) > 0 && strings.Contains(words[0], "=") {
		variables, words = append(variables, words[0]), words[1:]
	}
	if len(words) == 0 || words[0] == "" || strings.HasPrefix(words[0], "-") {
		return nil, nil
	}
	return variables, words
}

// plainEnv returns the program that env would look up on PATH, and its arguments, if the line is so
// simple that every implementation of env handles it in the same way; else nil.
func (s shebang) plainEnv() (words []string) {
	if s.program != "/usr/bin/env" && s.program != "/bin/env" || s.cr || !s.whole {
		return nil
	}
	rest, split := strings.CutPrefix(s.argument, "-S")
	if strings.Trim(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-+_.,:=/@% ") != "" {
		return nil // quotes, escapes and variables have a meaning after -S
	}
	words = strings.Fields(rest)
	switch {
	case len(words) == 0, len(words) > 1 && !split:
		return nil
	case strings.HasPrefix(words[0], "-"), strings.ContainsAny(words[0], "=/"): // an option, a variable, a path
		return nil
	}
	return words
}

// isShell reports whether the interpreter is a shell.
func (s shebang) isShell() bool {
	switch filepath.Base(s.program) {
	case "sh", "bash", "dash", "ash", "ksh", "zsh":
		return true
	}
	return false
}

// ByEnding returns the interpreter of a script without a #! line, by its file extension; nil for
// none.
func ByEnding(path string) []string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".sh", ".bash":
		return []string{"bash"}
	case ".zsh":
		return []string{"zsh"}
	case ".py":
		return []string{"python3"}
	case ".js", ".mjs", ".cjs":
		return []string{"node"}
	case ".rb":
		return []string{"ruby"}
	case ".pl":
		return []string{"perl"}
	case ".php":
		return []string{"php"}
	case ".lua":
		return []string{"lua"}
	case ".ps1":
		return []string{"pwsh", "-File"}
	}
	return nil
}
