package pipeline

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// decodeParams reads params into v; see [Message.Decode].
func decodeParams(params []byte, v any) error {
	if params == nil {
		return nil
	}
	switch json.Value(params).Kind() {
	case '{':
	case '[':
		return fmt.Errorf("%w: must be an object, not an array", ErrInvalidParams)
	default:
		return fmt.Errorf("%w: params must be an object", ErrInvalidRequest)
	}
	err := json.Unmarshal(params, v, json.AllowInvalidUTF8(true))
	var s *json.SemanticError
	var g *json.SyntacticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &s) && s.GoType != nil && s.JSONKind != 0:
		return fmt.Errorf("%w: %s must be %s, not %s", ErrInvalidParams, s.JSONPointer, expected(s.GoType),
			json.KindName(s.JSONKind))
	case errors.Is(err, json.ErrDuplicateName) && errors.As(err, &g):
		return fmt.Errorf("%w: duplicate member %s", ErrInvalidParams, g.JSONPointer)
	default:
		return fmt.Errorf("%w: %w", ErrInvalidParams, err)
	}
}

// expected returns what a Go type accepts, in JSON's words.
func expected(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	default:
		return "an integer"
	}
}
