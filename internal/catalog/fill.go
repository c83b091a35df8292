package catalog

import (
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// placeShape matches the placeholder of an argument in the text of a prompt: {{name}}, with or
// without blanks around the name.
var placeShape = lazyregexp.New(`\{\{[ \t]*([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*\}\}`)

// Fill replaces the placeholders of a text, such as {{name}}, by their values, in one pass. A
// placeholder for which value reports false stays as it is.
func Fill(text string, value func(name string) (string, bool)) string {
	return placeShape.Get().ReplaceAllStringFunc(text, func(found string) string {
		if v, known := value(strings.Trim(found, "{} \t")); known {
			return v
		}
		return found
	})
}
