// Package jsonv2 is Go's future encoding/json/v2, as far as this program uses it. In Go it is
// behind an experiment until it is final; until then it comes from the library that the experiment
// is built from. Only this package and [jsontext] import the library.
package jsonv2

import (
	"io"

	"github.com/go-json-experiment/json"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

type (
	Options       = json.Options
	SemanticError = json.SemanticError
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
