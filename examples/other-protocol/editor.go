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

// An editor is what the server knows of the one that it serves: the texts that
// are open.
type editor struct {
	mu    sync.Mutex
	texts map[string]string // by their URI
}

// methods lists what the server answers.
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

// slow are the calls that may take long: others are served meanwhile.
func slow(m *pipeline.Message) bool { return m.Method() == "textDocument/countWord" }

// limit is how long a call may take.
func limit(*pipeline.Message) time.Duration { return 10 * time.Second }

func (e *editor) initialize(context.Context, struct{}) (map[string]any, error) {
	return map[string]any{
		"capabilities": map[string]any{"textDocumentSync": 1},
		"serverInfo":   map[string]string{"name": "other-protocol"},
	}, nil
}

// document is how the protocol names a text.
type document struct {
	TextDocument struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	} `json:"textDocument"`
}

// A diagnostic is a fault in a text, as the protocol has it.
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

// open keeps a text and tells what is wrong with it.
func (e *editor) open(ctx context.Context, d document) (any, error) {
	e.mu.Lock()
	e.texts[d.TextDocument.URI] = d.TextDocument.Text
	e.mu.Unlock()
	return nil, pipeline.From(ctx).Notify(ctx, "textDocument/publishDiagnostics", map[string]any{
		"uri":         d.TextDocument.URI,
		"diagnostics": todos(d.TextDocument.Text),
	})
}

// todos are the places that somebody wanted to come back to.
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

// count counts how often a word is in a text.
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

// exit ends the server: what was read before is still answered.
func exit(ctx context.Context, _ *pipeline.Message) (*pipeline.Message, error) {
	pipeline.From(ctx).Finish()
	return nil, nil
}
