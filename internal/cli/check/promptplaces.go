package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// places reports the placeholders in a prompt, as in {{city}}, that no argument fills: clients do not
// know them, so the placeholder stays in the text.
func (c *contents) places(p *project.Prompt) []Message {
	var declared []string
	for _, a := range p.Arguments {
		declared = append(declared, a.Name)
	}
	file, wanted := p.Path, []string(nil)
	switch {
	case p.Messages != nil:
		if file = p.MetadataFile; file == "" {
			return nil
		}
		wanted = placesIn(stringsIn(p.Messages))
	case p.Executable:
		return nil
	}
	text, err := files.Read(file, maxScript)
	if err != nil {
		return nil // the server reports it when it is read
	}
	lines := strings.Split(string(text), "\n")
	var all []Message
	for i, line := range lines {
		if file == p.MetadataFile && p.Messages == nil && strings.Contains(line, "mcp:") {
			continue // metadata in the text itself
		}
		for _, name := range placesIn(line) {
			if slices.Contains(declared, name) || wanted != nil && !slices.Contains(wanted, name) ||
				allows(lines, i, "undeclared-argument") {
				continue
			}
			hint := fmt.Sprintf(`declare it: "arguments": [{"name": %q}]`, name)
			if meant := suggest.Of(name, declared); meant != "" {
				hint = suggest.Question("{{" + meant + "}}")
			}
			all = append(all, Message{Level: Warning, Rule: "undeclared-argument", Section: "prompts", File: c.project.Rel(file), Line: i + 1,
				Message: fmt.Sprintf("{{%s}} stays as it is: the prompt %s has no such argument", name, p.Name), Hint: hint})
			declared = append(declared, name) // reported once
		}
	}
	return all
}

// placesIn returns the names of the placeholders in a text.
func placesIn(text string) (names []string) {
	project.Fill(text, func(name string) (string, bool) {
		names = append(names, name)
		return "", false
	})
	return names
}

// stringsIn returns all strings in a JSON value, one per line.
func stringsIn(v jsontext.Value) string {
	var b strings.Builder
	d := jsontext.NewDecoder(strings.NewReader(string(v)))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return b.String()
		}
		if token.Kind() == '"' {
			b.WriteString(token.String() + "\n")
		}
	}
}

// allows reports whether a comment on the line at an index, or on the line before it, allows a rule.
func allows(lines []string, at int, rule string) bool {
	allow := "mcp-bash: allow " + rule
	return strings.Contains(lines[at], allow) || at > 0 && strings.Contains(lines[at-1], allow)
}
