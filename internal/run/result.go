package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A finished call is one whose script has ended.
type finished struct {
	*outcome
	call     Call
	listener *listener
	notUTF8  string // the first byte of its output that is not UTF-8, and where; empty if all of it is
}

// meta returns the _meta of a result: how the script ended, and the end of what
// it wrote to stderr.
func (o *finished) meta() map[string]any {
	meta := map[string]any{"exitCode": o.ended.ExitCode}
	if stderr := o.stderr.Text(); stderr != "" {
		meta["stderr"] = strings.ToValidUTF8(stderr, "\ufffd")
	}
	return meta
}

// result returns what the client gets for an outcome. The first rule that
// matches applies:
//
//	could not be started          isError, why and what to do
//	ended by the clock            isError, the output until then, error.type "timeout"
//	more output than the limit    isError, the beginning of it
//	a CallToolResult on stdout    that
//	one built by an SDK helper    that, then what else was printed; not a success before an exit code
//	ended by a limit              isError, then the output, error.type "limit"
//	exit code not 0               isError, "Tool failed: …", then the output
//	bytes that are not UTF-8      isError, where they are, then the output
//	an outputSchema               the JSON on stdout that satisfies it, else isError
//	a JSON object on stdout       text and structuredContent
//	anything else                 text
func (r *Runtime) result(ctx context.Context, o *finished) (*mcp.CallToolResult, error) {
	r.read(o)
	var late *timeout
	var notStarted *process.StartError
	switch {
	case errors.As(o.err, &notStarted):
		return failure("Tool failed: " + notStarted.Error()), nil
	case errors.As(o.err, &late):
		return o.timedOut(late), nil
	case o.err != nil:
		return nil, o.err
	case o.stdout.Truncated():
		return o.tooLarge(), nil
	}
	stdout, isJSON := o.json()
	if isJSON && o.notUTF8 == "" && !slices.Contains(o.made, string(stdout)) {
		if own := r.ownResult(ctx, o, stdout); own != nil {
			return own, nil
		}
	}
	if made := r.madeResult(ctx, o); made != nil {
		return made, nil
	}
	if over := o.overLimit(); over != nil {
		return o.limited(over), nil
	}
	if o.ended.ExitCode != 0 {
		return o.failed(), nil
	}
	if o.notUTF8 != "" {
		return o.notText(), nil
	}
	if o.call.Tool.OutputSchema != nil {
		return r.structured(ctx, o, stdout, isJSON), nil
	}
	result := &mcp.CallToolResult{Content: []mcp.Content{mcp.TextIn(o.stdout.Whole())},
		Result: mcp.Result{Meta: o.meta()}}
	if isJSON && stdout.Kind() == '{' && o.call.Revision.StructuredOutput {
		result.StructuredContent = json.RawMessage(stdout)
	}
	return result, nil
}

// madeResult returns the result that an SDK helper built and the script wrote to stdout. What else the
// script wrote follows as text. A success does not count if the script failed after it.
func (r *Runtime) madeResult(ctx context.Context, o *finished) *mcp.CallToolResult {
	all := o.stdout.Bytes()
	i := slices.IndexFunc(o.made, func(result string) bool { return bytes.Contains(all, []byte(result)) })
	if i < 0 {
		return nil
	}
	text := []byte(o.made[i])
	at := bytes.LastIndex(all, text)
	made, ok := json.Sendable(text)
	if !ok {
		return nil
	}
	result := r.ownResult(ctx, o, made)
	if result != nil && !result.IsError && o.ended.ExitCode != 0 {
		return nil
	}
	before, after := all[:at], bytes.TrimPrefix(all[at+len(text):], []byte("\n"))
	if rest := slices.Concat(before, after); result != nil && len(bytes.TrimSpace(rest)) > 0 {
		result.Content = append(result.Content, mcp.TextIn(rest))
		if o.notUTF8 != "" {
			result.Content = append(result.Content, mcp.Text("(not valid UTF-8: what cannot be shown is U+FFFD)"))
		}
	}
	return result
}

