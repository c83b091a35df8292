package project

import (
	"regexp"
	"strings"
	"sync"
)

// placeShape is where an argument goes in the text of a prompt: {{name}}, with blanks around the name or
// not.
var placeShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{[ \t]*([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*\}\}`) })

// Fill puts values into the places of a text, as in {{name}}, in one pass. A place whose name value
// does not know stays as it is.
func Fill(text string, value func(name string) (string, bool)) string {
	return placeShape().ReplaceAllStringFunc(text, func(found string) string {
		if v, known := value(strings.Trim(found, "{} \t")); known {
			return v
		}
		return found
	})
}
