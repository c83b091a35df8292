package handlers

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A state is kept by the client between rounds, sealed (MR-05, MR-06).
type state struct {
	Run     string                 `json:"r"` // the id of its run
	Nonce   string                 `json:"n"` // makes it usable only once
	Binding string                 `json:"b"` // hash of the caller, the method and its params; see binding
	Expires int64                  `json:"e"` // in milliseconds since 1970
	Round   int                    `json:"c"`
	Asked   map[string]string      `json:"q"` // the questions, by key
	Given   map[string]round.Given `json:"g,omitempty"`
}

// maxGiven is the most bytes of answers that travel with the client while its run is kept. With
// more, a run that is lost asks again.
const maxGiven = 64 << 10

// seal returns the sealed state that is sent along with questions.
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

// use marks a state as used, so that it is refused a second time. A call that is refused before
// this may send it again.
func (r *Rounds) use(ctx context.Context, s *state) error {
	if s.Nonce == "" {
		return nil
	}
	switch first, err := r.Cluster.Use(ctx, s.Nonce, time.UnixMilli(s.Expires)); {
	case err != nil:
		return fmt.Errorf("%w: cannot check whether /requestState was used before: %w", pipeline.ErrInternal, err)
	case !first:
		return refusedState(errors.New("already used, or too old"))
	}
	return nil
}

// resume reads the state of an earlier round from a call, and the answers. Without a state it is
// the first round, and the answers are for questions that may be asked.
func (r *Rounds) resume(c roundCall) (*state, map[string]json.RawMessage, error) {
	responses, err := responsesOf(c.retry.InputResponses)
	if err != nil {
		return nil, nil, err
	}
	s := &state{Given: make(map[string]round.Given)}
	sealed := c.retry.RequestState
	if k := json.Value(sealed).Kind(); sealed == nil || k == 'n' {
		return s, responses, nil
	} else if k != '"' {
		return nil, nil, fmt.Errorf("%w: /requestState must be a string", pipeline.ErrInvalidParams)
	}
	var text string
	if err := json.Unmarshal(sealed, &text); err != nil {
		return nil, nil, refusedState(err)
	}
	switch err := r.Box().Open(text, s); {
	case err != nil:
		return nil, nil, refusedState(err)
	case s.Binding != r.binding(c):
		return nil, nil, refusedState(errors.New("belongs to a call of another user, with another name, with other " +
			"arguments or in another project"))
	case time.Now().UnixMilli() >= s.Expires:
		return nil, nil, refusedState(errors.New("expired"))
	}
	return s, responses, nil
}

// refusedState is the error for a state that is not, or no longer, valid.
func refusedState(why error) error {
	return fmt.Errorf("%w: /requestState: %w; call again without it", pipeline.ErrInvalidParams, why)
}

// responsesOf reads the answers of a client (MR-11).
func responsesOf(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if raw = nonNull(raw); raw == nil {
		return nil, nil
	}
	var all map[string]json.Value
	if json.Value(raw).Kind() != '{' || json.Unmarshal(raw, &all, json.AllowInvalidUTF8(true)) != nil {
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

// binding returns a hash that is equal for equal calls of a caller: of the project, the method, the name and
// the arguments, however they are spelled.
func (r *Rounds) binding(c roundCall) string {
	arguments := json.Value(c.arguments).Clone()
	switch {
	case arguments == nil:
		arguments = json.Value("{}")
	case arguments.Canonicalize() != nil:
		arguments = json.Value(c.arguments)
	}
	sum := sha256.Sum256([]byte(strconv.Quote(c.caller) + r.Project + "\x00" + c.method + "\x00" + c.name + "\x00" +
		string(arguments)))
	return hex.EncodeToString(sum[:])
}
