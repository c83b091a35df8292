package pipeline

import (
	"context"
	"fmt"
)

// A Mux calls the handler that is registered for the method of a message.
type Mux map[string]Handler

// Serve calls the handler of the message's method. An unknown call gets code
// -32601 (J-11); an unknown notification is ignored (J-10).
func (x Mux) Serve(ctx context.Context, m *Message) (*Message, error) {
	if h, ok := x[m.method]; ok {
		return h(ctx, m)
	}
	if m.kind != Call {
		return nil, nil
	}
	return nil, Errorf(-32601, "Method not found: %s", m.method)
}

// Method makes a Handler of a plain function. Params are decoded into P, absent
// ones leave its zero value, and the result is encoded as JSON. Params that do
// not fit P get code -32602.
//
//	pipeline.Mux{"add": pipeline.Method(func(ctx context.Context, p struct{ A, B int }) (int, error) {
//		return p.A + p.B, nil
//	})}
func Method[P, R any](f func(ctx context.Context, params P) (R, error)) Handler {
	return func(ctx context.Context, m *Message) (*Message, error) {
		var params P
		if err := m.Decode(&params); err != nil {
			return nil, err
		}
		result, err := f(ctx, params)
		if err != nil || m.kind != Call {
			return nil, err
		}
		answer, err := m.Answer(result)
		if err != nil {
			return nil, fmt.Errorf("%w: result: %w", ErrInternal, err)
		}
		return answer, nil
	}
}
