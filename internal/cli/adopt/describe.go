package adopt

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A description is a text that says what a program does. The name of the program or a label before it shows that best,
// then its form: it begins with a verb, or names a kind of program. Any other text is offered with a doubt.
type description struct {
	text        string
	named, sure bool
}

var (
	// remark matches the beginning of a comment of one line, with what programs put into it to find it again.
	remark = lazyregexp.New(`^\s*(?:#+!?|//+|/\*+!?|\*+/?|--+|;+|%+)(?:\s+|$|[-=*_~#]{3,})(?:@\(#\) )?`)
	// legal matches what only paragraphs for lawyers have.
	legal = lazyregexp.New(`(?i)copyright|licen[sc]|warrant(y|ies)\b|redistribut|free software|all rights reserved|` +
		`permission|in the hope that|without (?:any|even|liability)\b`)
	// itsText matches what is about the text of a script.
	itsText = lazyregexp.New(`(?i)\bthis (?:\w+ )?(?:file|script|document)\b|\bthe above\b|` +
		`\b(?:written|modified|generated|created|changes|inspired)\b.* (?:by|for|from|on)\b`)
	// kind matches what names a kind of program: "Wrapper around tar", "Small script that copies".
	kind = lazyregexp.New(`(?i)^(?:[\w/:.'-]+ ){0,4}(?:script|program|tool|utility|front-?end|[a-z]{3,}(?:er|or))` +
		`(?: (?:for|to|that|around|using|with|which)\b|[.,]|$)`)
	// label matches what stands before a description.
	label = lazyregexp.New(`(?i)^(?:(?:short-)?description|purpose|summary|overview)\s*:\s*`)
	// lead matches a name before what it does: "backup.sh - copies a folder".
	lead = lazyregexp.New(`^([\w./-]+)\s*(?:-{1,3}|–|—|:)\s+`)
	// other matches a line that ends a description: one with another label, or an item of a list.
	other = lazyregexp.New(`(?i)^(?:[\w./-]+(?: [\w./()-]+){0,3}\s*:(?:\s|$)|` +
		`(?:vim?:|ex:|shellcheck|usage|synopsis|examples?|options|report|by|see|@\w+)\b|\d+\.\d|[-*$<@|+>:#(\\]|\w+\()` +
		`| \| |\S@\S+\.\w|https?://\S+$`)
	// about matches the beginning of a sentence about the script, up to its verb.
	about = lazyregexp.New(`^(?i:this|it|the (?:script|program|tool|utility|command))` +
		`(?: (?i:simple|small|little|short|shell|bash|perl|python|script|program|module|tool|utility|command|hook|` +
		`first|also|will|can))*` +
		` (\w+)(?: (\w+))?`)
	// inCode matches a description that is a value in the code.
	inCode = lazyregexp.New("(?i)(?:^|[\\s.$@:(,{])(?:description|desc|summary|about|purpose)[\"']?" +
		"\\s*(?:=|:|\\(|=>)\\s*[\"'`]([^\"'`$]{8,})[\"'`]")
	// podName matches the line that says what a program is for in the documentation of a Perl script.
	podName = lazyregexp.New(`(?s)\n=head1 NAME\s+\S[^\n]*? --?\s+(\S[^\n]*(?:\n\S[^\n]*)*)`)
)

// describe sets the description from what the comment at the top of a script, its documentation, its usage text or a
// variable says that it does.
func (r *Reading) describe(lines []string, program string, u usage, more ...description) {
	all := strings.Join(lines, "\n")
	comments, above := paragraphs(lines)
	for i, paragraph := range comments {
		if d := described(paragraph, program); d.sure || !above || i < len(comments)-1 || strings.HasSuffix(d.text, ".") {
			more = append(more, d)
		}
	}
	if m := podName.Get().FindStringSubmatch(all); m != nil && !legal.Get().MatchString(m[1]) {
		more = append(more, description{sentence(strings.Join(strings.Fields(plain(m[1])), " ")), true, true})
	}
	more = append(more, u.about)
	if m := inCode.Get().FindStringSubmatch(all); m != nil {
		more = append(more, described(m[1:], program))
	}
	best := description{}
	for _, d := range more {
		if d.text != "" && (best.text == "" || d.named && !best.named) {
			best = d
		}
	}
	if r.Description = best.text; best.text != "" && !best.sure {
		r.doubt(0, "its description may be about something else: check it")
	}
}

// paragraphs returns the text of the comments before the code, but not those about its first line, and whether the last
// is directly above that, so it may be about it, too.
func paragraphs(lines []string) (all [][]string, above bool) {
	var text []string
	seen, later, apart := false, false, false // a comment, a blank line behind it, and one before it
	for i, line := range lines {
		at := remark.Get().FindStringIndex(line + " ")
		switch blank := strings.TrimSpace(line) == ""; {
		case i == 0 && strings.HasPrefix(line, "#!"):
			continue
		case at == nil && !blank && (later || apart):
			return all, false // what is directly above is about this line
		case at == nil && !blank:
			return append(all, text), true
		case blank:
			later, apart = later || seen, apart || !seen
			all, text = append(all, text), nil
			continue
		}
		seen = true
		rest := strings.Trim(strings.TrimSuffix(strings.TrimSpace((line + " ")[at[1]:]), "*/"), " #")
		if rest != "" && strings.Trim(rest, "-=*_~") != "" {
			text = append(text, rest)
			continue
		}
		all, text = append(all, text), nil
	}
	return append(all, text), false
}

