package bundle

import (
	"errors"
	"fmt"
	"math"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A Setting is a setting that a client asks its user for.
type Setting struct {
	Key         string     `json:"-"`
	Type        string     `json:"type"` // string, number, boolean, directory or file
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Required    bool       `json:"required"`
	Default     json.Value `json:"default"`
	Multiple    *bool      `json:"multiple"`  // of directories and files
	Sensitive   *bool      `json:"sensitive"` // of strings
	Min         *float64   `json:"min"`       // of numbers
	Max         *float64   `json:"max"`
}

// ParseSettings parses a user_config: an object of settings, in the author's order. The error lists
// every key and field that clients would refuse.
func ParseSettings(v json.Value) ([]Setting, error) {
	if len(v) == 0 {
		return nil, nil
	}
	var all []Setting
	var errs []error
	for m, err := range json.Members(v, '{') {
		if errors.Is(err, json.ErrKind) {
			err = errors.New(`must be an object, as in {"api_key":{"type":"string","title":"API key","description":"..."}}`)
		}
		if err != nil {
			return nil, err
		}
		s := Setting{Key: m.Name}
		if err := decode(m.Value, &s, true); err != nil {
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
	if !variableName.Get().MatchString(s.Key) {
		return fmt.Errorf("key %q cannot contain , = or other marks: use letters, digits and _", s.Key)
	}
	path := s.Type == "directory" || s.Type == "file"
	if s.Type == "" || s.Title == "" {
		refuse(`must have "type" and "title", which clients show`)
		return errs[0]
	}
	switch s.Type {
	case "string", "number", "boolean", "directory", "file":
	default:
		refuse("invalid type %q: write string, number, boolean, directory or file", s.Type)
		return errs[0]
	}
	if s.Multiple != nil && !path {
		refuse("multiple is only valid for directory/file, not for %s", s.Type)
	}
	if s.Sensitive != nil && s.Type != "string" {
		refuse("sensitive is only valid for string, not for %s", s.Type)
	}
	if (s.Min != nil || s.Max != nil) && s.Type != "number" {
		refuse("min and max are only valid for number, not for %s", s.Type)
	}
	low, high := math.Inf(-1), math.Inf(1)
	if s.Min != nil {
		low = *s.Min
	}
	if s.Max != nil {
		high = *s.Max
	}
	if low > high {
		refuse("min must be <= max")
	}
	if why := s.wrongDefault(low, high); why != "" {
		refuse("default %s: %s", why, s.Default)
	}
	return errors.Join(errs...)
}

// wrongDefault returns what is wrong with the default; "" for nothing.
func (s Setting) wrongDefault(low, high float64) string {
	kind := s.Default.Kind()
	switch {
	case len(s.Default) == 0:
		return ""
	case s.Type == "boolean":
		if kind != 't' && kind != 'f' {
			return "must be boolean"
		}
	case s.Type == "number":
		var n float64
		if kind != '0' || json.Unmarshal(s.Default, &n) != nil {
			return "must be number"
		}
		if n < low {
			return "must be >= min"
		}
		if n > high {
			return "must be <= max"
		}
	case s.Multiple != nil && *s.Multiple && kind == '[':
		var paths []string
		if json.Unmarshal(s.Default, &paths) != nil {
			return "must be string, or an array of strings"
		}
	case kind != '"':
		return "must be string"
	}
	return ""
}

// describeSettings fills in what clients require and authors may leave out: the title becomes the
// description of a setting that has none. The order is kept.
func describeSettings(v json.Value, settings []Setting) json.Value {
	lacks := make(map[string]json.Value)
	for _, s := range settings {
		if s.Description == "" {
			lacks[s.Key] = json.Quote(s.Title)
		}
	}
	return json.Edit(v, func(m json.Member) json.Value {
		description, lacking := lacks[m.Name]
		if _, has := json.Find(m.Value, "description"); !has && lacking {
			m.Value, _ = json.Set(m.Value, "description", description)
		}
		return m.Value
	})
}
