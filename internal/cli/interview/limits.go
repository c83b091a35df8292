package interview

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"time"
	"unicode/utf8"
)

// limits are what a schema demands of values besides their type.
type limits struct {
	Minimum   *float64 `json:"minimum"`
	Maximum   *float64 `json:"maximum"`
	MinLength *int     `json:"minLength"`
	MaxLength *int     `json:"maxLength"`
	MinItems  *int     `json:"minItems"`
	MaxItems  *int     `json:"maxItems"`
	Format    string   `json:"format"`
}

// notes describe the limits to the person who answers.
func (l limits) notes(kind string) (all []string) {
	note := func(text string) {
		if text != "" {
			all = append(all, text)
		}
	}
	switch kind {
	case "number", "integer":
		note(between(l.Minimum, l.Maximum, ""))
	case "string":
		note(l.Format)
		note(between(l.MinLength, l.MaxLength, " characters"))
	case "array":
		note(between(l.MinItems, l.MaxItems, " of them"))
	}
	return all
}

// between describes a range, of which either end can be open.
func between[T int | float64](least, most *T, unit string) string {
	switch {
	case least != nil && most != nil && *least == *most:
		return fmt.Sprintf("%v%s", *least, unit)
	case least != nil && most != nil:
		return fmt.Sprintf("%v to %v%s", *least, *most, unit)
	case least != nil:
		return fmt.Sprintf("at least %v%s", *least, unit)
	case most != nil:
		return fmt.Sprintf("at most %v%s", *most, unit)
	}
	return ""
}

func within[T int | float64](n T, least, most *T, unit string) (fault string) {
	if least != nil && n < *least || most != nil && n > *most {
		return "write " + between(least, most, unit)
	}
	return ""
}

func (l limits) number(n float64) (fault string) { return within(n, l.Minimum, l.Maximum, "") }

func (l limits) items(n int) (fault string) {
	if fault = within(n, l.MinItems, l.MaxItems, " of them"); fault != "" {
		return "choose" + fault[len("write"):]
	}
	return ""
}

func (l limits) text(text string) (fault string) {
	var err error
	example := ""
	switch l.Format {
	case "email":
		_, err = mail.ParseAddress(text)
		example = "an address, as in ada@example.com"
	case "uri":
		var u *url.URL
		if u, err = url.Parse(text); err == nil && !u.IsAbs() {
			err = errors.New("not absolute")
		}
		example = "an absolute URI, as in https://example.com"
	case "date":
		_, err = time.Parse(time.DateOnly, text)
		example = "a date, as in 2026-01-31"
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
		example = "a date and time, as in 2026-01-31T12:00:00Z"
	}
	if err != nil {
		return "write " + example
	}
	return within(utf8.RuneCountInString(text), l.MinLength, l.MaxLength, " characters")
}
