package interview

import "strconv"

// limits are the members of a schema that bound an answer.
type limits struct {
	Minimum   *float64 `json:"minimum"`
	Maximum   *float64 `json:"maximum"`
	MinLength *float64 `json:"minLength"`
	MaxLength *float64 `json:"maxLength"`
	MinItems  *float64 `json:"minItems"`
	MaxItems  *float64 `json:"maxItems"`
}

// bounds are those of the measure that counts for a type: a value, characters or choices.
type bounds struct {
	min, max *float64 // nil: none
	text     string   // for people; empty without bounds
}

func (l limits) bounds(kind string) bounds {
	var b bounds
	unit := ""
	switch kind {
	case "number", "integer":
		b.min, b.max = l.Minimum, l.Maximum
	case "array":
		b.min, b.max, unit = l.MinItems, l.MaxItems, " of them"
	case "string":
		b.min, b.max, unit = l.MinLength, l.MaxLength, " characters"
	}
	switch {
	case b.min != nil && b.max != nil:
		b.text = number(*b.min) + " to " + number(*b.max) + unit
	case b.min != nil:
		b.text = "at least " + number(*b.min) + unit
	case b.max != nil:
		b.text = "at most " + number(*b.max) + unit
	}
	return b
}

// fault is what is wrong with a measure; empty for one within the bounds.
func (b bounds) fault(measure float64) string {
	if b.min != nil && measure < *b.min || b.max != nil && measure > *b.max {
		return "must be " + b.text
	}
	return ""
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
