// Package jsontext is Go's future encoding/json/jsontext, as far as this program uses it; see the
// package jsonv2.
package jsontext

import (
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

type (
	Decoder        = jsontext.Decoder
	Encoder        = jsontext.Encoder
	Kind           = jsontext.Kind
	Options        = jsontext.Options
	Pointer        = jsontext.Pointer
	SyntacticError = jsontext.SyntacticError
	Token          = jsontext.Token
	Value          = jsontext.Value
)

const KindInvalid = jsontext.KindInvalid

var ErrDuplicateName = jsontext.ErrDuplicateName

func NewDecoder(r io.Reader, o ...Options) *Decoder { return jsontext.NewDecoder(r, o...) }
func NewEncoder(w io.Writer, o ...Options) *Encoder { return jsontext.NewEncoder(w, o...) }
func String(s string) Token                         { return jsontext.String(s) }

func AppendFloat(b []byte, f float64, bits int) []byte { return jsontext.AppendFloat(b, f, bits) }
func AppendQuote[T ~[]byte | ~string](b []byte, s T) ([]byte, error) {
	return jsontext.AppendQuote(b, s)
}
func AppendUnquote[T ~[]byte | ~string](b []byte, s T) ([]byte, error) {
	return jsontext.AppendUnquote(b, s)
}

func AllowDuplicateNames(on bool) Options { return jsontext.AllowDuplicateNames(on) }
func AllowInvalidUTF8(on bool) Options    { return jsontext.AllowInvalidUTF8(on) }
func PreserveRawStrings(on bool) Options  { return jsontext.PreserveRawStrings(on) }
func WithIndent(indent string) Options    { return jsontext.WithIndent(indent) }
