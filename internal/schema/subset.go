package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// beyondSubset tells why qri must not have a valid schema: the first thing, in
// the order of walk, that qri is known to get wrong or that it was never held
// against. It is "" when there is none. The subset rests on measurements, so
// whatever is not named here is outside.
func beyondSubset(doc any, size extent) string {
	if _, ok := doc.(map[string]any); !ok {
		return "a boolean schema"
	}
	if !size.bounded() {
		return "the schema refers to itself, or expands to too many schemas"
	}
	if size > maxPlainSchemas {
		return fmt.Sprintf("the schema expands to more than %d schemas", maxPlainSchemas)
	}
	err := walk(doc, "", func(at string, schema map[string]any) error {
		for _, keyword := range slices.Sorted(maps.Keys(schema)) {
			if why := beyond(keyword, schema[keyword]); why != "" {
				return &placed{at, errors.New(why)}
			}
		}
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return ""
}

// beyond tells why a keyword with that value is outside the subset.
func beyond(keyword string, value any) string {
	switch keyword {
	case "title", "description", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly", "format":
		// annotations
	case "type", "required", "additionalProperties":
		// whatever the metaschema allows
	case "allOf", "anyOf", "oneOf":
		return falseAmong(keyword, value)
	case "properties", "$defs":
		if named, _ := value.(map[string]any); named["$ref"] != nil {
			return "a property with the name $ref"
		}
		return falseAmong(keyword, value)
	case "items", "not":
		if _, ok := value.(bool); ok {
			return keyword + " with a boolean schema"
		}
	case "$schema":
		if text, _ := value.(string); bareURI(text) != bareURI(dialects[0].uri) {
			return "dialect " + show(value)
		}
	case "enum":
		if values, _ := value.([]any); len(values) == 0 || len(values) > maxPlainEnum {
			return fmt.Sprintf("an enum of %d values", len(values))
		}
		return longNumber(keyword, value)
	case "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return longNumber(keyword, value)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		n, _ := value.(json.Number)
		if _, err := strconv.ParseUint(string(n), 10, 31); err != nil {
			return keyword + " that is not a plain integer"
		}
	case "pattern":
		if text, _ := value.(string); !isRE2(text) {
			return "a pattern that is not of RE2"
		}
	case "$ref":
		if text, _ := value.(string); !plainReference(text) {
			return "$ref " + show(value)
		}
	default:
		return "the keyword " + keyword
	}
	return ""
}

// falseAmong refuses false as a schema among others: qri reports it at a place
// that is ambiguous.
func falseAmong(keyword string, value any) string {
	found := false
	switch held := value.(type) {
	case []any:
		found = slices.Contains(held, any(false))
	case map[string]any:
		for _, schema := range held {
			found = found || schema == false
		}
	}
	if found {
		return keyword + " with the schema false"
	}
	return ""
}

// longNumber refuses numbers that qri, which computes with float64, would round.
func longNumber(keyword string, value any) string {
	p := parsed{fitsFloats: true, maxDepth: maxSchemaDepth}
	if err := p.check(value, 0); err != nil || !p.fitsFloats {
		return fmt.Sprintf("%s with a number of more than %d digits or with an exponent", keyword, floatDigits)
	}
	return ""
}

// isRE2 reports whether qri, which hands patterns to package regexp as they
// are, reads this one as we do.
func isRE2(source string) bool {
	_, err := regexp.Compile(source)
	return err == nil
}

// plainReference accepts #/$defs/NAME where NAME needs no kind of escape.
func plainReference(text string) bool {
	name, ok := strings.CutPrefix(text, "#/$defs/")
	special := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-._", r))
	}
	return ok && name != "" && !strings.ContainsFunc(name, special)
}
