package json

import (
	"bytes"
	stdjson "encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Exact decodes a value as encoding/json does, with numbers as they are spelled, as a [Number]. It takes a fraction of
// the time, but leaves what is no JSON to encoding/json, which explains it.
func Exact(text []byte) (v any, err error) {
	if v, err = exact(jsontext.NewDecoder(bytes.NewBuffer(text), Lenient)); err == nil {
		return v, nil
	}
	d := stdjson.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v = nil
	return v, d.Decode(&v)
}

// exact decodes the next value.
func exact(d *jsontext.Decoder) (any, error) {
	t, err := d.ReadToken()
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
			item, err := exact(d)
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
			if object[key], err = exact(d); err != nil {
				return nil, err
			}
		}
		_, err = d.ReadToken()
		return object, err
	}
	return nil, nil
}
