package main

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// An editor is the state of the served editor: its open texts.
type editor struct {
	mu    sync.Mutex
	texts map[string]string // by their URI
}

// methods returns the methods of the server.
func (e *editor) methods() pipeline.Mux {
	return pipeline.Mux{
		"initialize":             pipeline.Method(e.initialize),
		"textDocument/didOpen":   pipeline.Method(e.open),
		"textDocument/didClose":  pipeline.Method(e.close),
		"textDocument/countWord": pipeline.Method(e.count),
		"shutdown":               pipeline.Method(func(context.Context, struct{}) (*struct{}, error) { return nil, nil }),
		"exit":                   exit,
	}
}

// slow reports whether a call may take long: others are served in the meantime.
func slow(m *pipeline.Message) bool { return m.Method() == "textDocument/countWord" }

// limit returns the timeout of a call.
func limit(*pipeline.Message) time.Duration { return 10 * time.Second }

func (e *editor) initialize(context.Context, struct{}) (map[string]any, error) {
	return map[string]any{
		"capabilities": map[string]any{"textDocumentSync": 1},
		"serverInfo":   map[string]string{"name": "other-protocol"},
	}, nil
}

// document identifies a text, as in the protocol.
type document struct {
	TextDocument struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	} `json:"textDocument"`
}

// A diagnostic is a fault in a text, as in the protocol.
type diagnostic struct {
	Range   span   `json:"range"`
	Message string `json:"message"`
}

type span struct {
	Start place `json:"start"`
	End   place `json:"end"`
}

type place struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// open stores a text and publishes its diagnostics.
func (e *editor) open(ctx context.Context, d document) (any, error) {
	e.mu.Lock()
	e.texts[d.TextDocument.URI] = d.TextDocument.Text
	e.mu.Unlock()
	return nil, pipeline.From(ctx).Notify(ctx, "textDocument/publishDiagnostics", map[string]any{
		"uri":         d.TextDocument.URI,
		"diagnostics": todos(d.TextDocument.Text),
	})
}

// todos returns the TODO comments of a text as diagnostics.
func todos(text string) []diagnostic {
	var found []diagnostic
	for i, line := range strings.Split(text, "\n") {
		if at := strings.Index(line, "TODO"); at >= 0 {
			found = append(found, diagnostic{span{place{i, at}, place{i, len(line)}}, strings.TrimSpace(line[at:])})
		}
	}
	return found
}

func (e *editor) close(_ context.Context, d document) (any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.texts, d.TextDocument.URI)
	return nil, nil
}

var words = regexp.MustCompile(`\w+`)

// count counts how many times a word is in a text.
func (e *editor) count(_ context.Context, p struct {
	document
	Word string `json:"word"`
}) (int, error) {
	e.mu.Lock()
	text, ok := e.texts[p.TextDocument.URI]
	e.mu.Unlock()
	if !ok {
		return 0, pipeline.Errorf(-32602, "%s is not open", p.TextDocument.URI)
	}
	all := words.FindAllString(text, -1)
	return len(slices.DeleteFunc(all, func(w string) bool { return w != p.Word })), nil
}

// exit ends the server: calls that were read before are still answered.
func exit(ctx context.Context, _ *pipeline.Message) (*pipeline.Message, error) {
	pipeline.From(ctx).Finish()
	return nil, nil
}
