package handlers

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A dialog is how a run asks its client and reports to it: a [round.Conversation], or a session.
type dialog interface {
	// Ask sends questions to the client and waits for all answers, or for the end of the context.
	Ask(context.Context, ...sdk.Question) []sdk.Answer
	// Supports reports whether the client has a capability, by the name that scripts use.
	Supports(capability string) bool
	// Tell calls tell with the request that the run serves now, if there is one.
	Tell(tell func(round.Request))
}

// A session is the dialog of a call whose client can be asked while the call runs.
type session struct {
	client
	request round.Request
	trace   mcp.Trace
}

// Ask sends each question as a request of its own, all at once. Questions for which the client has not
// declared the capability are not sent.
func (s session) Ask(ctx context.Context, questions ...sdk.Question) []sdk.Answer {
	answers := make([]sdk.Answer, len(questions))
	var asking sync.WaitGroup
	for i, q := range questions {
		asking.Go(func() {
			params, err := s.Question(q)
			if err == nil {
				answers[i].Result, err = pipeline.From(ctx).Call(ctx, q.Method, s.trace.On(params))
			}
			answers[i].Err = err
		})
	}
	asking.Wait()
	return answers
}

// Tell calls tell with the only request of the call.
func (s session) Tell(tell func(round.Request)) { tell(s.request) }

// question returns the params of a question in the client's revision, or sdk.ErrUnsupported if the
// client cannot be asked it (EL-01, RO-01, SA-01, SA-02, MR-04).
func question(t mcp.Terms, q sdk.Question) (json.RawMessage, error) {
	var params struct {
		Mode       string     `json:"mode"`
		Tools      json.Value `json:"tools"`
		ToolChoice json.Value `json:"toolChoice"`
	}
	if err := json.Unmarshal(q.Params, &params, json.AllowInvalidUTF8(true)); err != nil {
		return nil, err
	}
	client, r := t.Client(), t.Revision()
	can := false
	switch q.Method {
	case "elicitation/create":
		can = client.Elicits(r, params.Mode)
	case "sampling/createMessage":
		can = client.Has(r, "sampling") && (params.Tools == nil && params.ToolChoice == nil ||
			client.Has(r, "sampling.tools"))
	case "roots/list":
		can = client.Has(r, "roots")
	}
	if !can {
		return nil, sdk.ErrUnsupported
	}
	if q.Method == "elicitation/create" {
		return elicitation(q.Params, r)
	}
	return q.Params, nil
}

// elicitation returns a form or page in revision r: older revisions have no modes (EL-03), and some
// have no ids for pages (EL-09).
func elicitation(params json.RawMessage, r *mcp.Revision) (json.RawMessage, error) {
	var members map[string]json.Value
	if err := json.Unmarshal(params, &members, json.AllowInvalidUTF8(true)); err != nil {
		return nil, err
	}
	switch {
	case !r.ElicitationModes:
		delete(members, "mode")
	case members["mode"] == nil: // clients of the Bash program always got it
		members["mode"] = json.Value(`"form"`)
	}
	if !r.ElicitationIDs {
		delete(members, "elicitationId")
	}
	if form := members["requestedSchema"]; form != nil {
		in, ok := mcp.FormIn(form, r)
		if !ok {
			return nil, fmt.Errorf("%w: the form is invalid, or has a multiple choice, which this revision lacks",
				sdk.ErrUnsupported)
		}
		members["requestedSchema"] = in
	}
	return json.Encode(members), nil
}

// A client is the client to ask under the terms of a message.
type client struct{ terms mcp.Terms }

func (c client) Question(q sdk.Question) (json.RawMessage, error) { return question(c.terms, q) }

func (c client) Supports(capability string) bool {
	return c.terms.Client().Has(c.terms.Revision(), capability)
}

// Abandon notifies the client that a question is no longer of interest: it has timed out, or the
// call that it belongs to has ended (L-12, X-05).
func Abandon(ctx context.Context, p *pipeline.Pipeline, id pipeline.ID, cause error) {
	// nobody is left to tell
	_ = p.Notify(ctx, "notifications/cancelled", map[string]any{"requestId": json.RawMessage(id.String()),
		"reason": cause.Error()})
}
