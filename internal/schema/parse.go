package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// parsed is a JSON document whose numbers are kept as they were written.
type parsed struct {
	value      any
	values     int  // how many there are in it, at all levels
	fitsFloats bool // all its numbers survive as float64
	maxDepth   int
}

// parse reads exactly one JSON document that stays within the bounds.
func parse(text []byte, maxDepth int) (parsed, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	p := parsed{fitsFloats: true, maxDepth: maxDepth}
	if err := decoder.Decode(&p.value); err != nil {
		return parsed{}, notJSON(err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return parsed{}, errors.New("not JSON: more text follows the first value")
	}
	if err := p.check(p.value, 0); err != nil {
		return parsed{}, err
	}
	return p, nil
}

func notJSON(err error) error {
	var syntax *json.SyntaxError
	switch {
	case err == io.EOF:
		return errors.New("not JSON: empty")
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON: %w at byte %d", err, syntax.Offset)
	}
	return fmt.Errorf("not JSON: %w", err)
}

// check walks v, which lies in so many arrays and objects.
func (p *parsed) check(v any, depth int) error {
	p.values++
	switch v := v.(type) {
	case json.Number:
		fits, err := checkNumber(v)
		p.fitsFloats = p.fitsFloats && fits
		return err
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

// floats replaces the numbers in v, in place, by their float64.
func floats(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return f
	case []any:
		for i, item := range v {
			v[i] = floats(item)
		}
	case map[string]any:
		for name, member := range v {
			v[name] = floats(member)
		}
	}
	return v
}
