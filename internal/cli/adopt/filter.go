package adopt

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// filters maps programs that read their standard input to the number of words before the files that they read
// instead.
var filters = map[string]int{
	"cat": 0, "tr": 2, "sort": 0, "uniq": 0, "wc": 0, "rev": 0, "tac": 0, "nl": 0, "head": 0, "tail": 0, "cut": 0,
	"paste": 0, "fold": 0, "fmt": 0, "column": 0,
	"tee": 0, "base64": 0, "md5sum": 0, "sha256sum": 0, "xargs": 9, "sed": 1, "awk": 1, "gawk": 1, "mawk": 1, "grep": 1,
	"egrep": 1, "jq": 1, "perl": 0, "bc": 0,
}

// perlReads matches the words of a call of perl that reads its standard input: by an option, or in its program.
var perlReads = lazyregexp.New(`\s-[acilsw0-7F.]*[np]|<(?:STDIN)?>|<<>>`)

// filter records that a command which is not fed reads the standard input of the script.
func (w *walker) filter(c *syntax.CallExpr, words []string) {
	name := words[0]
	if name == "read" && !w.fed {
		for i, word := range words {
			if strings.HasPrefix(word, "-") && strings.Contains(word, "p") && i > 0 {
				w.doubt(line(c), "it asks with read, which nobody answers")
				return
			}
			if strings.HasPrefix(word, "-u") {
				return
			}
		}
		w.Stdin = true
	}
	files, ok := filters[name]
	if !ok || w.fed || name == "perl" && !perlReads.Get().MatchString(strings.Join(words, " ")) {
		return
	}
	operands := 0
	for i := 1; i < len(c.Args); i++ {
		word := words[i]
		switch {
		case isAll(c.Args[i]):
			w.filesOr = true
			return
		case word == "-" && c.Args[i].Lit() == "-":
			w.Stdin = true
			return
		case strings.HasPrefix(word, "-") && c.Args[i].Lit() != "":
			value := slices.Contains([]string{"-n", "-d", "-f", "-k", "-t", "-c", "-w", "-s", "-F", "-v", "-e", "-m", "-A", "-B",
				"-C"}, word) && name != "sed" && name != "grep" && name != "cat" && name != "jq" && name != "wc" && name != "uniq"
			switch {
			case name == "perl" && !strings.HasSuffix(word, "e"), strings.HasPrefix(word, "-M"):
			case name == "perl", word == "--arg", word == "-e" && name != "cat":
				i++ // a program
				if word == "-e" {
					files = 0
				}
			case value:
				i++
			}
		default:
			operands++
		}
	}
	if operands <= files && (operands > 0 || files == 0 || name == "xargs") {
		w.Stdin = true
	}
}

// readsLines reports whether a condition is read.
func readsLines(cond []*syntax.Stmt) bool {
	for c := range nodes[*syntax.CallExpr](cond) {
		if len(c.Args) > 0 && c.Args[0].Lit() == "read" {
			return true
		}
	}
	return false
}
