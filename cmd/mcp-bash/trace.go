package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/console"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// tracer prints each step of each message on a line, as text or as JSON.
func tracer(w io.Writer, format string) (pipeline.Tracer, error) {
	var mu sync.Mutex
	print := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		io.WriteString(w, line+"\n")
	}
	switch format {
	case "":
		return nil, nil
	case "text":
		return func(s pipeline.Step) { print(traceText(s)) }, nil
	case "json":
		return func(s pipeline.Step) { print(traceJSON(s)) }, nil
	}
	return nil, usageError{fmt.Errorf("--middleware-trace=%s: must be text or json", format)}
}

// traceText writes a step for people:
//
//	#3 in   call tools/call 7      lifecycle    passed 2µs
func traceText(s pipeline.Step) string {
	what := s.Message.Kind().String()
	for _, more := range []string{s.Message.Method(), s.Message.ID().String()} {
		if more != "" {
			what += " " + more
		}
	}
	text := fmt.Sprintf("%-5s %-3s  %-32s %-12s %-8s %v", fmt.Sprintf("#%d", s.Line), way(s), what, s.Stage, s.Verdict, s.Took.Round(time.Microsecond))
	if s.Reason != "" {
		text += "  " + s.Reason
	}
	return strings.ReplaceAll(console.Plain(text), "\n", `\n`) // methods and reasons are as the client wrote them
}

func traceJSON(s pipeline.Step) string {
	b, _ := json.Marshal(struct {
		Line      uint64 `json:"line"`
		Direction string `json:"direction"`
		Kind      string `json:"kind"`
		Method    string `json:"method,omitempty"`
		ID        string `json:"id,omitempty"`
		Stage     string `json:"stage"`
		Verdict   string `json:"verdict"`
		Reason    string `json:"reason,omitempty"`
		Micros    int64  `json:"micros"`
	}{s.Line, way(s), s.Message.Kind().String(), s.Message.Method(), s.Message.ID().String(), s.Stage, string(s.Verdict), s.Reason, s.Took.Microseconds()})
	return strings.TrimSpace(string(b))
}

func way(s pipeline.Step) string {
	if s.Out {
		return "out"
	}
	return "in"
}
