package adopt

import (
	"iter"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// nodes are all nodes of a type in statements, in the order of the script.
func nodes[T syntax.Node](stmts []*syntax.Stmt) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, s := range stmts {
			for node := range syntax.Preorder(s) {
				if n, ok := node.(T); ok && !yield(n) {
					return
				}
			}
		}
	}
}

// uses reports whether statements use a parameter.
func uses(stmts []*syntax.Stmt, name string) bool {
	for p := range nodes[*syntax.ParamExp](stmts) {
		if p.Param != nil && p.Param.Value == name {
			return true
		}
	}
	return false
}

func line(node syntax.Node) int { return int(node.Pos().Line()) }

// literal returns the text of a word without expansions.
func literal(word *syntax.Word) (text string, ok bool) {
	if word == nil {
		return "", false
	}
	var b strings.Builder
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				l, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(l.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unescape removes the backslash escapes of a shell from a text.
func unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// start returns the literal text at the beginning of a pattern.
func start(word *syntax.Word) string {
	if word == nil || len(word.Parts) == 0 {
		return ""
	}
	if text, ok := literal(word); ok {
		return text
	}
	text, _ := literal(&syntax.Word{Parts: word.Parts[:1]})
	return text
}

// literals returns the words of a command; words with expansions are empty.
func literals(words []*syntax.Word) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i], _ = literal(word)
	}
	return all
}

// parameter returns the parameter that a word consists of: x for $x, "$x" and "${x:-y}".
func parameter(word *syntax.Word) (name string, ok bool) {
	p, ok := expansion(word)
	if !ok {
		return "", false
	}
	return p.Param.Value, true
}

// expansion returns the expansion of a parameter that a word consists of.
func expansion(word *syntax.Word) (p *syntax.ParamExp, ok bool) {
	if word == nil || len(word.Parts) != 1 {
		return nil, false
	}
	part := word.Parts[0]
	if q, quoted := part.(*syntax.DblQuoted); quoted && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	p, ok = part.(*syntax.ParamExp)
	return p, ok && p.Param != nil && !p.Length && p.Index == nil
}

// number returns the position that a word consists of: 1 for "$1".
func number(word *syntax.Word) (n int, ok bool) {
	name, ok := parameter(word)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(name)
	return n, err == nil && n >= 1 && n <= 100
}

// isAll reports whether a word is "$@" or "$*", also in the form for old shells.
func isAll(word *syntax.Word) bool {
	p, ok := expansion(word)
	return ok && (p.Param.Value == "@" || p.Param.Value == "*" || p.Exp != nil && isAll(p.Exp.Word)) // ${1+"$@"}
}

// isArray reports whether a word is all of an array, as in "${FILES[@]}".
func isArray(word *syntax.Word) bool {
	for node := range syntax.Preorder(word) {
		if p, ok := node.(*syntax.ParamExp); ok && p.Index != nil {
			return true
		}
	}
	return false
}