// described returns what a paragraph says that a program does; empty if it is about something else.
func described(paragraph []string, program string) (best description) {
	for i, line := range paragraph {
		if legal.Get().MatchString(line) {
			return description{} // the best may be about the authors, too
		}
		if i > 0 && strings.Contains(paragraph[i-1], " ") && !ended(paragraph[i-1], line) {
			continue // it goes on with a sentence
		}
		line, _, _ = strings.Cut(line, " -*-")
		said := label.Get().ReplaceAllString(line, "")
		short := withoutName(said, program)
		if said == line && (other.Get().MatchString(short) ||
			itsText.Get().MatchString(short) && !about.Get().MatchString(short)) {
			continue
		}
		named := short != line
		short, _, _ = strings.Cut(strings.TrimSpace(short), "   ") // a column
		text := []string{short}
		for n, more := range paragraph[i+1:] {
			if more == program || strings.Contains(more, "   ") || other.Get().MatchString(more) ||
				legal.Get().MatchString(more) || !strings.HasSuffix(text[n], ".") && ended(paragraph[i+n], more) {
				break
			}
			text = append(text, more)
		}
		d := description{text: sentence(strings.Join(strings.Fields(strings.Join(text, " ")), " "))}
		words, sentence := strings.Fields(d.text), strings.HasSuffix(d.text, ".")
		switch n := len(words); {
		case n < 2 && !sentence:
		case named || says(d.text, program):
			d.sure, d.named = true, named
			return d
		case n > 1 && isVerb(words[0]) && oneOf(prepositions, words[1]): // "Functions of the set"
		case best.text == "" && (n > 2 || n > 1 && sentence) && begins(words[0]) && !strings.ContainsAny(d.text, "[|") &&
			!slices.ContainsFunc(words[1:min(4, n)], func(w string) bool { return oneOf("is are was were has", w) }):
			best = d
		}
	}
	return best
}

// ended reports whether a sentence ends with a line: with a full stop, or since the next begins with a word in upper
// case for which there was room.
func ended(line, next string) bool {
	first, _, _ := strings.Cut(next, " ")
	return strings.HasSuffix(line, ".") ||
		unicode.IsUpper(rune(next[0])) && len(line)+len(first) < 64
}

// says reports whether a text begins as one that says what a program does: "Copies files", "Copy the files", "A tool",
// "This script copies".
func says(text, program string) bool {
	if m := about.Get().FindStringSubmatch(text); m != nil {
		return isVerb(m[1]) || strings.Contains(m[0], " will ") || strings.Contains(m[0], " can ") ||
			m[1] == "is" && oneOf("a an the used for meant intended", m[2])
	}
	words := append(strings.Fields(text), "", "")
	self := strings.Trim(words[0], "`'\"*")
	if (self == program || strings.EqualFold(self, strings.TrimSuffix(program, filepath.Ext(program)))) &&
		(oneOf("can will", words[1]) || isVerb(words[1])) {
		return true
	}
	if strings.HasSuffix(words[0], "ly") {
		words = words[1:] // "Automatically check"
	}
	first, second := strings.ToLower(words[0]), strings.ToLower(words[1])
	return begins(first) && (kind.Get().MatchString(text) || oneOf(determiners, second) && words[2] != "" ||
		isVerb(strings.TrimSuffix(words[0], ".")) && !oneOf(prepositions, second))
}

// What follows a verb, or else a noun in the plural, and what no description begins with.
const (
	determiners  = "a an the all each every any some one its your what whether"
	prepositions = "of is are in with as it for to at on that have must should may can will do were from by"
	remarks      = "to if when while since because although unless note you we i it this that there these those " +
		"here now please todo fixme xxx only also not no so but and or in on at by with from as for of all any " +
		"some each every both unlike like what how why where see don't is are was be etc plus"
)

// begins reports whether a description may begin with a word.
func begins(word string) bool {
	return strings.ToLower(word) != strings.ToUpper(word) &&
		!oneOf(remarks, strings.ToLower(strings.TrimRight(word, ".,:;"))) &&
		strings.Trim(word, nameLetters+"'.,()/`\"") == "" && !(strings.Contains(word, "_") && strings.ToUpper(word) == word)
}

// isVerb reports whether a word may be a verb in the third person.
func isVerb(word string) bool {
	return len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") &&
		!strings.HasSuffix(word, "us") && strings.ToUpper(word) != word &&
		strings.Trim(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz-") == ""
}

// oneOf reports whether a list of words with blanks between has a word.
func oneOf(list, word string) bool { return word != "" && strings.Contains(" "+list+" ", " "+word+" ") }

// withoutName returns a text without the name of the program before it.
func withoutName(text, program string) string {
	if m := lead.Get().FindStringSubmatch(text); m != nil {
		stem := strings.TrimSuffix(program, filepath.Ext(program))
		if base := filepath.Base(m[1]); base == program ||
			strings.EqualFold(strings.TrimSuffix(base, filepath.Ext(base)), stem) || strings.Contains(m[1], ".") ||
			strings.Contains(m[0], " - ") {
			return text[len(m[0]):]
		}
	}
	return text
}

// sentence returns a text without what is too long for a description.
func sentence(text string) string {
	text = strings.TrimRight(text, " -=,:")
	const most = 400
	if len(text) > most {
		if cut := strings.LastIndex(text[:most], ". "); cut > 0 {
			return text[:cut+1]
		}
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
