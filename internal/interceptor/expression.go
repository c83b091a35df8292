package interceptor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
	ourjson "github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk/filter"
)

// Expression returns an interceptor of a type that is a jq expression about the payload, with the variables $config,
// $context, $event, $phase and $name. A validator is true, false, or a text, which is why it refuses, or a result as scripts
// print it; a mutator is the new payload. It is bounded as package filter describes, and reads no files and no
// variables of the environment.
func Expression(kind, text string) (Func, error) {
	if _, err := jq.Parse(text); err != nil {
		return nil, &filter.CompileError{Filter: text, Err: err}
	}
	const begin = ".config as $config | .context as $context | .payload | "
	program := begin + "(" + text + "\n)"
	if kind == Mutation {
		program = begin + "., (" + text + "\n)" // the first output tells whether it has changed
	}
	var cache filter.Cache
	ask := func(ctx context.Context, q Question) ([]filter.Output, error) {
		in := map[string]any{}
		for name, text := range map[string][]byte{"payload": q.Payload, "config": q.Config, "context": q.Context} {
			if len(text) == 0 {
				continue
			}
			v, err := ourjson.Exact(text)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", filter.ErrInput, err)
			}
			in[name] = v
		}
		return cache.RunValue(ctx, program, in, len(q.Payload), filter.Var{Name: "event", Value: q.Event},
			filter.Var{Name: "phase", Value: q.Phase}, filter.Var{Name: "name", Value: q.Name})
	}
	probe, stop := context.WithCancel(context.Background())
	stop() // it is compiled, and does not run
	if _, err := ask(probe, Question{Payload: json.RawMessage("null")}); errors.As(err, new(*filter.CompileError)) {
		return nil, &filter.CompileError{Filter: text, Err: errors.Unwrap(err)}
	}
	return func(ctx context.Context, q Question) (Result, error) {
		out, err := ask(ctx, q)
		switch {
		case err != nil:
			return Result{}, err
		case kind == Mutation && len(out) == 2:
			before, after := out[0].JSON(), out[1].JSON()
			if bytes.Equal(before, after) {
				after = nil
			}
			return changed(after), nil
		case kind == Validation && len(out) == 1:
			return verdictOf(out[0])
		}
		return Result{}, errors.New("the expression must have one output")
	}, nil
}

func verdictOf(out filter.Output) (r Result, err error) {
	switch v := out.Value().(type) {
	case bool:
		return Result{Valid: &v}, nil
	case string:
		return verdict(v), nil
	case map[string]any:
		err = json.Unmarshal(out.JSON(), &r)
		return r, err
	}
	return r, errors.New("the expression must be true, false, a text that says why not, or an object")
}
