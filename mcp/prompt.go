package mcp

import "encoding/json"

// Prompt is an item of prompts/list.
type Prompt struct {
	Name        string           `json:"name"`
	Title       string           `json:"title,omitzero"`
	Description string           `json:"description,omitzero"`
	Arguments   []PromptArgument `json:"arguments,omitzero"`
	Icons       json.RawMessage  `json:"icons,omitzero"`
	Meta        json.RawMessage  `json:"_meta,omitzero"`
}

// PromptArgument is an argument that a prompt takes.
type PromptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitzero"`
	Description string `json:"description,omitzero"`
	Required    bool   `json:"required,omitzero"`
}

// In returns the prompt as revision r knows it. Its arguments must be its own.
func (p Prompt) In(r *Revision) Prompt {
	r.trim(&p.Title, &p.Icons, &p.Meta)
	if !r.Titles {
		for i := range p.Arguments {
			p.Arguments[i].Title = ""
		}
	}
	return p
}

// GetPromptParams are the params of prompts/get. Values are strings only (PR-03).
type GetPromptParams struct {
	Name      string    `json:"name"`
	Arguments Arguments `json:"arguments"`
	Params
	RetryParams
}

// GetPromptResult is a prompt with its arguments filled in.
type GetPromptResult struct {
	Description string          `json:"description,omitzero"`
	Messages    []PromptMessage `json:"messages"`

	// Extensions of the Bash program: the text of a prompt that is a single text, and its
	// arguments.
	Text      string            `json:"text,omitzero"`
	Arguments map[string]string `json:"arguments,omitzero"`
	Result
}

// PromptMessage is one message of a prompt: one block from the user or the
// assistant (PR-04).
type PromptMessage struct {
	Role    string  `json:"role"`
	Content Content `json:"content"`
}
