package explain

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/trace"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Simulation is what interceptors would have done to the messages of a recording.
type Simulation struct {
	File         string     `json:"file"`
	Interceptors int        `json:"interceptors"`
	Messages     int        `json:"messages"`
	Seen         int        `json:"seen"` // messages that an interceptor is for
	Refused      int        `json:"refused"`
	Changed      int        `json:"changed"`
	Found        []*Finding `json:"found"` // in the order of the messages
}

// A Finding is a message to which an interceptor objects, or that one changes. A response has the method and the name
// of its call.
type Finding struct {
	Message
	Phase   string       `json:"phase"`
	Outcome string       `json:"outcome"` // refused, changed or passed
	Reason  string       `json:"reason,omitempty"`
	Rules   []Did        `json:"rules"`
	Change  trace.Change `json:"change,omitzero"` // of the params or the result
}

// Did is what one interceptor did.
type Did struct {
	Name    string           `json:"name"`
	Outcome interceptor.What `json:"outcome"`
	Audit   bool             `json:"audit,omitempty"`
	Reason  string           `json:"reason,omitempty"`
}

const outcomePassed = "passed"

// Simulate takes the messages past interceptors, in the order in which they were recorded and in that of the side that
// recorded them: serve has a project, wrap none. The answer to a call that is refused is left out, as there would be
// none.
func (r *Report) Simulate(ctx context.Context, all []*interceptor.Interceptor) (*Simulation, error) {
	s := &Simulation{File: r.File, Interceptors: len(all), Messages: len(r.Messages), Found: []*Finding{}}
	refused := map[int]bool{}
	for _, m := range r.Messages {
		call, phase, payload := m, interceptor.Request, m.parsed.Params()
		if m.parsed.Kind() == pipeline.Response && m.For > 0 && m.parsed.Fault() == nil {
			call, phase, payload = r.Messages[m.For-1], interceptor.Response, m.parsed.Result()
		}
		if call.parsed.Kind() != pipeline.Call || interceptor.Exempt(call.Method) || refused[call.Number] {
			continue
		}
		found := &Finding{Message: *m, Phase: phase, Outcome: outcomePassed}
		found.Method, found.Name, found.Steps = call.Method, call.Name, nil
		set := &interceptor.Set{All: all, Tell: func(t interceptor.Told) {
			found.Rules = append(found.Rules, Did{t.Name, t.What, t.Audit, t.Reason})
		}}
		if seen, _ := set.Hooks(call.Method, phase); !seen {
			continue
		}
		s.Seen++
		session := r.Sessions[m.Session-1]
		way := interceptor.Direction(session.Project == "") // of calls of the client
		if m.From == "server" {
			way = !way
		}
		passed, err := set.Pass(ctx, way, interceptor.Question{Event: call.Method, Phase: phase, Payload: payload,
			Context: interceptor.Context(ctx, strconv.Itoa(session.Number), call.parsed.Params())})
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			s.Refused++
			found.Outcome, found.Reason, refused[call.Number] = string(interceptor.Refused), err.Error(), true
		case !bytes.Equal(passed, payload):
			s.Changed++
			found.Outcome = string(interceptor.Changed)
			found.Change = trace.Compare(payload, passed, redact.Rules{})
		}
		if len(found.Rules) > 0 {
			s.Found = append(s.Found, found)
		}
	}
	return s, nil
}

// Print prints the findings for people.
func (s *Simulation) Print(c *console.Console) {
	c.Say("%s: %s, %d of them for %s; %d would be refused, %d changed", s.File,
		console.Count(s.Messages, "message"), s.Seen,
		console.Count(s.Interceptors, "interceptor"), s.Refused, s.Changed)
	for _, f := range s.Found {
		say, what := c.Warn, strings.TrimSpace(f.Method+" "+f.Name)
		if f.Phase == interceptor.Response {
			what = "the result of " + what
		}
		if f.Outcome == string(interceptor.Refused) {
			say = c.Fail
		}
		say("message %d, %s, id %s: %s", f.Number, what, f.ID, f.Outcome)
		for _, did := range f.Rules {
			text := did.Name + " " + string(did.Outcome)
			if did.Outcome != interceptor.Changed {
				text += ": " + did.Reason
			}
			if did.Audit {
				text += " (audit)"
			}
			c.Hint("%s", text)
		}
		if f.Change.Bytes != nil {
			c.Hint("%d bytes became %d", f.Change.Bytes.From, f.Change.Bytes.To)
		}
		for _, o := range f.Change.Patch {
			c.Hint("%s %s", o.Op, o.Path)
			if o.Was != nil {
				c.Diff("- " + console.Cut(string(o.Was), maxShown))
			}
			if o.Value != nil {
				c.Diff("+ " + console.Cut(string(o.Value), maxShown))
			}
		}
	}
}

// maxShown is how much of a changed value is printed for people, in columns.
const maxShown = 200
