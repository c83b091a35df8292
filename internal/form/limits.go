package form

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strconv"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// Limits are the constraints on the values of a field besides their type.
type Limits struct {
	// Least and Most bound a number, the length of a text in characters, or the number of items;
	// nil for no bound.
	Least, Most *float64
	Format      string // of text: email, uri, date or date-time; others are not checked

	low, high string // the keywords of Least and Most
	unit      string // what is counted, for people
}

// limits parses the limits of a field of a type.
func limits(kind string, o members) Limits {
	bounds := func(low, high, unit string) Limits {
		return Limits{Least: number(o[low]), Most: number(o[high]), low: low, high: high, unit: unit}
	}
	switch kind {
	case "number", "integer":
		return bounds("minimum", "maximum", "")
	case "array":
		return bounds("minItems", "maxItems", " of them")
	case "string":
		l := bounds("minLength", "maxLength", " characters")
		l.Format = o.text("format")
		return l
	}
	return Limits{}
}

// number returns the value of a number; nil for anything else.
func number(v json.Value) *float64 {
	n, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return nil
	}
	return &n
}

// Range describes Least and Most to people, as in: 18 to 99. It is empty for none.
func (l Limits) Range() string {
	switch {
	case l.Least != nil && l.Most != nil && *l.Least == *l.Most:
		return fmt.Sprintf("%v%s", *l.Least, l.unit)
	case l.Least != nil && l.Most != nil:
		return fmt.Sprintf("%v to %v%s", *l.Least, *l.Most, l.unit)
	case l.Least != nil:
		return fmt.Sprintf("at least %v%s", *l.Least, l.unit)
	case l.Most != nil:
		return fmt.Sprintf("at most %v%s", *l.Most, l.unit)
	}
	return ""
}

// within returns the schema of these keywords and their values, and of the bounds.
func (l Limits) within(pairs ...any) json.Value {
	if l.Least != nil {
		pairs = append(pairs, l.low, *l.Least)
	}
	if l.Most != nil {
		pairs = append(pairs, l.high, *l.Most)
	}
	return json.Object(pairs...)
}

// format checks a text against its format, which schemas only describe.
func (l Limits) format(v json.Value) error {
	var err error
	example, s := "", json.Text(v)
	switch l.Format {
	case "email":
		_, err = mail.ParseAddress("<" + s + ">")
		example = "an address, as in ada@example.com"
	case "uri":
		var u *url.URL
		if u, err = url.Parse(s); err == nil && !u.IsAbs() {
			err = errors.New("not absolute")
		}
		example = "an absolute URI, as in https://example.com"
	case "date":
		_, err = time.Parse(time.DateOnly, s)
		example = "a date, as in 2026-01-31"
	case "date-time":
		_, err = time.Parse(time.RFC3339, s)
		example = "a date and time, as in 2026-01-31T12:00:00Z"
	}
	if err != nil {
		return fmt.Errorf("%s is not a valid %s; write %s", v, l.Format, example)
	}
	return nil
}
