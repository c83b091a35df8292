package schema

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// parsed is a JSON document whose numbers keep their spelling.
type parsed struct {
	value        any
	values       int  // number of values in it, at all levels
	fitsFloats   bool // a float64 represents each of its numbers exactly
	likeBooleans bool // qri takes some of its strings for booleans, see likeBoolean
	maxDepth     int
}

// parse reads exactly one JSON document that stays within the bounds.
func parse(text []byte, maxDepth int) (parsed, error) {
	p := parsed{fitsFloats: true, maxDepth: maxDepth}
	var err error
	if p.value, err = read(text); err != nil {
		return parsed{}, syntaxError(text)
	}
	if err := p.check(p.value, 0); err != nil {
		return parsed{}, err
	}
	return p, nil
}

// read reads a document in one pass.
func read(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewBuffer(text), json.Lenient)
	value, err := readValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errMore
	}
	return value, nil
}

var errMore = errors.New("not JSON: more text follows the first value")

func readValue(d *json.Decoder) (any, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	case '0':
		return json.Number(token.String()), nil
	case '[':
		items := []any{}
		for d.PeekKind() != ']' {
			item, err := readValue(d)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err := d.ReadToken()
		return items, err
	case '{':
		members := make(map[string]any)
		for d.PeekKind() != '}' {
			token, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			name := token.String()
			if members[name], err = readValue(d); err != nil {
				return nil, err
			}
		}
		_, err := d.ReadToken()
		return members, err
	}
	return nil, nil
}

// syntaxError returns why a text is not one JSON document, in the words of encoding/json,
// which name the unexpected character.
func syntaxError(text []byte) error {
	decoder := stdjson.NewDecoder(bytes.NewReader(text))
	var value any
	if err := decoder.Decode(&value); err != nil {
		return notJSON(err)
	}
	return errMore
}

func notJSON(err error) error {
	var syntax *stdjson.SyntaxError
	switch {
	case err == io.EOF:
		return errors.New("not JSON: empty")
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON: %w at byte %d", err, syntax.Offset)
	}
	return fmt.Errorf("not JSON: %w", err)
}

// check walks v, which is nested in depth arrays and objects.
func (p *parsed) check(v any, depth int) error {
	p.values++
	switch v := v.(type) {
	case json.Number:
		fits, err := checkNumber(v)
		p.fitsFloats = p.fitsFloats && fits
		return err
	case string:
		p.likeBooleans = p.likeBooleans || likeBoolean(v)
	case []any:
		if depth == p.maxDepth {
			return fmt.Errorf("nested deeper than %d levels", p.maxDepth)
		}
		for i, item := range v {
			if err := p.check(item, depth+1); err != nil {
				return within(strconv.Itoa(i), err)
			}
		}
	case map[string]any:
		if depth == p.maxDepth {
			return fmt.Errorf("nested deeper than %d levels", p.maxDepth)
		}
		for name, member := range v {
			if err := p.check(member, depth+1); err != nil {
				return within(name, err)
			}
		}
	}
	return nil
}
