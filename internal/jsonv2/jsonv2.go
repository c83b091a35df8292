// Package jsonv2 is Go's future encoding/json/v2, as far as this program uses it. In Go it is
// behind an experiment until it is final; until then it comes from the library that the experiment
// is built from. Only this package and [jsontext] import the library.
package jsonv2

import (
	"errors"
	"io"
	"reflect"

	"github.com/go-json-experiment/json"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

type (
	Options       = json.Options
	SemanticError = json.SemanticError
	Unmarshalers  = json.Unmarshalers
)

var ErrUnknownName = json.ErrUnknownName

func Marshal(in any, o ...Options) ([]byte, error)           { return json.Marshal(in, o...) }
func MarshalWrite(out io.Writer, in any, o ...Options) error { return json.MarshalWrite(out, in, o...) }
func Unmarshal(in []byte, out any, o ...Options) error       { return json.Unmarshal(in, out, o...) }
func UnmarshalDecode(in *jsontext.Decoder, out any, o ...Options) error {
	return json.UnmarshalDecode(in, out, o...)
}

func JoinOptions(o ...Options) Options     { return json.JoinOptions(o...) }
func Deterministic(on bool) Options        { return json.Deterministic(on) }
func RejectUnknownMembers(on bool) Options { return json.RejectUnknownMembers(on) }

func WithUnmarshalers(u ...*Unmarshalers) Options {
	return json.WithUnmarshalers(json.JoinUnmarshalers(u...))
}

// RefuseNull refuses null in the place of a T, a pointer or map, which would be nil as if it were absent. It
// is not in the library.
func RefuseNull[T any]() *Unmarshalers {
	return json.UnmarshalFromFunc(func(in *jsontext.Decoder, _ *T) error {
		if in.PeekKind() != 'n' {
			return errors.ErrUnsupported
		}
		return &SemanticError{JSONPointer: in.StackPointer(), JSONKind: 'n', GoType: reflect.TypeFor[T]()}
	})
}
