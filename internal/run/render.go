package run

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Renderer builds the messages of prompts. Its fields must not be changed once
// it is used. It is safe for concurrent use.
type Renderer struct {
	// Run runs a prompt that is a script, with a channel that answers from client,
	// and returns what it printed.
	Run func(ctx context.Context, p *catalog.Prompt, arguments map[string]string, client sdk.Call) ([]byte, error)
	// Read returns a resource as resources/read does, the first of its contents:
	// an object with uri, mimeType and text or blob.
	Read func(ctx context.Context, uri string) (json.RawMessage, error)
}

// Render returns the messages of a prompt for revision r, with its placeholders
// replaced by the arguments. For an argument that is not given its default is used;
// without a default the placeholder is left as it is. The values of arguments are
// never searched for placeholders (PR-07).
func (s Renderer) Render(ctx context.Context, p *catalog.Prompt, arguments map[string]string, r *mcp.Revision,
	client sdk.Call) ([]mcp.PromptMessage, error) {
	fill := filler(p, arguments)
	switch {
	case p.Messages != nil:
		filled, err := json.Rewrite(p.Messages, func(_ *json.Decoder, v json.Value, isName bool) json.Value {
			if isName || v.Kind() != '"' {
				return v
			}
			return json.Quote(fill(json.Text(v)))
		})
		if err != nil {
			return nil, err
		}
		return s.messages(ctx, filled, p.Role, r)
	case p.Executable:
		printed, err := s.Run(ctx, p, arguments, client)
		if err != nil {
			return nil, err
		}
		return s.printed(ctx, printed, p.Role, r)
	}
	text, err := p.Text()
	if err != nil {
		return nil, fmt.Errorf("the text of the prompt cannot be read: %w", err)
	}
	return []mcp.PromptMessage{{Role: p.Role, Content: mcp.Text(fill(text))}}, nil
}

// printed returns the messages in the output of a script: {"messages":[…]}, the
// array alone, or a text.
func (s Renderer) printed(ctx context.Context, out []byte, role string, r *mcp.Revision) ([]mcp.PromptMessage, error) {
	v := json.Value(bytes.TrimSpace(out))
	if v.IsValid(json.Lenient) {
		switch v.Kind() {
		case '[':
			return s.messages(ctx, v, role, r)
		case '{':
			var o struct {
				Messages json.Value `json:"messages"`
			}
			if err := json.Unmarshal(v, &o, json.Lenient); err == nil && o.Messages.Kind() == '[' {
				return s.messages(ctx, o.Messages, role, r)
			}
		}
	}
	return []mcp.PromptMessage{{Role: role, Content: mcp.Text(string(out))}}, nil
}

// messages reads an array of {role, content}. An unknown role becomes user. A content is a string, a block,
// or an array of blocks, each of which becomes a message (PR-04).
func (s Renderer) messages(ctx context.Context, array json.Value, role string,
	r *mcp.Revision) ([]mcp.PromptMessage, error) {
	var written []struct {
		Role    string     `json:"role"`
		Content json.Value `json:"content"`
	}
	if err := json.Unmarshal(array, &written, json.Lenient); err != nil {
		return nil, fmt.Errorf("messages must be an array of {role, content}: %w", err)
	}
	all := []mcp.PromptMessage{}
	for i, m := range written {
		if m.Role == "" {
			m.Role = role
		} else if m.Role != "assistant" {
			m.Role = "user" // also system, as scripts for the Bash program have it
		}
		blocks := json.Elements(m.Content)
		if blocks == nil {
			blocks = []json.Value{m.Content}
		}
		for _, block := range blocks {
			content, err := s.content(ctx, block, r)
			if err != nil {
				return nil, fmt.Errorf("message %d of the prompt: %w", i, err)
			}
			all = append(all, mcp.PromptMessage{Role: m.Role, Content: content})
		}
	}
	return all, nil
}

// content returns one block. A resource with only a URI is read. A block that clients
// could not read is an error (PR-05).
func (s Renderer) content(ctx context.Context, block json.Value, r *mcp.Revision) (mcp.Content, error) {
	if block.Kind() == '"' {
		return mcp.Text(json.Text(block)), nil
	}
	var b struct {
		Type     string `json:"type"`
		Resource struct {
			URI  string     `json:"uri"`
			Text json.Value `json:"text"`
			Blob json.Value `json:"blob"`
		} `json:"resource"`
	}
	if json.Unmarshal(block, &b, json.Lenient) == nil && b.Type == "resource" && b.Resource.Text == nil &&
		b.Resource.Blob == nil {
		resource, err := s.Read(ctx, b.Resource.URI)
		if err != nil {
			return mcp.Content{}, err
		}
		block = append(append([]byte(`{"type":"resource","resource":`), resource...), '}')
	}
	return mcp.ContentIn(block, r)
}

// filler returns a function that puts the arguments into a text, in one pass.
func filler(p *catalog.Prompt, arguments map[string]string) func(string) string {
	values := make(map[string]string, len(p.Arguments)+len(arguments))
	for _, a := range p.Arguments {
		if a.Default != nil {
			values[a.Name] = *a.Default
		}
	}
	maps.Copy(values, arguments)
	return func(text string) string {
		return catalog.Fill(text, func(name string) (string, bool) {
			value, known := values[name]
			return value, known
		})
	}
}
