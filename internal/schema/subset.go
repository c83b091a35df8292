package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// beyondSubset returns why qri must not be used for a valid schema: the first keyword, in
// the order of walk, that qri is known to evaluate wrongly or that was never compared. It
// is "" if there is none. The subset is based on measurements, so all keywords that are
// not listed here are outside.
func beyondSubset(doc any, size extent) string {
	if !size.bounded() || size > maxPlainSchemas {
		return fmt.Sprintf("the schema refers to itself, or expands to more than %d schemas", maxPlainSchemas)
	}
	err := walk(doc, "", func(at string, schema map[string]any) error {
		for _, keyword := range slices.Sorted(maps.Keys(schema)) {
			if why := beyond(keyword, schema); why != "" {
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

// beyond returns why a keyword of a schema is outside the subset.
func beyond(keyword string, schema map[string]any) string {
	value := schema[keyword]
	switch keyword {
	case "title", "description", "$comment", "default", "examples", "deprecated", "readOnly", "writeOnly":
		// annotations
	case "type", "required", "allOf", "anyOf", "oneOf", "properties", "items":
		// any value that the metaschema allows
	case "not":
		if negated, _ := value.(map[string]any); negated["additionalProperties"] != nil {
			return "additionalProperties right below not"
		}
	case "additionalProperties":
		return beyondAdditional(schema)
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
			return "a pattern that is not RE2"
		}
	default:
		return "the keyword " + keyword
	}
	return ""
}

// beyondAdditional returns why qri cannot evaluate the additionalProperties of a schema. It
// treats a property as declared if another keyword, or a schema of a nested value, declares
// a property of the same name.
func beyondAdditional(schema map[string]any) string {
	for _, applicator := range [...]string{"allOf", "anyOf", "oneOf", "not"} {
		if schema[applicator] != nil {
			return "additionalProperties beside " + applicator
		}
	}
	deeper := false
	look := func(_ string, schema map[string]any) error {
		deeper = deeper || schema["properties"] != nil || schema["additionalProperties"] != nil
		return nil
	}
	held, _ := schema["properties"].(map[string]any)
	for _, held := range held {
		_ = walk(held, "", look)
	}
	_ = walk(schema["additionalProperties"], "", look)
	if deeper {
		return "additionalProperties above other properties"
	}
	return ""
}

// longNumber returns why qri cannot use a number: it computes with float64 and would round it.
func longNumber(keyword string, value any) string {
	p := parsed{fitsFloats: true, maxDepth: maxSchemaDepth}
	if err := p.check(value, 0); err != nil || !p.fitsFloats {
		return fmt.Sprintf("%s with a number of more than %d digits or with an exponent", keyword, floatDigits)
	}
	return ""
}

// isRE2 reports whether a pattern has the same meaning for qri, which passes patterns to
// package regexp unchanged.
func isRE2(source string) bool {
	_, err := regexp.Compile(source)
	return err == nil
}
