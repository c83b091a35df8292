package adopt

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A numbering is how the scripts of a language use their arguments.
type numbering struct {
	names  *lazyregexp.Regexp // the variables that they go to
	one    *lazyregexp.Regexp // an argument by number, with the variable that it goes to
	first  int                // the number of the first
	all    *lazyregexp.Regexp // all of them
	handed *lazyregexp.Regexp // a call that gets all of them
	shift  *lazyregexp.Regexp // the next one
	rest   *lazyregexp.Regexp // those that are left after it, each
	stdin  *lazyregexp.Regexp
	either *lazyregexp.Regexp // the files that are named, or else the standard input
}

var numberings = map[string]numbering{
	"perl": {
		names:  lazyregexp.New(`\(([$@\w, ]+)\)\s*=\s*@ARGV`),
		one:    lazyregexp.New(`(?:\$(\w+)\s*=\s*)?\$ARGV\[(\d+)\]`),
		all:    lazyregexp.New(`@ARGV\b`),
		handed: lazyregexp.New(`->\w+\([^()]*@ARGV|\b(?:exec|system)\b[^;]*@ARGV`),
		shift: lazyregexp.New(`(?m)^(?:my\s+)?\(?\$(\w+)\)?\s*=\s*shift(?:\s*\(?\s*@ARGV\s*\)?)?` +
			`\s*(\|\||//|or\b|;|\?)\s*(?:die|usage|croak|exit|pod2usage)?`),
		rest: lazyregexp.New(`(?:\bfor(?:each)?\b[^;{]*\(|\b(?:map|grep|join|exec|system|push)\b[^;]*)` +
			`\s*@ARGV\b|=\s*@ARGV|while\s*\(.*=\s*shift`),
		stdin:  lazyregexp.New(`<STDIN>|\\\*STDIN|<\$?stdin>|<&STDIN`),
		either: lazyregexp.New(`<>|<<>>|<ARGV>|@ARGV\s*=\s*(?:qw)?\(\s*["']?-["']?\s*\)`),
	},
	"ruby": {
		names:  lazyregexp.New(`(?m)^((?:\*?\w+, *)+\*?\w+)\s*=\s*\*?ARGV\b`),
		one:    lazyregexp.New(`(?:(\w+)\s*=\s*(?:Integer\(|Float\(|\()?)?ARGV\[(\d+)\]`),
		all:    lazyregexp.New(`ARGV(?:\.(?:each|map|join|empty|length|size|dup|select|inject|inspect)|\b[^.\[\w])|\*ARGV`),
		handed: lazyregexp.New(`\b(?:exec|system|\.\w+)\b[ (].*ARGV\b[^.\[]|\w[ (]ARGV\)?\s*$`),
		shift:  lazyregexp.New(`(?m)(\w+)\s*=\s*ARGV\.shift(\s*\|\||\s*or\b)?`),
		stdin:  lazyregexp.New(`(?i)\$stdin\b|\bSTDIN\b`),
		either: lazyregexp.New(`\bARGF\b|\$<|\bgets\b`),
	},
	"node": {
		names:  lazyregexp.New(`\[([\w,. ]+)\]\s*=\s*process\.argv(?:\.slice\(2\))?`),
		one:    lazyregexp.New(`(?:(\w+)\s*=\s*(?:(?:Number|parseInt|parseFloat)\(|\+)?)?process\.argv\[(\d+)\]`),
		first:  2,
		all:    lazyregexp.New(`process\.argv\.sp?lice\(2\)|\bargv\._|\bpositionals\b|\bcli\.input\b|\bprogram\.args\b`),
		handed: lazyregexp.New(`[\w)]\([^()]*process\.argv\.slice\(2\)`),
		stdin:  lazyregexp.New(`process\.stdin|/dev/stdin|readFileSync\(0`),
	},
	"awk": {
		one: lazyregexp.New(`(?:(\w+)\s*=\s*)?ARGV\[(\d+)\]`), first: 1,
	},
}

// asked matches a line that asks for an argument, and demanding one that ends the script without it.
var (
	asked     = lazyregexp.New(`\|\||//|\?|^\s+.*=|\b(?:if|unless|elsif|and|or|defined|exists)\b`)
	demanding = lazyregexp.New(`(?:\|\||\bor)\s*(?:die|usage|abort|exit|raise|croak|fail)\b`)
)

// single matches how a Perl script refuses more than one argument.
var single = lazyregexp.New(`@ARGV\s*>\s*1\b[^{}]*[{}]?[^{}]*\b(?:die|exit|\w*usage)\b`)

// comparison matches what compares an argument with an option.
var comparison = lazyregexp.New(`(?:(?:\beq|===?|=~|\bwhen|\bcase|\bin|starts_?[wW]ith\??|start_with\?|\bm)` +
	`[\s("'/^:?{\[]+|\b(?:if|unless)\s*\(?\s*/\^)(--?[a-zA-Z][\w-]*)`)

// handedOn is what there is to say of a script that leaves its arguments to other code.
const handedOn = "it hands its arguments on, so they may be options of what gets them"

