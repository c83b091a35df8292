package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// handling reports where a script passes a client's values to the shell: as a program, or without
// quotes.
func (s shellScript) handling() []Message {
	t := taintOf(s.tree)
	var all []Message
	for call := range nodes[*syntax.CallExpr](s.tree) {
		if len(call.Args) > 0 {
			all = append(all, t.call(call)...)
		}
	}
	return slices.DeleteFunc(all, s.allowed)
}

// call reports what is wrong with a command.
func (t taint) call(call *syntax.CallExpr) []Message {
	if w := program(call); w != nil && t.in(w) || nameOf(call) == "eval" && slices.ContainsFunc(call.Args[1:], func(w *syntax.Word) bool { return t.in(w) }) {
		return []Message{at(call.Pos(), Message{
			Level: Warning, Rule: "eval-of-argument",
			Message: fmt.Sprintf("%s runs a value from the client as code, which can do all that this script can", nameOf(call)),
			Hint:    "call the command itself with quoted words, or quote each value with printf %q",
		})}
	}
	var all []Message
	for _, w := range call.Args {
		for _, part := range w.Parts {
			if what := t.bare(part); what != "" {
				all = append(all, at(part.Pos(), Message{
					Level: Warning, Rule: "unquoted-argument",
					Message: fmt.Sprintf("%s holds a value from the client and is not quoted: the shell splits it at blanks and expands * and ?", what),
					Hint:    `write "` + what + `"`,
				}))
			}
		}
	}
	return all
}

// program returns the word of a call that a shell executes as a program, as in bash -c WORD; nil for none.
func program(call *syntax.CallExpr) *syntax.Word {
	switch path.Base(nameOf(call)) {
	case "sh", "bash", "dash", "ksh", "zsh":
	default:
		return nil
	}
	for i, w := range call.Args[:len(call.Args)-1] {
		if flags, isFlag := strings.CutPrefix(w.Lit(), "-"); i > 0 && isFlag && strings.HasSuffix(flags, "c") {
			return call.Args[i+1]
		}
	}
	return nil
}

// bare returns the source of a part of a word that expands, without quotes, to a client's value; ""
// for any other part.
func (t taint) bare(part syntax.WordPart) string {
	switch part := part.(type) {
	case *syntax.ParamExp:
		if part.Param != nil && t.in(part) {
			if part.Short {
				return "$" + part.Param.Value
			}
			return "${" + part.Param.Value + "}"
		}
	case *syntax.CmdSubst:
		if t.in(part) {
			return "$(...)"
		}
	}
	return ""
}

// allowed reports whether a comment on the line, or alone on the line before, allows the finding:
//
//	# mcp-bash: allow unquoted-argument
//	# shellcheck disable=SC2086
func (s shellScript) allowed(m Message) bool {
	names := []string{"mcp-bash: allow " + m.Rule}
	if m.Rule == "unquoted-argument" {
		names = append(names, "SC2086", "SC2046")
	}
	says := func(line string) bool {
		_, comment, _ := strings.Cut(line, "#")
		return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(comment, name) })
	}
	at := m.Line - 1
	return says(s.lines[at]) || at > 0 && strings.HasPrefix(strings.TrimSpace(s.lines[at-1]), "#") && says(s.lines[at-1])
}

// at sets the position of a message.
func at(pos syntax.Pos, m Message) Message {
	m.Line, m.Column = int(pos.Line()), int(pos.Col())
	return m
}
