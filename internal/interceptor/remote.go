package interceptor

import (
	"context"
	"encoding/json"
	"fmt"
)

// Call calls a method of another server.
type Call func(ctx context.Context, method string, params map[string]any) (json.RawMessage, error)

// Of returns the interceptors of another server, which answers by call.
func Of(ctx context.Context, call Call) ([]*Interceptor, error) {
	text, err := call(ctx, MethodList, map[string]any{})
	if err != nil {
		return nil, err
	}
	var listed struct{ Interceptors []Definition }
	if err := json.Unmarshal(text, &listed); err != nil {
		return nil, fmt.Errorf("%s: %w", MethodList, err)
	}
	var all []*Interceptor
	for _, d := range listed.Interceptors {
		all = append(all, &Interceptor{Definition: d, Slow: true,
			Answer: func(ctx context.Context, q Question) (r Result, err error) {
				params := map[string]any{"name": q.Name, "event": q.Event, "phase": q.Phase, "payload": q.Payload,
					"timeoutMs": q.TimeoutMS}
				if len(q.Config) > 0 {
					params["config"] = q.Config
				}
				if len(q.Context) > 0 {
					params["context"] = q.Context
				}
				text, err := call(ctx, MethodInvoke, params)
				if err != nil {
					return r, err
				}
				err = json.Unmarshal(text, &r)
				return r, err
			}})
	}
	return all, nil
}
