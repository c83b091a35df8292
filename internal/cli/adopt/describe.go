package adopt

import (
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

var (
	// aside matches comments for programs, editors or lawyers, and what is about a script but not what it does.
	aside = lazyregexp.New(`(?i)^(shellcheck |mcp:|mcp-bash:|vim?:|-\*-|spdx-|copyright|\(c\)|©|licen[sc]ed?\b|authors?\b|written by|maintainer|` +
		`@|coding[:=]|encoding[:=]|https?://|www\.|date\b\s*:|created\b|modified|last (change|modified|updated)|version\b|\$id|about\b|name\s*:|file(name)?\s*:|` +
		`requires?\b|requirements?\b|depend(s|encies)\b|todo\b|fixme\b|note\b|see( also)?\b|source\s*:|from\s*:|changelog|history|options?\s*:|examples?\b|usage|synopsis|arguments?\s*:|` +
		`eslint|jshint|global |permission is hereby|this (program|script|file|software) is (free|licensed|part|distributed|released)|all rights reserved|released under|the mit|gnu|redistribut|contributed by|easy-install|to generate|\d{4}[ ,-]\D|\d{4}-\d\d|\d{1,2}[./]\d)`)
	// legal matches a paragraph for lawyers.
	legal = lazyregexp.New(`(?i)general public licen|source code form|copy of this software|of this software and associated|\bwarrant(y|ies)\b|free software|redistribut|permission is|(mit|bsd|apache|mozilla public|source code form).{0,40}licen[sc]e|all rights reserved|above line with #!`)
	// remark matches the beginning of a comment of one line.
	remark = lazyregexp.New(`^\s*(?:#+!?|//+|/\*+!?|\*+/?|--+|;+|%+)(?:\s|$)`)
	// lead matches a name before what it does: "backup.sh - copies a folder".
	lead = lazyregexp.New(`^([\w./-]+)\s*(?:--?|–|—|:)\s+`)
	// inCode matches a description that is a value in the code.
	inCode = lazyregexp.New("(?i)(?:^|[\\s.$@:(,{])(?:description|desc|summary|about|purpose)[\"']?\\s*(?:=|:|\\(|=>)\\s*[\"'`]([^\"'`$]{8,})[\"'`]")
	// podName matches the line that says what a program is for in the documentation of a Perl script.
	podName = lazyregexp.New(`(?s)\n=head1 NAME\s+(\S[^\n]*)`)
)

// describe returns what the comment at the top of a script says that it does: the first paragraph that
// describes it, or else what its documentation or a variable says.
func describe(lines []string, program string) string {
	var text []string
	for i, line := range lines {
		if i == 0 && strings.HasPrefix(line, "#!") {
			continue
		}
		at := remark.Get().FindStringIndex(line + " ")
		if at == nil {
			if strings.TrimSpace(line) == "" && len(text) == 0 {
				continue
			}
			break
		}
		rest := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace((line + " ")[at[1]:]), "*/"))
		switch {
		case rest == "" || strings.Trim(rest, "-=*_~# ") == "", aside.Get().MatchString(rest), isItem(rest), quotedOption(rest):
			if isSentence(text, program) {
				return sentence(text, program)
			}
			text = nil
		default:
			text = append(text, rest)
		}
	}
	if isSentence(text, program) {
		return sentence(text, program)
	}
	all := strings.Join(lines, "\n")
	if m := podName.Get().FindStringSubmatch(all); m != nil && isSentence(m[1:], program) {
		return sentence(m[1:], program)
	}
	if m := inCode.Get().FindStringSubmatch(all); m != nil && isSentence(m[1:], program) {
		return sentence(m[1:], program)
	}
	return ""
}

func isItem(text string) bool {
	return strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "# ") || strings.HasPrefix(text, "* ") || strings.HasPrefix(text, "$ ")
}

func quotedOption(text string) bool { return optionOf(text, 0).name() != "" }

// isSentence reports whether lines say something about a program but its name.
func isSentence(lines []string, program string) bool {
	text := sentence(lines, program)
	if legal.Get().MatchString(text) {
		return false
	}
	return len(strings.Fields(text)) > 1 || len(text) > 3 && strings.HasSuffix(text, ".")
}

// sentence joins lines, without the name of the program before them.
func sentence(lines []string, program string) string {
	text := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
	if m := lead.Get().FindStringSubmatch(text); m != nil {
		stem := strings.TrimSuffix(program, filepath.Ext(program))
		if base := filepath.Base(m[1]); base == program || strings.EqualFold(strings.TrimSuffix(base, filepath.Ext(base)), stem) || strings.Contains(m[1], ".") || strings.Contains(m[0], " - ") {
			text = text[len(m[0]):]
		}
	}
	text = strings.TrimRight(text, " -=")
	const most = 400
	if len(text) > most {
		if cut := strings.LastIndex(text[:most], ". "); cut > 0 {
			return text[:cut+1]
		}
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
