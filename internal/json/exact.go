package json

import (
	"bytes"
	stdjson "encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Exact decodes a value as encoding/json does, with numbers as they are spelled, as a [Number]. It takes a fraction of
// the time, but leaves what is no JSON to encoding/json, which explains it.
func Exact(text []byte) (v any, err error) {
	if v, err = ReadExact(jsontext.NewDecoder(bytes.NewBuffer(text), Lenient), nil); err == nil {
		return v, nil
	}
	d := stdjson.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v = nil
	return v, d.Decode(&v)
}

// ReadExact reads the next value, as [Exact] decodes it. Unless check is nil, it is called behind the first token of
// each value in it; its error ends the reading.
func ReadExact(d *Decoder, check func(first Token) error) (any, error) {
	t, err := d.ReadToken()
	if err == nil && check != nil {
		err = check(t)
	}
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case 't', 'f':
		return t.Bool(), nil
	case '"':
		return t.String(), nil
	case '0':
		return Number(t.String()), nil
	case '[':
		list := []any{}
		for d.PeekKind() != ']' {
			item, err := ReadExact(d, check)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = d.ReadToken()
		return list, err
	case '{':
		object := map[string]any{}
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			key := name.String()
			if object[key], err = ReadExact(d, check); err != nil {
				return nil, err
			}
		}
		_, err = d.ReadToken()
		return object, err
	}
	return nil, nil
}