// json returns what the script wrote to stdout, if it is JSON. Output whose first byte
// rules out JSON is not parsed.
func (o *outcome) json() (json.Value, bool) {
	if first := o.stdout.First(); first < utf8.RuneSelf && strings.IndexByte(`{["-0123456789tfn`, first) < 0 {
		return nil, false
	}
	return json.Sendable(bytes.TrimSpace(o.stdout.Bytes()))
}

// failure returns a result that explains to the model what went wrong.
func failure(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.Text(text)}, IsError: true}
}

// suggestion returns a hint as it follows a reason; empty for none.
func suggestion(hint string) string {
	if hint == "" {
		return ""
	}
	return "\n\nSuggestion: " + hint
}

// failure returns a result that explains what went wrong in a script that has ended; more follows it.
func (o *finished) failure(text string, more []mcp.Content) *mcp.CallToolResult {
	result := failure(text)
	result.Meta = o.meta()
	result.Content = append(result.Content, more...)
	return result
}

func (o *finished) failed() *mcp.CallToolResult {
	result := o.failure("Tool failed: "+o.reason()+suggestion(o.hint), o.printed(""))
	if p, ok := o.failedAt(); ok {
		result.Meta["at"] = p.At()
	}
	return result
}

// timedOutCode is the exit code of a tool that was ended by its time limit, the same as that of
// timeout(1): the tool's own code only shows how it reacted to the signal.
const timedOutCode = 124

func (o *finished) timedOut(t *timeout) *mcp.CallToolResult {
	text := t.Error()
	if why := o.lastSaid(func(line string) bool { // such as bash, which tries to start a process until it is ended
		return slices.ContainsFunc(process.LimitNames, func(n process.LimitName) bool { return namesLimit(line, n.Name) })
	}); why != "" {
		text += ": " + why
	}
	about := map[string]any{"type": "timeout", "message": text, "reason": t.reason, "timeoutSecs": t.limit.Seconds()}
	if hint := o.call.Tool.TimeoutHint; hint != "" {
		text += suggestion(hint)
		about["hint"] = hint
	}
	result := o.failure(text, o.printed("Output until then:\n"))
	result.Meta["exitCode"] = timedOutCode
	if o.call.Revision.StructuredOutput {
		result.StructuredContent = json.Encode(map[string]any{"success": false, "error": about})
	}
	return result
}

func (o *finished) tooLarge() *mcp.CallToolResult {
	kept := len(o.stdout.Whole())
	result := o.failure(fmt.Sprintf("Tool output is too large: %d bytes, of which the first %d follow",
		o.stdout.Total(), kept), o.printed(""))
	result.Meta["outputBytes"], result.Meta["keptBytes"] = o.stdout.Total(), kept
	return result
}

// structured returns the result of a tool with an outputSchema (T-08, T-09).
func (r *Runtime) structured(ctx context.Context, o *finished, stdout json.Value, isJSON bool) *mcp.CallToolResult {
	fault := ""
	switch {
	case o.stdout.First() == 0:
		fault = "the script printed nothing"
	case !isJSON:
		fault = "the output is not JSON"
	default:
		fault = r.checkOutput(ctx, o.call, stdout)
	}
	if fault != "" {
		r.warn(o, "the output does not satisfy the outputSchema:\n"+fault)
		return o.failure(fmt.Sprintf("Tool output does not satisfy the outputSchema of %s:\n%s", o.call.Tool.Name, fault),
			o.printed(""))
	}
	result := &mcp.CallToolResult{Content: []mcp.Content{mcp.TextIn(stdout)}, Result: mcp.Result{Meta: o.meta()}}
	if o.call.Revision.Structures(stdout) {
		result.StructuredContent = json.RawMessage(stdout)
	}
	return result
}

