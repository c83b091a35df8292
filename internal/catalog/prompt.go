package catalog

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A Prompt is a text with placeholders for arguments, a script that prints a text, or a sequence of
// messages. It is shared by all callers, who must not change it.
type Prompt struct {
	Described
	Arguments []Argument // what a client sees besides

	// What it is rendered from: Messages if there are any, else what the script at Path prints if
	// it is Executable, else the Text at Path.
	Role       string         // of the message that a text becomes: user or assistant
	Messages   json.Value     // an array of {role, content}; a content is a string or a block (PR-04)
	Path       string         // absolute; empty if there is only metadata
	Dir        string         // its folder, absolute
	Executable bool           // it is a script
	Timeout    *time.Duration // timeoutSecs, of the script; 0 for none, nil for the default

	// Completions are the sources of the values of arguments; "" stands for all others.
	Completions map[string]Completion
}

// promptFields are the fields of a prompt.
var promptFields = sync.OnceValue(func() fields[Prompt] {
	return slices.Concat(
		fields[Prompt]{named(nameSchema, (*Prompt).described, entryNamed)},
		of(describedFields, (*Prompt).described),
		fields[Prompt]{
			filePath("string; the text, or the script that prints it", func(p *Prompt) string { return p.Path }),
			completionField("how its arguments are completed: [below](#completions)",
				func(p *Prompt) *map[string]Completion { return &p.Completions }),
			{row{name: "arguments", absent: "none", shown: true, schema: argumentsSchema,
				is: "array of `{\"name\", \"title\", \"description\", \"required\", \"default\"}`, " +
					"or an object schema with a property for each"},
				func(r *record, p *Prompt) { p.Arguments = r.arguments(r.p.root, p, r.folders) },
				func(w *objectWriter, p *Prompt, _ paths) { storeArguments(w, p.Arguments) }},
			word(row{name: "role", is: "`user` or `assistant`", absent: "`user`"},
				func(p *Prompt) *string { return &p.Role }, "user", "assistant"),
			raw(row{name: "messages", is: "array of `{\"role\", \"content\"}`; a content is a string or a content block",
				absent: "the text, as one message", schema: messagesSchema}, func(p *Prompt) *json.Value { return &p.Messages },
				func(r *record, _ *Prompt) json.Value { return r.messages() }),
			seconds(row{name: "timeoutSecs", is: "seconds until the script is ended; 0: no limit", absent: "the server's"},
				func(p *Prompt) **time.Duration { return &p.Timeout }),
		},
	)
})

const argumentsSchema = `"type":["array","object"],"items":{"type":"object","required":["name"],"properties":{` +
	`"name":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"},"required":{"type":"boolean"},` +
	`"default":{"type":["string","number","boolean"]},"values":{"type":"array"},"enum":{"type":"array"},` +
	`"completion":{"type":["string","array"]}}}`

// messagesSchema is the schema of messages, with what each content block must have.
const messagesSchema = `"type":"array","items":{"type":"object","required":["content"],"properties":{` +
	`"role":{"enum":["user","assistant"]},"content":{"type":["string","object"],"properties":{` +
	`"type":{"enum":["text","image","audio","resource","resource_link"]},"text":{"type":"string"}},"allOf":[` +
	`{"if":{"required":["type"],"properties":{"type":{"const":"text"}}},"then":{"required":["text"]}},` +
	`{"if":{"required":["type"],"properties":{"type":{"enum":["image","audio"]}}},` +
	`"then":{"required":["data","mimeType"]}},` +
	`{"if":{"required":["type"],"properties":{"type":{"const":"resource"}}},"then":{"required":["resource"]}},` +
	`{"if":{"required":["type"],"properties":{"type":{"const":"resource_link"}}},"then":{"required":["uri","name"]}}]}}}`

func (p *Project) readPrompt(c candidate, m metadata) Entry {
	made := &Prompt{Described: m.described()}
	promptFields().read(p, c, m, made)
	made.Role = cmp.Or(made.Role, "user")
	if !c.alone {
		made.Path, made.Dir, made.Executable = c.path, filepath.Dir(c.path), c.file.isProgram(c.path)
		return made
	}
	const hint = "write them, or give the metadata the name of its prompt: hello.meta.json for hello.md"
	said, ok := m.get("messages")
	switch {
	case !ok && c.registered: // then its path is missing
	case m.require("messages", hint) && made.Messages == nil:
		m.deny(said, "has no message, so this entry is left out", `write [{"role": "user", "content": "the text"}]`)
	}
	return made
}

// messages reads the messages of a prompt; nil when there are none (PR-04). Those without valid content
// are left out.
func (o object) messages() json.Value {
	m, ok := o.typed("messages", '[')
	if !ok {
		return nil
	}
	for _, element := range o.elements(m) {
		if !o.is(element, '{') {
			continue
		}
		message := o.inner(element)
		if role, ok := message.typed("role", '"'); ok {
			message.oneOf(role, "user", "assistant")
		}
		content, ok := message.get("content")
		if !ok {
			o.refuse(element, "has no content", `write "content": "the text"`)
		} else if reason, hint := contentFault(content); reason != "" {
			element.At, element.Name = content.At, element.Name+".content"
			o.refuse(element, reason+", so this message is left out", hint)
		}
	}
	if len(o.elements(m)) == 0 {
		return nil
	}
	return o.shown(m)
}

// contentFault returns why a member is not the content of a message; "" if it is.
func contentFault(content json.Member) (reason, hint string) {
	kind, _ := json.Find(content.Value, "type")
	const types = `write "type": "text", or image, audio, resource or resource_link`
	switch word := json.Text(kind.Value); {
	case content.Value.Kind() == '"':
		return "", ""
	case content.Value.Kind() != '{':
		return "must be a string or a content block, not " + kindName(content.Value.Kind()), `write "content": "the text"`
	case kind.Value.Kind() != '"':
		return "has no type", types
	case !slices.Contains([]string{"text", "image", "audio", "resource", "resource_link"}, word):
		return fmt.Sprintf("has the unknown type %q", word), types
	}
	return "", ""
}

// promptBytes is the maximal size of the text of a prompt.
const promptBytes = 1 << 20

// Text reads the text of a prompt that is not a script, without a byte order mark and without the
// line of its metadata.
func (p *Prompt) Text() (string, error) {
	data, err := files.Read(p.Path, promptBytes)
	switch {
	case err != nil:
		return "", fmt.Errorf("prompt %s: %s: %w", p.Name, p.Path, cause(err))
	case !utf8.Valid(data):
		return "", fmt.Errorf("prompt %s: %s is not valid UTF-8; save it as UTF-8", p.Name, p.Path)
	}
	data = document.TrimBOM(data)
	if p.MetadataFile == p.Path {
		if _, line, found := inlineMetadata(data); found {
			rows := bytes.SplitAfter(data, []byte("\n"))
			data = bytes.Join(append(rows[:line-1:line-1], rows[line:]...), nil)
		}
	}
	return string(data), nil
}

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
