package adopt

import (
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A usage is what a usage text says about a program: the text that --help prints, or the lines of
// the script that print it.
type usage struct {
	options   []Option
	positions []Position
	synopsis  bool // a line shows how the program is called
	line      int  // of the synopsis
}

var (
	// before matches what precedes a line of usage text in a script.
	before = lazyregexp.New(`^\s*(?:#+\s?|(?:echo|printf|print)\s+(?:-e\s+|--\s+)?\$?["'])`)
	// after matches what follows it.
	after = lazyregexp.New(`(?:\\n)?["']\s*(?:(?:>&2|1>&2|;).*)?$`)
	// synopsis matches the line that shows how a program is called.
	synopsis = lazyregexp.New(`(?i)^\s*usage:?\s+(\S.*)$`)
	// spec matches an option in a list of options: -n, --count=N, --count N, --count <N>, --colour[=WHEN].
	spec = lazyregexp.New(`^(--?[A-Za-z0-9][\w-]*)(?:(\[?=|\s)[<\[]*([A-Za-z][\w.:/-]*)[>\]]*(?:\.\.\.)?)?(?:\s*[,|/]\s*|\s*$|\s+)`)
	// gap separates an option from its description.
	gap = lazyregexp.New(`\s{2,}|\t+`)
)

// usageOfScript reads the text in the lines of a script.
func usageOfScript(lines []string) usage {
	texts := make([]string, len(lines))
	for i, line := range lines {
		stripped := before.Get().ReplaceAllString(line, "")
		if stripped != line {
			stripped = after.Get().ReplaceAllString(stripped, "")
		}
		texts[i] = stripped
	}
	return readUsage(texts)
}

// readUsage reads lines of text.
func readUsage(lines []string) usage {
	var u usage
	for i, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		if m := synopsis.Get().FindStringSubmatch(line); m != nil && !u.synopsis {
			text := m[1]
			for _, more := range lines[i+1:] { // argparse continues in indented lines
				if strings.TrimSpace(more) == "" || !strings.HasPrefix(more, "      ") {
					break
				}
				text += " " + strings.TrimSpace(more)
			}
			u.synopsis, u.line = true, i+1
			u.positions = positionsOf(text, i+1)
			continue
		}
		if o, ok := optionOf(line, i+1); ok {
			u.options = append(u.options, o)
			continue
		}
		if n := len(u.options); n > 0 && u.options[n-1].Line == i && u.options[n-1].Help == "" && strings.HasPrefix(line, "      ") {
			u.options[n-1].Help = strings.TrimSpace(line) // on a line of its own
		}
	}
	return u
}

// optionOf reads a line such as "  -n, --count=N   how many".
func optionOf(line string, at int) (Option, bool) {
	text := strings.TrimSpace(line)
	if !strings.HasPrefix(text, "-") || strings.HasPrefix(text, "---") {
		return Option{}, false
	}
	head, help := text, ""
	if cut := gap.Get().FindStringIndex(text); cut != nil {
		head, help = text[:cut[0]], text[cut[1]:]
	}
	o := Option{Value: Value{Help: strings.TrimSpace(help), Line: at, From: head}}
	for rest := head + " "; strings.TrimSpace(rest) != ""; {
		m := spec.Get().FindStringSubmatch(rest)
		if m == nil {
			return Option{}, false
		}
		rest = rest[len(m[0]):]
		o.addName(m[1])
		if m[3] != "" {
			if m[2] == "[=" {
				return Option{}, false // an optional value cannot be an argument of a tool
			}
			o.Takes = true
			if m[2] == "=" {
				o.Style = Equals
			}
			if o.Variable == "" {
				o.Variable = m[3]
			}
		}
	}
	return o, o.Short != "" || o.Long != ""
}

// positionsOf reads what a synopsis lists after the name of the program: "backup [OPTIONS] SRC
// [DEST] FILE...".
func positionsOf(text string, line int) []Position {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	var all []Position
	depth, option := 0, false
	for _, word := range words[1:] {
		opened := strings.Count(word, "[") - strings.Count(word, "]")
		bare := strings.Trim(word, "[]<>()")
		list := strings.HasSuffix(bare, "...") || strings.HasSuffix(word, "...")
		bare = strings.Trim(strings.TrimSuffix(bare, "..."), "[]<>()")
		optional := depth > 0 || strings.HasPrefix(word, "[")
		depth += opened
		switch name := ArgumentName(bare); {
		case strings.HasPrefix(strings.TrimLeft(word, "["), "-"):
			option = !strings.Contains(word, "]") && !strings.Contains(word, "=") // its value may follow
		case option:
			option = false
		case bare == "" && list && len(all) > 0:
			all[len(all)-1].List = true
		case name == "", strings.EqualFold(bare, "options"), strings.EqualFold(bare, "option"), strings.EqualFold(bare, "flags"):
		case strings.ContainsAny(bare, "|{}$\"'`;:,()"), !isName(bare):
			return all // a choice, or syntax that is not understood
		case len(all) > 0 && all[len(all)-1].Name == name: // FILE [FILE ...]
			all[len(all)-1].List = true
		default:
			all = append(all, Position{Name: name, Required: !optional, Value: Value{List: list, Line: line, From: word}})
		}
	}
	return all
}

func isName(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// explain adds what the text says about known options and positions.
func (u usage) explain(r *Reading) {
	for _, described := range u.options {
		if o := r.find(described.Short, described.Long); o != nil {
			if o.Help == "" {
				o.Help = described.Help
			}
			if o.Long == "" && o.Variable == "" {
				o.Variable = described.Variable
			}
		}
	}
	for i := range r.Positions {
		if i < len(u.positions) && strings.HasPrefix(r.Positions[i].Name, "arg") {
			if name := u.positions[i].Name; name != "" {
				r.Positions[i].Name = name
			}
		}
	}
}

// comment returns the text of the comment at the top of a script: the first paragraph that describes
// the script.
func comment(lines []string) string {
	var text []string
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if i == 0 && strings.HasPrefix(line, "#!") {
			continue
		}
		rest, ok := strings.CutPrefix(line, "#")
		rest = strings.TrimSpace(strings.TrimLeft(rest, "#"))
		switch {
		case !ok && (line != "" || len(text) > 0):
			return strings.Join(text, " ")
		case synopsis.Get().MatchString(rest):
			return strings.Join(text, " ")
		case rest == "" || strings.Trim(rest, "-=*_~") == "":
			if len(text) > 0 {
				return strings.Join(text, " ")
			}
		case aside.Get().MatchString(rest):
		default:
			text = append(text, rest)
		}
	}
	return strings.Join(text, " ")
}

// aside matches comments for programs, editors or lawyers.
var aside = lazyregexp.New(`(?i)^(shellcheck |mcp:|mcp-bash:|vim?:|-\*-|spdx-|copyright|\(c\)|licen[sc]e|author|@|coding[:=])`)
