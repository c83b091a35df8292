package ask

import (
	"context"
	"strings"
)

// Complete prints completions of an argument of a prompt, or of a variable of the resource template with
// the URI of. known are the arguments that have values already.
func (a *Client) Complete(ctx context.Context, of, argument, value string, known map[string]any) error {
	ref := map[string]any{"type": "ref/prompt", "name": of}
	if strings.Contains(of, ":") {
		ref = map[string]any{"type": "ref/resource", "uri": of}
	}
	params := map[string]any{"ref": ref, "argument": map[string]any{"name": argument, "value": value}}
	if len(known) > 0 {
		params["context"] = map[string]any{"arguments": known}
	}
	var r struct {
		Completion struct {
			Values  []string
			HasMore bool
		}
	}
	if err := a.ask(ctx, "completion/complete", params, "the completions of "+of, &r); err != nil {
		return err
	}
	for _, v := range r.Completion.Values {
		a.Write(v)
	}
	if r.Completion.HasMore {
		a.Messages.Hint("there are more")
	}
	return nil
}
