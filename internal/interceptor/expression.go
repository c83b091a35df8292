package interceptor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	ourjson "github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk/filter"
)

// Expression returns an interceptor of a type that is a jq expression about the payload, with the variables $config,
// $context, $event, $phase and $name. A validator is true, false, or a text, which is why it refuses, or a result as
// scripts print it; a mutator is the new payload. It is bounded as package filter describes, and reads no files and no
// variables of the environment.
func Expression(kind, text string) (Func, error) {
	program, err := filter.Compile(text, "event", "phase", "name", "config", "context")
	if err != nil {
		return nil, err
	}
	wants := func(variable string, value json.RawMessage) (any, error) {
		if len(value) == 0 || !strings.Contains(text, variable) {
			return nil, nil
		}
		return decoded(value)
	}
	return func(ctx context.Context, q Question) (r Result, err error) {
		payload, err1 := q.value()
		config, err2 := wants("$config", q.Config)
		context, err3 := wants("$context", q.Context)
		if err := errors.Join(err1, err2, err3); err != nil {
			return r, err
		}
		out, err := program.Run(ctx, payload, len(q.Payload), q.Event, q.Phase, q.Name, config, context)
		switch {
		case err != nil:
			return r, err
		case len(out) != 1:
			return r, errors.New("the expression must have one output")
		case kind == Validation:
			return verdictOf(out[0])
		case out[0].Equal(payload):
			return changed(nil), nil
		}
		return changed(out[0].JSON()), nil
	}, nil
}

// decoded returns a JSON value as expressions take it; without one, an empty object.
func decoded(text json.RawMessage) (any, error) {
	if text == nil {
		return map[string]any{}, nil
	}
	v, err := ourjson.Exact(text)
	if err != nil {
		err = fmt.Errorf("%w: %w", filter.ErrInput, err)
	}
	return v, err
}

func verdictOf(out filter.Output) (r Result, err error) {
	switch v := out.Value().(type) {
	case bool:
		return Result{Valid: &v}, nil
	case string:
		return verdict(v), nil
	case map[string]any:
		return resultOf(out.JSON())
	}
	return r, errors.New("the expression must be true, false, a text that says why not, or an object")
}
