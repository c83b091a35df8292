package adopt

import (
	"bytes"
	"path/filepath"
	"strings"
)

// Read reads a script. Of a script in an unknown language it only reads what its comments and texts say
// about its usage, of a program nothing.
func Read(name string, text []byte) (r Reading) {
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\uFEFF")), []byte("\r\n"), []byte("\n"))
	switch language(name, text) {
	case "shell":
		return ReadShell(text)
	case "python":
		return ReadPython(text)
	}
	if !isBinary(text) {
		lines := strings.Split(string(text), "\n")
		r.Description = comment(lines)
		fromUsage(&r, usageOfScript(lines))
	}
	return r
}

// ReadHelp reads the text that a program prints with --help.
func ReadHelp(text string) Reading {
	var r Reading
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	fromUsage(&r, readUsage(lines))
	for i := range r.Options {
		r.Options[i].Line = 0
	}
	for i := range r.Positions {
		r.Positions[i].Line = 0
	}
	for _, line := range lines {
		if line == "" || strings.ContainsAny(line[:1], " \t-") || synopsis.Get().MatchString(line) || strings.HasSuffix(line, ":") {
			continue
		}
		r.Description = strings.TrimSpace(line)
		break
	}
	return r
}

func withoutHelp(options []Option) []Option {
	var kept []Option
	for _, o := range options {
		if !isHelp(o) {
			if !o.Takes {
				o.Type = "boolean"
			}
			kept = append(kept, o)
		}
	}
	return kept
}

// language returns a script's language by its #! line, or else by its file extension.
func language(name string, text []byte) string {
	first, _, _ := strings.Cut(string(text[:min(256, len(text))]), "\n")
	if line, ok := strings.CutPrefix(first, "#!"); ok {
		for _, word := range strings.Fields(line) {
			switch base := filepath.Base(word); {
			case base == "bash", base == "sh", base == "dash", base == "ash", base == "ksh", base == "zsh":
				return "shell"
			case strings.HasPrefix(base, "python"):
				return "python"
			}
		}
		return ""
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".sh", ".bash":
		return "shell"
	case ".py":
		return "python"
	}
	return ""
}