// compare records the options that the code compares its arguments with.
func (p *calls) compare(lines []string) {
	for i, line := range lines {
		if m := comparison.Get().FindStringSubmatch(line); m != nil && !remark.Get().MatchString(line) {
			p.compares(m[1], i+1)
		}
	}
}

// numbered reads what a script takes by number, and its standard input.
func (p *calls) numbered(kind, text string) {
	n := numberings[kind]
	var found []Position
	for i, line := range strings.Split(text, "\n") {
		if remark.Get().MatchString(line) {
			continue
		}
		for _, m := range n.one.Get().FindAllStringSubmatch(line, -1) {
			at, _ := strconv.Atoi(m[2])
			if at -= n.first; at < 0 || at > len(found)+8 {
				continue
			}
			for len(found) <= at {
				found = append(found, Position{Required: true, Value: Value{From: "its number"}})
			}
			f := &found[at]
			if f.Line == 0 || f.Name == "" && m[1] != "" { // how it is used first decides
				required := !asked.Get().MatchString(line) || demanding.Get().MatchString(line)
				*f = Position{Name: ArgumentName(m[1]), Required: required && f.Required,
					Value: Value{Line: i + 1, From: strings.TrimSpace(m[0])}}
			}
		}
	}
	for at := len(found) - 1; at >= 0; at-- {
		if f := &found[at]; f.Line == 0 {
			f.Required = found[at+1].Required
		}
		found[at].Name = cmp.Or(found[at].Name, "arg"+strconv.Itoa(at+1))
	}
	if len(p.Positions) == 0 {
		p.Positions = found
	}
	matches := func(r *lazyregexp.Regexp) bool { return r != nil && r.Get().MatchString(text) }
	if n.names != nil && len(found) == 0 && !p.exact {
		if m := n.names.Get().FindStringSubmatch(text); m != nil {
			names := strings.Split(m[1], ",")
			if kind == "node" && !strings.Contains(m[0], "slice") {
				names = names[min(2, len(names)):]
			}
			for _, name := range names {
				name = strings.TrimSpace(name)
				list := strings.HasPrefix(name, "@") || strings.HasPrefix(name, "*") || strings.HasPrefix(name, "...")
				if name = ArgumentName(strings.Trim(name, "$@*.")); name != "" {
					p.Positions = append(p.Positions, Position{Name: name, Required: !list, Value: Value{List: list, From: name}})
				}
			}
		}
	}
	if n.shift != nil && len(p.Positions) == 0 {
		for _, m := range n.shift.Get().FindAllStringSubmatch(text, -1) {
			p.Positions = append(p.Positions,
				Position{Name: ArgumentName(m[1]),
					Required: !strings.ContainsAny(m[2], "|/?") || strings.HasSuffix(m[0], "e") || strings.HasSuffix(m[0], "t"),
					Value:    Value{From: strings.TrimSpace(m[0])}})
		}
		if len(p.Positions) > 0 && n.rest != nil && n.rest.Get().MatchString(text) {
			p.Positions = append(p.Positions, Position{
				Name: "args", Value: Value{List: true, From: "the arguments that are left"},
			})
		}
	}
	if kind == "perl" && len(p.Positions) == 0 && !p.exact {
		if at := shiftOutside(text); at > 0 {
			p.unsure(at, "a use of its arguments that is not understood")
		}
	}
	several := Position{Name: "args", Value: Value{List: true, From: "all of its arguments"}}
	switch {
	case p.exact || len(p.Positions) > 0:
	case kind == "awk" || matches(n.either):
		several.Name, several.From, p.Stdin = "files", "the files that it reads", true
		p.Positions = append(p.Positions, several)
	case matches(n.all):
		if several.any = len(p.Options) == 0 && matches(n.handed); several.any {
			p.doubt(0, handedOn)
		}
		if kind == "perl" && single.Get().MatchString(text) {
			several.Name, several.List = "arg1", false
		}
		p.Positions = append(p.Positions, several)
	}
	p.Stdin = p.Stdin || matches(n.stdin)
	p.Passes = kind == "perl" && !slices.ContainsFunc(p.Positions, func(at Position) bool { return at.List })
}

// shiftOutside returns the line where a Perl script takes its next argument, or 0. Functions have their own.
func shiftOutside(text string) int {
	inside := false
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "__END__"), strings.HasPrefix(line, "="):
			return 0
		case strings.HasPrefix(line, "sub "):
			inside = !strings.HasSuffix(strings.TrimSpace(line), "}")
		case strings.HasPrefix(line, "}"):
			inside = false
		case !inside && shifted.Get().MatchString(line) && !remark.Get().MatchString(line):
			return i + 1
		}
	}
	return 0
}

// shifted matches a line that uses the next argument.
var shifted = lazyregexp.New(`(?:[=(]|=>|\b(?:my|or|and|if|unless|while))\s*shift\b\s*` +
	`(?:[;|)]|/{2}|@ARGV|(?:or|and|if)\b)`)
