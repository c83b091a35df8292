package check

import (
	"bytes"
	"errors"
	"iter"
	"path"
	"path/filepath"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/shellfile"
)

// shellPatience is how long a shell may take to parse a script.
const shellPatience = 5 * time.Second

// A shellScript is a parsed shell script.
type shellScript struct {
	lines       []string // of its text
	interpreter []string // program and arguments of its #! line; bash if it has none
	tree        *syntax.File
	err         error // the first syntax error for that shell
	bashism     bool  // bash could parse it
}

// parse parses a script; ok reports whether it is for a known shell. Nothing is run.
func (t target) parse(text []byte) (s shellScript, ok bool) {
	text = bytes.TrimPrefix(text, bom)
	lang, interpreter, ok := t.dialect(text)
	if !ok {
		return s, false
	}
	s = shellScript{lines: strings.Split(string(text), "\n"), interpreter: interpreter}
	s.tree, s.err = shellfile.ParseShell(text, lang)
	if s.err != nil && lang == syntax.LangPOSIX {
		_, err := shellfile.ParseShell(text, syntax.LangBash)
		s.bashism = err == nil
	}
	return s, true
}

// dialect returns the shell that runs a script: bash if the server sources it.
func (t target) dialect(text []byte) (lang syntax.LangVariant, interpreter []string, ok bool) {
	if t.hook {
		return syntax.LangBash, []string{"bash"}, true
	}
	if by := process.ByEnding(t.path); !bytes.HasPrefix(firstLine(text), []byte("#!")) &&
		(by != nil && by[0] != "bash" || process.IsBatch(t.path)) {
		return 0, nil, false // the server starts it like this: tool.py is not a shell script
	}
	return dialect(text)
}

// dialect returns the shell that the #! line of a script names. A script without such a line is for
// bash, which sources it.
func dialect(text []byte) (lang syntax.LangVariant, interpreter []string, ok bool) {
	if !bytes.HasPrefix(text, []byte("#!")) {
		return syntax.LangBash, []string{"bash"}, true
	}
	words, _ := interpreterOf(text)
	if len(words) == 0 {
		return 0, nil, false
	}
	switch path.Base(words[0]) {
	case "bash":
		return syntax.LangBash, words, true
	case "sh", "dash", "ash":
		return syntax.LangPOSIX, words, true
	case "ksh", "mksh":
		return syntax.LangMirBSDKorn, words, true
	}
	return 0, nil, false
}

// interpreterOf returns the program that the #! line of a script names, with its arguments; byEnv reports whether env
// looks it up.
func interpreterOf(text []byte) (words []string, byEnv bool) {
	line, has := bytes.CutPrefix(firstLine(text), []byte("#!"))
	if !has {
		return nil, false
	}
	words = strings.Fields(string(line))
	if byEnv = len(words) > 0 && path.Base(words[0]) == "env"; byEnv {
		for words = words[1:]; len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")); {
			words = words[1:]
		}
	}
	return words, byEnv
}

// fault returns the message for the syntax error.
func (s shellScript) fault() Message {
	m := Message{Level: Error, Rule: "syntax", Hint: "fix the line, or one before it that is incomplete"}
	pos := syntax.Pos{}
	var parse syntax.ParseError
	var lang syntax.LangError
	switch {
	case errors.As(s.err, &parse):
		pos, m.Message = parse.Pos, parse.Text
	case errors.As(s.err, &lang):
		pos, m.Message = lang.Pos, "no support for "+lang.Feature
	default:
		m.Message = s.err.Error()
	}
	if s.bashism {
		m.Rule = "bashism"
		m.Message = path.Base(s.interpreter[0]) + " may not support this, bash does: " + m.Message
		m.Hint = "write #!/usr/bin/env bash in the first line"
	}
	if pos.IsValid() {
		m.Line, m.Column = int(pos.Line()), int(pos.Col())
	}
	return m
}

// doubleBrackets reports [[ in a script for a shell that has none: it is a command that does not exist there, so the
// condition never holds.
func (s shellScript) doubleBrackets(runs bool) (slips []Message) {
	if name := path.Base(s.interpreter[0]); name != "sh" && name != "dash" {
		return nil
	}
	for call := range nodes[*syntax.CallExpr](s.tree) {
		if nameOf(call) != "[[" {
			continue
		}
		m := Message{Level: Warning, Rule: "bashism", Message: "sh may not know [[, bash does",
			Hint: "write #!/usr/bin/env bash in the first line, or use [ ]"}
		if runs && isDash(s.interpreter[0]) {
			m.Level, m.Message = Error, "sh is dash here, which does not know [[: the condition never holds"
		}
		slips = append(slips, at(call.Pos(), m))
	}
	return slips
}

// isDash reports whether a shell is dash on this system, which reads what bash alone understands only when it runs it.
func isDash(shell string) bool {
	if !path.IsAbs(shell) {
		shell = "/bin/" + path.Base(shell)
	}
	real, err := filepath.EvalSymlinks(shell)
	return err == nil && filepath.Base(real) == "dash"
}

// allowed reports whether a comment on the line, or alone on the line before, allows the finding:
//
//	# mcp-bash: allow unknown-helper
func (s shellScript) allowed(m Message) bool {
	says := func(line string) bool {
		_, comment, _ := strings.Cut(line, "#")
		return strings.Contains(comment, "mcp-bash: allow "+m.Rule)
	}
	at := m.Line - 1
	return says(s.lines[at]) || at > 0 && strings.HasPrefix(strings.TrimSpace(s.lines[at-1]), "#") && says(s.lines[at-1])
}

// at sets the position of a message.
func at(pos syntax.Pos, m Message) Message {
	m.Line, m.Column = int(pos.Line()), int(pos.Col())
	return m
}

// nodes are the nodes of a type in a node, in the order of the script.
func nodes[T syntax.Node](in syntax.Node) iter.Seq[T] {
	return func(yield func(T) bool) {
		for node := range syntax.Preorder(in) {
			if n, ok := node.(T); ok && !yield(n) {
				return
			}
		}
	}
}

// nameOf returns the command that a call names, "" if the name contains expansions.
func nameOf(call *syntax.CallExpr) string {
	if len(call.Args) == 0 {
		return ""
	}
	return call.Args[0].Lit()
}
