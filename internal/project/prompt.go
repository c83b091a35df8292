package project

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// A Prompt is a text with placeholders for arguments, a script that prints a text, or a sequence of
// messages. It is shared by all callers, who must not change it.
type Prompt struct {
	// What a client sees. JSON is on one line, otherwise as the author wrote it; nil when absent.
	Name        string
	Title       string
	Description string
	Arguments   []Argument
	Icons       jsontext.Value // an array; files in the project have become data: URIs
	Meta        jsontext.Value // the object _meta

	// What it is rendered from: Messages if there are any, else what the script at Path prints if
	// it is Executable, else the Text at Path.
	Role       string         // of the message that a text becomes: user or assistant
	Messages   jsontext.Value // an array of {role, content}; a content is a string or a block (PR-04)
	Path       string         // absolute; empty if there is only metadata
	Dir        string         // its folder, absolute
	Executable bool           // it is a script
	Timeout    *time.Duration // timeoutSecs, of the script; 0 for none, nil for the default

	// Completions are the sources of the values of arguments; "" stands for all others.
	Completions map[string]Completion

	// Where it was described.
	MetadataFile string         // absolute; the file itself if it is inline, empty for none
	Metadata     jsontext.Value // the object as written, on one line; nil for none
}

// promptFields are the fields that metadata of a prompt may have.
var promptFields = []string{
	"name", "title", "description", "role", "arguments", "messages", "completion", "icons", "metadata", "timeoutSecs", "_meta",
}

func (p *Project) readPrompt(c candidate, m metadata) Entry {
	o := m.object
	o.lints = p.lints
	o.warnMisspelled(promptFields...)
	folders := []string{filepath.Dir(c.path), p.root}
	made := &Prompt{
		Name:         o.entryName(c.name),
		Title:        o.text("title"),
		Description:  o.text("description"),
		Meta:         o.json("_meta", '{'),
		Timeout:      o.seconds("timeoutSecs"),
		Role:         "user",
		Messages:     o.messages(),
		Completions:  o.completions(p.root, c, folders),
		MetadataFile: m.file,
		Metadata:     m.raw,
	}
	made.Arguments = o.arguments(p.root, made, folders)
	if role, ok := o.typed("role", '"'); ok {
		o.oneOf(role, "user", "assistant")
		made.Role = unquote(role.value)
	}
	switch {
	case !c.alone:
		made.Path, made.Dir = c.path, folders[0]
		made.Executable = c.file.isProgram(c.path)
	default:
		const hint = "write them, or give the metadata the name of its prompt: hello.meta.json for hello.md"
		m, said := o.get("messages")
		switch {
		case !said && c.registered: // then its path is missing
		case o.require("messages", hint) && made.Messages == nil:
			o.deny(m, "has no message, so this entry is left out", `write [{"role": "user", "content": "the text"}]`)
		}
	}
	made.Icons = o.icons(p.root, folders[0])
	return made
}

// messages reads the messages of a prompt; nil when there are none (PR-04). Those without valid content
// are left out.
func (o object) messages() jsontext.Value {
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
			element.at, element.name = content.at, element.name+".content"
			o.refuse(element, reason+", so this message is left out", hint)
		}
	}
	if len(o.elements(m)) == 0 {
		return nil
	}
	return o.shown(m)
}

// contentFault returns why a member is not the content of a message; "" if it is.
func contentFault(content member) (reason, hint string) {
	switch kind := kindOf(content.value); kind {
	case '"':
		return "", ""
	case '{':
	default:
		return "must be a string or a content block, not " + kindName(kind), `write "content": "the text"`
	}
	members, _ := membersOf(content.value, content.start) // parsing saw that it is valid
	i := slices.IndexFunc(members, func(m member) bool { return m.name == "type" && m.value.Kind() == '"' })
	const types = `write "type": "text", or image, audio, resource or resource_link`
	switch {
	case i < 0:
		return "has no type", types
	case !slices.Contains([]string{"text", "image", "audio", "resource", "resource_link"}, unquote(members[i].value)):
		return fmt.Sprintf("has the unknown type %q", unquote(members[i].value)), types
	}
	return "", ""
}

// promptBytes is the maximal size of the text of a prompt.
const promptBytes = 1 << 20

// Text reads the text of a prompt that is not a script, without a byte order mark and without the
// line of its metadata.
func (p *Prompt) Text() (string, error) {
	data, _, err := readFile(p.Path, promptBytes)
	switch {
	case err != nil:
		return "", fmt.Errorf("prompt %s: %s: %w", p.Name, p.Path, cause(err))
	case !utf8.Valid(data):
		return "", fmt.Errorf("prompt %s: %s is not valid UTF-8; save it as UTF-8", p.Name, p.Path)
	}
	data = trimBOM(data)
	if p.MetadataFile == p.Path {
		if _, line, found := inlineMetadata(data); found {
			rows := bytes.SplitAfter(data, []byte("\n"))
			data = bytes.Join(append(rows[:line-1:line-1], rows[line:]...), nil)
		}
	}
	return string(data), nil
}

func (*Prompt) kind() kind { return kindPrompt }

func (p *Prompt) key(by lookup) string {
	if by == byName {
		return p.Name
	}
	return ""
}

func (p *Prompt) listed(b []byte) []byte {
	b = appendParts(b, p.Name, p.Title, p.Description, strconv.Itoa(len(p.Arguments)))
	for _, a := range p.Arguments {
		b = appendParts(b, a.Name, a.Title, a.Description, strconv.FormatBool(a.Required))
	}
	return appendParts(b, p.Icons, p.Meta)
}
