package handlers

import (
	"context"
	"fmt"
	"math"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// paramsOf decodes the params of a message, and checks the members that all methods have in common.
func paramsOf[P mcp.Asked](m *pipeline.Message) (_ P, err error) {
	if m.Params() == nil { // a ping, most often
		var none P
		return none, nil
	}
	var params P
	if err := m.Decode(&params); err != nil {
		return params, err
	}
	return params, checkMeta(params.Common().Meta)
}

// checkMeta checks the member _meta of params.
func checkMeta(meta json.RawMessage) error {
	if err := checkObject("_meta", meta); err != nil {
		return err
	}
	if nonNull(meta) == nil {
		return nil
	}
	var known struct {
		ProgressToken json.Value `json:"progressToken"`
	}
	err := json.Unmarshal(meta, &known, json.AllowInvalidUTF8(true))
	if err == nil && known.ProgressToken != nil && !isToken(known.ProgressToken) {
		err = fmt.Errorf("%w: /_meta/progressToken must be a string or an integer", pipeline.ErrInvalidParams) // P-08
	}
	return err
}

// checkObject refuses a member of params that is neither absent, null nor an object.
func checkObject(name string, value json.RawMessage) error {
	if k := json.Value(value).Kind(); value != nil && k != '{' && k != 'n' {
		return fmt.Errorf("%w: /%s must be an object", pipeline.ErrInvalidParams, name)
	}
	return nil
}

// isToken reports whether JSON is a string or an integer, however it is written.
func isToken(v json.Value) bool {
	var n float64
	switch v.Kind() {
	case '"':
		return true
	case '0':
		return json.Unmarshal(v, &n) == nil && n == math.Trunc(n)
	}
	return false
}

// requireParams makes a method refuse calls without any params, as they were sent by mistake.
func requireParams(m Method) Method {
	h := m.Handle
	m.Handle = func(ctx context.Context, o *pipeline.Message) (*pipeline.Message, error) {
		if o.Params() == nil {
			return nil, fmt.Errorf("%w: params are missing; send at least {}", pipeline.ErrInvalidParams) // L-03
		}
		return h(ctx, o)
	}
	return m
}
