package handlers

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A state travels with the client, sealed (MR-05, MR-06).
type state struct {
	Run     string                 `json:"r"` // which run it is of
	Nonce   string                 `json:"n"` // for use once
	Binding string                 `json:"b"` // to the method and its params
	Expires int64                  `json:"e"` // in milliseconds since 1970
	Round   int                    `json:"c"`
	Asked   map[string]string      `json:"q"` // what the questions were, by key
	Given   map[string]round.Given `json:"g,omitempty"`
}

// maxGiven is how many bytes of answers travel with the client of a run that is
// kept. With more, a run that is gone asks again.
const maxGiven = 64 << 10

// seal makes the state that goes with questions.
func (r *Rounds) seal(c roundCall, s *state, given map[string]round.Given, open []round.Open) (string, error) {
	s.Nonce = rand.Text()
	s.Binding = r.binding(c)
	s.Expires = time.Now().Add(r.TTL).UnixMilli()
	s.Asked = make(map[string]string, len(open))
	for _, q := range open {
		s.Asked[q.Key] = q.Digest
	}
	s.Given = given
	size := 0
	for _, g := range given {
		size += len(g.Result)
	}
	if size > maxGiven && r.keeps(c) {
		s.Given = nil
	}
	return r.Box().Seal(s)
}

// use makes a state one that was used: it can be no second time. A call that is
// refused before may bring it again.
func (r *Rounds) use(ctx context.Context, s *state) error {
	if s.Nonce == "" {
		return nil
	}
	switch first, err := r.Cluster.Use(ctx, s.Nonce, time.UnixMilli(s.Expires)); {
	case err != nil:
		return fmt.Errorf("%w: /requestState may be used only once, and whether it was used is not known: %w", pipeline.ErrInternal, err)
	case !first:
		return refusedState(errors.New("it was used before, or it is too old"))
	}
	return nil
}

// resume reads what a call brings from an earlier round, for use. Without a state
// it is the first one, and the answers that it has are for what would be asked.
func (r *Rounds) resume(c roundCall) (*state, map[string]json.RawMessage, error) {
	responses, err := responsesOf(c.retry.InputResponses)
	if err != nil {
		return nil, nil, err
	}
	s := &state{Given: make(map[string]round.Given)}
	sealed := c.retry.RequestState
	if k := jsontext.Value(sealed).Kind(); sealed == nil || k == 'n' {
		return s, responses, nil
	} else if k != '"' {
		return nil, nil, fmt.Errorf("%w: /requestState must be a string", pipeline.ErrInvalidParams)
	}
	var text string
	if err := jsonv2.Unmarshal(sealed, &text); err != nil {
		return nil, nil, refusedState(err)
	}
	switch err := r.Box().Open(text, s); {
	case err != nil:
		return nil, nil, refusedState(err)
	case s.Binding != r.binding(c):
		return nil, nil, refusedState(errors.New("it belongs to a call with another name or other arguments, or of another project"))
	case time.Now().UnixMilli() >= s.Expires:
		return nil, nil, refusedState(errors.New("it has expired"))
	}
	return s, responses, nil
}

// refusedState is the error for a state that is not, or no longer, valid.
func refusedState(why error) error {
	return fmt.Errorf("%w: /requestState: %w; call again without it", pipeline.ErrInvalidParams, why)
}

// responsesOf reads the answers of a client (MR-11).
func responsesOf(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if raw = present(raw); raw == nil {
		return nil, nil
	}
	var all map[string]jsontext.Value
	if jsontext.Value(raw).Kind() != '{' || jsonv2.Unmarshal(raw, &all, jsontext.AllowInvalidUTF8(true)) != nil {
		return nil, fmt.Errorf("%w: /inputResponses must be an object", pipeline.ErrInvalidParams)
	}
	responses := make(map[string]json.RawMessage, len(all))
	for key, v := range all {
		if v.Kind() != '{' {
			return nil, fmt.Errorf("%w: /inputResponses/%s must be an object", pipeline.ErrInvalidParams, key)
		}
		responses[key] = json.RawMessage(v)
	}
	return responses, nil
}

// binding is the same for calls that are the same: the project, the method, the
// name and the arguments, however they are written.
func (r *Rounds) binding(c roundCall) string {
	arguments := jsontext.Value(c.arguments).Clone()
	switch {
	case arguments == nil:
		arguments = jsontext.Value("{}")
	case arguments.Canonicalize() != nil:
		arguments = jsontext.Value(c.arguments)
	}
	sum := sha256.Sum256([]byte(r.Project + "\x00" + c.method + "\x00" + c.name + "\x00" + string(arguments)))
	return hex.EncodeToString(sum[:])
}
