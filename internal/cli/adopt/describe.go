package adopt

import (
	"path/filepath"
	"strings"
	"unicode"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A description says what a program does: it begins with a verb, names the program, or says which kind of program it
// is. A tool without such a sentence gets no description, as a wrong one is worse than none.

var (
	// remark matches the beginning of a comment of one line, with what programs put into it to find it again.
	remark = lazyregexp.New(`^\s*(?:#+!?|//+|/\*+!?|\*+/?|--+|;+|%+)(?:\s+|$|[-=*_~#]{3,})(?:@\(#\) )?`)
	// setting matches a line that sets a variable or tests something.
	setting = lazyregexp.New(`^(?:export )?\w+=|^\[|^if `)
	// legal matches what only paragraphs for lawyers have.
	legal = lazyregexp.New(`(?i)copyright|licen[sc]|warrant(y|ies)\b|redistribut|free software|all rights reserved|` +
		`permission`)
	// label matches what stands before a description.
	label = lazyregexp.New(`(?i)^(?:(?:short-)?description|purpose|summary|overview)\s*:\s*`)
	// lead matches a name before what it does: "backup.sh - copies a folder".
	lead = lazyregexp.New(`^([\w./-]+)\s*(?:--?|–|—|:)\s+`)
	// other matches a line that ends a description: one with another label, or an item of a list.
	other = lazyregexp.New(`(?i)^(?:[\w./-]+(?: [\w./()-]+)?\s*:(?:\s|$)|` +
		`(?:vim?:|ex:|usage|synopsis|examples?|options|report|by|see|@\w+)\b|\d+\.\d|[-*$<@|+>:#(\\]|\w+\()` +
		`| \| |\S@\S+\.\w|https?://\S+$`)
	// about matches the beginning of a sentence about the script, up to its verb.
	about = lazyregexp.New(`^(?i:this|it|the (?:script|program|tool|utility|command))` +
		`(?: (?i:simple|small|little|short|shell|bash|perl|python|script|program|tool|utility|command|hook|first|also))*` +
		` (\w+)(?: (\w+))?`)
	// inCode matches a description that is a value in the code.
	inCode = lazyregexp.New("(?i)(?:^|[\\s.$@:(,{])(?:description|desc|summary|about|purpose)[\"']?" +
		"\\s*(?:=|:|\\(|=>)\\s*[\"'`]([^\"'`$]{8,})[\"'`]")
	// podName matches the line that says what a program is for in the documentation of a Perl script.
	podName = lazyregexp.New(`(?s)\n=head1 NAME\s+\S[^\n]*? --?\s+(\S[^\n]*(?:\n\S[^\n]*)*)`)
)

// verbs are those with which descriptions of scripts begin, also with an s.
const verbs = "activate add adjust aggregate allow analyze annotate append apply archive ask assemble attach audit " +
	"authenticate back backup benchmark block bootstrap browse build bump burn calculate call capture change " +
	"check choose clean clear clone close collect combine compare compile complete compress compute concatenate " +
	"configure connect control convert copy count create crop cut deactivate debug decode decompress decrypt " +
	"delete deploy detect determine diff disable display do dock download draw drop dump edit emit emulate enable " +
	"encode encrypt enforce ensure enter enumerate estimate evaluate examine execute expand explain export " +
	"extract fetch filter find fix flag flash flatten follow force format free generate get give go grab greet " +
	"grep group guess handle help hide highlight hold import increment index init initialize insert inspect " +
	"install interact invoke join keep kill launch let lint list listen load locate lock log look lookup loop " +
	"make manage manipulate map mark match measure merge migrate minify mirror modify monitor mount move " +
	"normalize notify number open operate optimize order organize output pack package page pad parse patch " +
	"perform pick ping pipe place play plot poll post prepare pretty-print preview print process produce profile " +
	"prompt protect provide provision prune publish pull purge push put query quit random randomize read rebase " +
	"rebuild receive recompress record recover reduce refresh register release reload remind remove rename render " +
	"reorder repair repeat replace replay reproduce request rescale reset resize resolve restart restore restrict " +
	"retrieve return reverse review rewrite roll rotate round run sanitize save say scale scan schedule scrape " +
	"search select send serve set setup share shorten show shuffle shut simulate skip snapshot sort spawn split " +
	"squash start stop store stream strip submit sum summarize suspend switch sync synchronize tag tail take talk " +
	"tell terminate test time toggle touch trace track train transcode transfer transform translate trigger trim " +
	"truncate turn tweak uncompress undo uninstall unlock unmount unpack unzip update upgrade upload use validate " +
	"verify view visualize wait wake walk warn watch wipe wrap write yield zip"

// kinds are kinds of programs, as in "Wrapper around tar".
const kinds = "annotator assistant benchmark builder calculator checker cleaner client clone compiler compressor " +
	"converter counter daemon debugger demo downloader editor emulator filter finder fixer formatter frontend " +
	"front-end generator helper hook implementation indexer installer interface interpreter launcher linter " +
	"lister loader logger manager monitor parser picker player printer processor profiler program reader " +
	"reimplementation replacement reporter runner scanner scraper script server shell simulator tester timer tool " +
	"tracer uploader updater utility validator viewer watcher wrapper writer"

// describe returns what the comment at the top of a script, its documentation, its usage text or a variable says that
// it does.
func describe(lines []string, program string, u usage) string {
	for _, paragraph := range paragraphs(lines) {
		if text := described(paragraph, program); text != "" {
			return text
		}
	}
	all := strings.Join(lines, "\n")
	if m := podName.Get().FindStringSubmatch(all); m != nil {
		return sentence(plain(strings.Join(strings.Fields(m[1]), " ")))
	}
	if u.about != "" {
		return u.about
	}
	if m := inCode.Get().FindStringSubmatch(all); m != nil {
		return described(m[1:], program)
	}
	return ""
}

// paragraphs returns the text of the comments before the code, but not those about its first line.
func paragraphs(lines []string) (all [][]string) {
	var text []string
	seen, later, apart := false, false, false // a comment, a blank line behind it, and one before it
	for i, line := range lines {
		at := remark.Get().FindStringIndex(line + " ")
		switch blank := strings.TrimSpace(line) == ""; {
		case i == 0 && strings.HasPrefix(line, "#!"):
			continue
		case at == nil && !blank && (later || apart && setting.Get().MatchString(line)):
			return all // what is directly above is about this line
		case at == nil && !blank:
			return append(all, text)
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
	return append(all, text)
}

// described returns what a paragraph says that a program does; empty if it is about something else.
func described(paragraph []string, program string) string {
	for i, line := range paragraph {
		if legal.Get().MatchString(line) {
			break
		}
		if i > 0 && strings.Contains(paragraph[i-1], " ") && !ended(paragraph[i-1], line) {
			continue // it goes on with a sentence
		}
		line, _, _ = strings.Cut(line, " -*-")
		said := label.Get().ReplaceAllString(line, "")
		short := withoutName(said, program)
		if said == line && other.Get().MatchString(short) {
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
		all := sentence(strings.Join(strings.Fields(strings.Join(text, " ")), " "))
		if strings.ContainsAny(all, " .") && (named || says(all, program)) {
			return all
		}
	}
	return ""
}

// ended reports whether a sentence ends with a line: with a full stop, or since the next begins with a word in upper
// case for which there was room.
func ended(line, next string) bool {
	first, _, _ := strings.Cut(next, " ")
	return strings.HasSuffix(line, ".") ||
		unicode.IsUpper(rune(next[0])) && len(line)+len(first) < 64
}

// says reports whether a text says what a program does.
func says(text, program string) bool {
	words := append(strings.Fields(text), "", "", "")
	if strings.HasSuffix(words[0], "ly") {
		words = words[1:] // "Automatically check"
	}
	first := strings.Trim(words[0], "`'\"*")
	verb, second, sentence := words[1], words[2], false
	itself := first == program || strings.EqualFold(first, strings.TrimSuffix(program, filepath.Ext(program)))
	if m := about.Get().FindStringSubmatch(text); m != nil {
		verb, second, itself, sentence = m[1], m[2], true, true
	}
	itself = itself && (oneOf("can will", verb) || strings.HasPrefix(verb, "(") ||
		strings.HasSuffix(verb, "s") && !oneOf("is was has requires needs depends assumes expects works", verb) ||
		verb == "is" && oneOf("a an the used for meant intended", second))
	switch {
	case itself || sentence:
		return itself
	case isVerb(first): // but not in "Copy of", "Run as root", "Report bugs"
		return strings.HasSuffix(first, ".") ||
			words[1] != "" && !oneOf("of is are in this with as it bugs", strings.ToLower(words[1]))
	}
	for i, word := range words[:min(8, len(words))] {
		if oneOf("is are was were has have may must should if when under version", word) {
			return false
		}
		if i < 6 && oneOf(kinds, strings.ToLower(strings.TrimRight(word, ".,:;"))) {
			return true
		}
		if first != "A" && first != "An" && oneOf("for of to in by from with on that", word) {
			return false
		}
	}
	return oneOf("A An a an", first)
}

// oneOf reports whether a list of words with blanks between has a word.
func oneOf(list, word string) bool { return word != "" && strings.Contains(" "+list+" ", " "+word+" ") }

func isVerb(word string) bool {
	word = strings.ToLower(strings.TrimRight(word, ".,"))
	return oneOf(verbs, word) || oneOf(verbs, strings.TrimSuffix(word, "s")) ||
		oneOf(verbs, strings.TrimSuffix(word, "es")) ||
		oneOf(verbs, strings.TrimSuffix(word, "ies")+"y")
}

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
