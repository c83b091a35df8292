package sdk

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// byHandError means that there is no client to ask. It is [ErrUnsupported] with another text.
type byHandError struct{}

func (byHandError) Error() string        { return "the tool runs by hand" }
func (byHandError) Is(target error) bool { return target == ErrUnsupported }

// ByHand answers one helper of a tool without a channel: a tool that was started by hand, or that runs
// where scripts inherit no pipes. The request has the variables that a server sets, as NAME=value,
// then an empty field, then the operation and its arguments; each ends with U+0000. The answer is KIND
// CODE VALUE and a dot.
//
// What a server would send to its client goes to log, or to the files that the variables name.
func ByHand(ctx context.Context, request io.Reader, log io.Writer) ([]byte, error) {
	all, err := io.ReadAll(io.LimitReader(request, maxPayload+1))
	if err != nil {
		return nil, err
	}
	if len(all) > maxPayload {
		return nil, fmt.Errorf("the request has more than %d bytes", maxPayload)
	}
	h := byHand{vars: make(map[string]string), log: log}
	fields := strings.Split(strings.TrimSuffix(string(all), "\x00"), "\x00")
	for len(fields) > 0 && fields[0] != "" {
		name, value, _ := strings.Cut(fields[0], "=")
		h.vars[name], fields = value, fields[1:]
	}
	if len(fields) < 2 {
		return nil, errors.New("the request names no operation")
	}
	a := h.answer(ctx, fields[1], fields[2:])
	if strings.Contains(a.value, "\x00") {
		a = helperError(1, "the value contains U+0000, which a shell cannot hold")
	}
	return fmt.Appendf(nil, "%c %d %s.", a.kind, a.code, a.value), nil
}

// byHand takes the place of a client.
type byHand struct {
	vars map[string]string
	log  io.Writer
}

func (h *byHand) answer(ctx context.Context, operation string, args []string) answer {
	call := Call{Progress: h.progress, Log: h.message, Roots: h.roots, Ask: h.ask}
	var err error
	if call.Args, err = h.payload("MCP_TOOL_ARGS"); err != nil {
		return helperError(1, "%v", err)
	}
	if call.Meta, err = h.payload("MCP_TOOL_META"); err != nil {
		return helperError(1, "%v", err)
	}
	c := &Channel{server: new(Server), call: call, ctx: ctx}
	return c.do(ctx, operation, args)
}

// payload returns the value of a variable, or the contents of the file that another variable names.
func (h *byHand) payload(name string) (json.RawMessage, error) {
	if text := h.vars[name+"_JSON"]; text != "" {
		return json.RawMessage(text), nil
	}
	path := h.vars[name+"_FILE"]
	if path == "" {
		return nil, nil
	}
	text, err := files.Read(path, maxPayload)
	if err != nil {
		return nil, fmt.Errorf("%s_FILE: %w", name, err)
	}
	return bytes.TrimSpace(text), nil
}

func (h *byHand) roots(context.Context) ([]string, error) {
	return strings.FieldsFunc(h.vars["MCP_ROOTS_PATHS"], func(r rune) bool { return r == '\n' || r == '\r' }), nil
}

func (h *byHand) ask(_ context.Context, questions ...Question) []Answer {
	answers := make([]Answer, len(questions))
	for i := range answers {
		answers[i].Err = byHandError{}
	}
	return answers
}

func (h *byHand) progress(_ context.Context, p mcp.ProgressParams) error {
	stream, token := h.vars["MCP_PROGRESS_STREAM"], h.vars["MCP_PROGRESS_TOKEN"]
	switch {
	case stream == "":
		of := ""
		if p.Total != nil {
			of = "/" + string(p.Total)
		}
		fmt.Fprintf(h.log, "progress %s%s %s\n", p.Progress, of, p.Message)
		return nil
	case token == "":
		return nil
	}
	p.ProgressToken = json.RawMessage(json.Quote(token))
	return appendNotification(stream, "notifications/progress", p)
}

func (h *byHand) message(_ context.Context, p mcp.LogParams) error {
	if stream := h.vars["MCP_LOG_STREAM"]; stream != "" {
		return appendNotification(stream, "notifications/message", p)
	}
	if p.Logger == errorLogger {
		return nil // the result itself is printed
	}
	data, _ := p.Data.(json.RawMessage) // a Call has raw JSON
	text, isText := unquote(json.Value(data))
	if !isText {
		text = string(data)
	}
	fmt.Fprintf(h.log, "%s %s: %s\n", p.Level, p.Logger, text)
	return nil
}

// appendNotification writes to a stream of a tool, which is a file or a named pipe.
func appendNotification(path, method string, params any) error {
	line, err := stdjson.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