// ownResult returns the CallToolResult that the script itself wrote, nil if its
// output is something else. A result that clients could not read becomes a failure
// that explains why (T-25). It is validated against the outputSchema like other
// output, unless it has isError: an error need not match the schema.
func (r *Runtime) ownResult(ctx context.Context, o *finished, stdout json.Value) *mcp.CallToolResult {
	if stdout.Kind() != '{' {
		return nil
	}
	var own struct {
		Content           []json.Value `json:"content"`
		StructuredContent json.Value   `json:"structuredContent"`
		IsError           json.Value   `json:"isError"`
		Meta              json.Value   `json:"_meta"`
	}
	if json.Unmarshal(stdout, &own, json.Lenient) != nil || own.Content == nil {
		return nil
	}
	declared := own.IsError != nil || own.StructuredContent != nil
	if !declared && len(own.Content) == 0 {
		return nil
	}
	result := &mcp.CallToolResult{Content: []mcp.Content{}, Result: mcp.Result{Meta: o.meta()}}
	wrong := ""
	for i, block := range own.Content {
		content, err := mcp.ContentIn(block, o.call.Revision)
		var fault *mcp.BlockError
		switch {
		case errors.As(err, &fault) && fault.Foreign() && !declared:
			return nil // JSON that only looks like it
		case errors.As(err, &fault) && wrong == "":
			wrong = fmt.Sprintf("/content/%d%s %s", i, fault.At, fault.Why)
		}
		result.Content = append(result.Content, content)
	}
	var meta map[string]json.Value // numbers as they were
	switch {
	case wrong != "":
	case own.IsError != nil && json.Unmarshal(own.IsError, &result.IsError) != nil:
		wrong = "/isError must be a boolean"
	case own.Meta != nil && json.Unmarshal(own.Meta, &meta, json.Lenient) != nil:
		wrong = "/_meta must be an object"
	}
	if wrong != "" {
		wrong = "The tool wrote a result that clients cannot read: " + wrong
		r.warn(o, wrong)
		return o.failure(wrong, o.printed(""))
	}
	if len(result.Content) == 0 && own.StructuredContent != nil {
		// T-09, and all that clients with older revisions get
		result.Content = append(result.Content, mcp.Text(string(own.StructuredContent)))
	}
	for name, value := range meta {
		result.Meta[name] = value
	}
	// The older revisions allow unknown members in results.
	if s := own.StructuredContent; s != nil && (s.Kind() == '{' || o.call.Revision.Structures(s)) {
		result.StructuredContent = json.RawMessage(s)
	}
	if o.call.Tool.OutputSchema != nil && !result.IsError {
		structured := own.StructuredContent
		if structured == nil {
			structured = json.Value("null")
		}
		if fault := r.checkOutput(ctx, o.call, structured); fault != "" {
			r.warn(o, "the structuredContent does not satisfy the outputSchema:\n"+fault)
			return o.failure(fmt.Sprintf("The structuredContent of %s does not satisfy its outputSchema:\n%s",
				o.call.Tool.Name, fault), result.Content)
		}
	}
	return result
}

// read removes from the output what clients would show as garbage, unless KeepCR is set, and notes
// whether it is UTF-8.
func (r *Runtime) read(o *finished) {
	if !r.KeepCR {
		o.stdout.Plain()
	}
	if at, b := o.stdout.NotUTF8(); at >= 0 {
		o.notUTF8 = fmt.Sprintf("byte 0x%02X at offset %d", b, at)
		r.warn(o, "the output is not valid UTF-8: "+o.notUTF8)
	}
}

// printed returns what the tool printed, as a text after lead; nothing if it printed only white
// space. Bytes that are not UTF-8 become U+FFFD, and the text says so.
func (o *finished) printed(lead string) []mcp.Content {
	if o.stdout.First() == 0 {
		return nil
	}
	if o.notUTF8 != "" {
		lead += "(not valid UTF-8, from " + o.notUTF8 + " on; what cannot be shown is U+FFFD)\n"
	}
	return []mcp.Content{mcp.TextIn([]byte(lead), o.stdout.Whole())}
}

// notText returns the result of a tool whose output is not UTF-8. It contains the output if that looks
// like text in another encoding, but not if it looks binary.
func (o *finished) notText() *mcp.CallToolResult {
	var text []mcp.Content
	if bytes.IndexByte(o.stdout.Bytes(), 0) < 0 {
		text = o.printed("")
	}
	return o.failure(fmt.Sprintf("Tool output is not valid UTF-8: %s of %d. Convert text to UTF-8, as with iconv -f "+
		"ISO-8859-1 -t UTF-8; pass on binary data as a resource, by MCP_TOOL_RESOURCES_FILE or "+
		"mcp_result_text_with_resource", o.notUTF8, o.stdout.Total()), text)
}
