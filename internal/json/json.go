// Package json is the JSON of this program: Go's future encoding/json/v2 and jsontext, as far as
// they are used here, and what reads and changes members of objects. In Go they are behind an experiment
// until they are final; until then they come from the library that the experiment is built from,
// which only this package imports.
package json

import (
	"cmp"
	stdjson "encoding/json"
	"errors"
	"io"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type (
	Decoder        = jsontext.Decoder
	Encoder        = jsontext.Encoder
	Kind           = jsontext.Kind
	Number         = stdjson.Number
	Options        = json.Options
	Pointer        = jsontext.Pointer
	RawMessage     = stdjson.RawMessage // in what other programs can import; elsewhere a Value
	SemanticError  = json.SemanticError
	SyntacticError = jsontext.SyntacticError
	Token          = jsontext.Token
	Unmarshalers   = json.Unmarshalers
	Value          = jsontext.Value
)

const KindInvalid = jsontext.KindInvalid

var (
	ErrDuplicateName = jsontext.ErrDuplicateName
	ErrUnknownName   = json.ErrUnknownName
)

var (
	// Lenient is the grammar of what other programs write: RFC 8259 as it stands. Of duplicate names the last one
	// counts, and lone surrogates such as "\ud83d", JavaScript's half of an emoji, are accepted.
	Lenient = JoinOptions(AllowDuplicateNames(true), AllowInvalidUTF8(true))
	// Verbatim is Lenient that also writes strings as they were written.
	Verbatim = JoinOptions(Lenient, PreserveRawStrings(true))
)

func Marshal(in any, o ...Options) ([]byte, error)           { return json.Marshal(in, o...) }
func MarshalWrite(out io.Writer, in any, o ...Options) error { return json.MarshalWrite(out, in, o...) }
func Unmarshal(in []byte, out any, o ...Options) error       { return json.Unmarshal(in, out, o...) }
func UnmarshalDecode(in *Decoder, out any, o ...Options) error {
	return json.UnmarshalDecode(in, out, o...)
}

func NewDecoder(r io.Reader, o ...Options) *Decoder { return jsontext.NewDecoder(r, o...) }
func NewEncoder(w io.Writer, o ...Options) *Encoder { return jsontext.NewEncoder(w, o...) }

func AppendFloat(b []byte, f float64, bits int) []byte { return jsontext.AppendFloat(b, f, bits) }
func AppendQuote[T ~[]byte | ~string](b []byte, s T) ([]byte, error) {
	return jsontext.AppendQuote(b, s)
}
func AppendUnquote[T ~[]byte | ~string](b []byte, s T) ([]byte, error) {
	return jsontext.AppendUnquote(b, s)
}

func AllowDuplicateNames(on bool) Options  { return jsontext.AllowDuplicateNames(on) }
func AllowInvalidUTF8(on bool) Options     { return jsontext.AllowInvalidUTF8(on) }
func Deterministic(on bool) Options        { return json.Deterministic(on) }
func JoinOptions(o ...Options) Options     { return json.JoinOptions(o...) }
func PreserveRawStrings(on bool) Options   { return jsontext.PreserveRawStrings(on) }
func RejectUnknownMembers(on bool) Options { return json.RejectUnknownMembers(on) }
func WithIndent(indent string) Options     { return jsontext.WithIndent(indent) }
func WithUnmarshalers(u ...*Unmarshalers) Options {
	return json.WithUnmarshalers(json.JoinUnmarshalers(u...))
}

// KindName returns what JSON calls a kind, for error messages: "an object", "a string", "null".
func KindName(k Kind) string { return cmp.Or(kindNames[k], "null") }

var kindNames = map[Kind]string{'{': "an object", '[': "an array", '"': "a string", '0': "a number",
	't': "a boolean", 'f': "a boolean"}

// RefuseNull refuses null in the place of a T, a pointer or map, which would be nil as if it were absent. It
// is not in the library.
func RefuseNull[T any]() *Unmarshalers {
	return json.UnmarshalFromFunc(func(in *Decoder, _ *T) error {
		if in.PeekKind() != 'n' {
			return errors.ErrUnsupported
		}
		return &SemanticError{JSONPointer: in.StackPointer(), JSONKind: 'n', GoType: reflect.TypeFor[T]()}
	})
}
