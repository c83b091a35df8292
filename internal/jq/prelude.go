package jq

import (
	_ "embed"
	"strings"

	"github.com/itchyny/gojq"
)

//go:embed prelude.jq
var prelude string

// preludeFor returns the definitions of prelude.jq that a filter can come to call, and
// perhaps some more. To parse and compile them all would double the time of a small run.
func preludeFor(filter *gojq.Query, own []*gojq.Query) (*gojq.Query, error) {
	if len(filter.Imports)+len(own) > 0 { // they may call any
		return gojq.Parse(prelude)
	}
	called := map[string]bool{}
	mention(filter.String(), called)
	definitions := strings.Split(prelude, "\ndef ")[1:]
	needed := make([]string, len(definitions))
	for i := len(definitions) - 1; i >= 0; i-- { // a definition calls only those before it
		d := definitions[i]
		if called[d[:strings.IndexAny(d, "(:")]] {
			needed[i] = "def " + d
			mention(d, called)
		}
	}
	return gojq.Parse(strings.Join(needed, "\n"))
}

// mention adds all words of a text to called, and the definitions that the library or the
// rewriter calls for its operators.
func mention(text string, called map[string]bool) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWord(r) }) {
		called[word] = true
	}
	for sign, names := range map[string][]string{
		"..": {"recurse"},
		`\(`: {"tostring"},
		"=":  {"_modify"},
		"+=": {"_add"},
		"*=": {"_multiply"},
		"@":  {"format", "tojson", "tostring", "_tohtml", "_touri", "_tobase64"},
	} {
		if strings.Contains(text, sign) {
			for _, name := range names {
				called[name] = true
			}
		}
	}
}

func isWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}
