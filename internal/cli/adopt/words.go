package adopt

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
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

// uses reports whether statements use one of some parameters.
func uses(stmts []*syntax.Stmt, names ...string) bool {
	for p := range nodes[*syntax.ParamExp](stmts) {
		if p.Param != nil && p.Param.Value != "" && slices.Contains(names, p.Param.Value) {
			return true
		}
	}
	return false
}

// contains reports whether a word uses one of some parameters.
func contains(word *syntax.Word, names ...string) bool {
	return word != nil && uses([]*syntax.Stmt{{Cmd: &syntax.CallExpr{Args: []*syntax.Word{word}}}}, names...)
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
			b.WriteString(escaping.Get().ReplaceAllString(p.Value, "$1"))
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

// escaping matches a character that a shell escapes.
var escaping = lazyregexp.New(`(?s)\\(.)`)

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
	if p, ok := expansion(word); ok {
		return p.Param.Value, true
	}
	return "", false
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
	name, _ := parameter(word)
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

// hasText reports whether a word has more than expansions and blanks.
func hasText(word *syntax.Word) bool {
	isText := func(part syntax.WordPart) bool {
		l, ok := part.(*syntax.Lit)
		_, quoted := part.(*syntax.SglQuoted)
		return quoted || ok && strings.TrimSpace(l.Value) != ""
	}
	return slices.ContainsFunc(word.Parts, func(part syntax.WordPart) bool {
		q, ok := part.(*syntax.DblQuoted)
		return isText(part) || ok && slices.ContainsFunc(q.Parts, isText)
	})
}
