package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Setting is one that a client asks its user for.
type Setting struct {
	Key         string         `json:"-"`
	Type        string         `json:"type"` // string, number, boolean, directory or file
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Required    bool           `json:"required"`
	Default     jsontext.Value `json:"default"`
	Multiple    *bool          `json:"multiple"`  // of directories and files
	Sensitive   *bool          `json:"sensitive"` // of strings
	Min         *float64       `json:"min"`       // of numbers
	Max         *float64       `json:"max"`
}

// ParseSettings reads a user_config: an object of settings, in the order of their author. The
// error names every key and field that clients would refuse.
func ParseSettings(v jsontext.Value) ([]Setting, error) {
	if len(v) == 0 {
		return nil, nil
	}
	if err := checkJSON(v); err != nil {
		return nil, err
	}
	dec := jsontext.NewDecoder(bytes.NewReader(v))
	if dec.PeekKind() != '{' {
		return nil, errors.New(`must be an object, as in {"api_key":{"type":"string","title":"API key","description":"..."}}`)
	}
	_, _ = dec.ReadToken() // the brace
	var all []Setting
	var errs []error
	for dec.PeekKind() == '"' {
		key, _ := dec.ReadToken() // of valid JSON, as all here
		s := Setting{Key: key.String()}
		value, _ := dec.ReadValue()
		if err := decode(value, &s, true); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.Key, err))
			continue
		}
		if err := s.check(); err != nil {
			errs = append(errs, err)
		}
		all = append(all, s)
	}
	return all, errors.Join(errs...)
}

func (s Setting) check() error {
	var errs []error
	refuse := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %w", s.Key, fmt.Errorf(format, args...)))
	}
	if !variableName.MatchString(s.Key) {
		return fmt.Errorf("%q is no key: use letters, digits and _", s.Key)
	}
	path := s.Type == "directory" || s.Type == "file"
	switch s.Type {
	case "string", "number", "boolean", "directory", "file":
	default:
		refuse("type %q must be string, number, boolean, directory or file", s.Type)
		return errs[0]
	}
	if s.Title == "" || s.Description == "" {
		refuse("needs a title and a description, which clients show")
	}
	if s.Multiple != nil && !path {
		refuse("multiple is for directory and file, not for %s", s.Type)
	}
	if s.Sensitive != nil && s.Type != "string" {
		refuse("sensitive is for string, not for %s", s.Type)
	}
	if (s.Min != nil || s.Max != nil) && s.Type != "number" {
		refuse("min and max are for number, not for %s", s.Type)
	}
	low, high := math.Inf(-1), math.Inf(1)
	if s.Min != nil {
		low = *s.Min
	}
	if s.Max != nil {
		high = *s.Max
	}
	if low > high {
		refuse("min is more than max")
	}
	if why := s.wrongDefault(low, high); why != "" {
		refuse("default %s %s", s.Default, why)
	}
	return errors.Join(errs...)
}

// wrongDefault says what is wrong with the default; "" for nothing.
func (s Setting) wrongDefault(low, high float64) string {
	kind := s.Default.Kind()
	switch {
	case len(s.Default) == 0:
		return ""
	case s.Type == "boolean":
		if kind != 't' && kind != 'f' {
			return "must be true or false"
		}
	case s.Type == "number":
		var n float64
		if kind != '0' || jsonv2.Unmarshal(s.Default, &n) != nil {
			return "must be a number"
		}
		if n < low || n > high {
			return "must lie between min and max"
		}
	case s.Multiple != nil && *s.Multiple && kind == '[':
		var paths []string
		if jsonv2.Unmarshal(s.Default, &paths) != nil {
			return "must be a string, or an array of strings"
		}
	case kind != '"':
		return "must be a string"
	}
	return ""
}
