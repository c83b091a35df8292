//go:build unix

package check

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestDocumentsAreHeldAgainstTheirSchemas(t *testing.T) {
	cases := []struct{ name, files, want string }{
		{"a field that only bundles read",
			"-- server.d/server.meta.json --\n{\"name\": \"x\",\n \"screenshots\": [1],\n \"author\": {\"email\": \"a@b.c\"}}\n",
			"server.d/server.meta.json:2: screenshots.0: is not as docs/schema/server.json says: type should be string\n" +
				"server.d/server.meta.json:3: author: is not as docs/schema/server.json says: \"name\" value is required"},
		{"a part that is passed on as it is", "-- prompts/p.meta.yaml --\nmessages:\n  - role: user\n    content: {type: image, data: QQ==}\n",
			"prompts/p.meta.yaml:3: messages.0.content: is not as docs/schema/prompt.json says: \"mimeType\" value is required"},
		{"a comment in a script", "-- prompts/p.md --\n\n<!-- mcp: {\"messages\": [{\"content\": {\"type\": \"text\"}}]} -->\n",
			"prompts/p.md:2: messages.0.content: is not as docs/schema/prompt.json says: \"text\" value is required"},
		{"a user interface", "-- ui/a/index.html --\n<p>\n-- ui/a/ui.meta.json --\n{\"meta\": {\"csp\": {\"connectDomains\": \"https://x\"}}}\n",
			"ui/a/ui.meta.json:1: meta.csp.connectDomains: is not as docs/schema/ui.json says: type should be array"},
		{"what is listed by hand", "-- server.d/register.json --\n{\"version\": 1, \"prompts\": [\n{\"name\": \"p\", \"messages\": [{\"content\": {\"type\": \"text\"}}]}]}\n",
			"server.d/register.json:2: prompts.0.messages.0.content: is not as docs/schema/register.json says: \"text\" value is required"},
		{"what the server says itself", "-- prompts/p.md --\nx\n-- prompts/p.meta.json --\n{\"title\": 1, \"timeoutSecs\": \"5\", \"arguments\": [{\"name\": \"a\", \"required\": \"yes\"}]}\n", ""},
		{"null, and what is not known", "-- prompts/p.md --\nx\n-- prompts/p.meta.json --\n{\"$schema\": \"x\", \"title\": null, \"own\": {\"a\": 1}}\n", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var said []string
			for _, m := range found(t, c.files).Messages {
				if strings.Contains(m.Message, "docs/schema") {
					said = append(said, m.Place()+m.Message)
				}
			}
			is.New(t).Equal(strings.Join(said, "\n"), c.want)
		})
	}
}
