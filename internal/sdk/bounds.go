package sdk

import (
	"fmt"
	"net/mail"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// bounds holds a value of the field's type against the keywords that bound it (EL-04).
func (f field) bounds(v jsontext.Value) error {
	var size float64
	var low, high string
	switch v.Kind() {
	case '"':
		s, _ := unquote(v)
		if err := f.format(s); err != nil {
			return err
		}
		size, low, high = float64(utf8.RuneCountInString(s)), "minLength", "maxLength"
	case '0':
		size, _ = strconv.ParseFloat(string(v), 64)
		low, high = "minimum", "maximum"
	case '[':
		items, _ := parseArray(v)
		size, low, high = float64(len(items)), "minItems", "maxItems"
	default:
		return nil
	}
	if limit, err := strconv.ParseFloat(string(f.schema.get(low)), 64); err == nil && size < limit {
		return fmt.Errorf("%s is below its %s, %s", v, low, f.schema.get(low))
	}
	if limit, err := strconv.ParseFloat(string(f.schema.get(high)), 64); err == nil && size > limit {
		return fmt.Errorf("%s is above its %s, %s", v, high, f.schema.get(high))
	}
	return nil
}

// format holds a text against the field's format. Formats that forms do not know bound
// nothing.
func (f field) format(s string) error {
	var err error
	format, _ := f.schema.text("format")
	switch format {
	case "email":
		_, err = mail.ParseAddress("<" + s + ">")
	case "uri":
		var u *url.URL
		if u, err = url.Parse(s); err == nil && u.Scheme == "" {
			err = fmt.Errorf("it has no scheme")
		}
	case "date":
		_, err = time.Parse(time.DateOnly, s)
	case "date-time":
		_, err = time.Parse(time.RFC3339, s)
	}
	if err != nil {
		return fmt.Errorf("%q is no %s", s, format)
	}
	return nil
}
