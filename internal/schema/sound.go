package schema

import (
	"encoding/json"
	"strings"
)

// maxSoundBytes is the maximum size of schemas for the quick check. Schemas of that size
// cannot exceed the other bounds.
const maxSoundBytes = 32 << 10

// sound reports whether a schema of the default dialect is valid without a check against its metaschema: it has
// only common keywords, with values that are always valid.
func sound(schema any) bool {
	object, ok := schema.(map[string]any)
	if !ok {
		_, ok = schema.(bool)
		return ok
	}
	for keyword, value := range object {
		if !soundKeyword(keyword, value) {
			return false
		}
	}
	return true
}

func soundKeyword(keyword string, value any) (ok bool) {
	switch keyword {
	case "title", "description", "$comment", "format":
		_, ok = value.(string)
	case "type":
		name, _ := value.(string)
		ok = kindNames[name] != 0
	case "properties":
		var properties map[string]any
		properties, ok = value.(map[string]any)
		for _, property := range properties {
			ok = ok && sound(property)
		}
	case "items", "additionalProperties":
		ok = sound(value)
	case "required":
		ok = distinctTexts(value)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		n, isNumber := value.(json.Number)
		ok = isNumber && !strings.ContainsAny(string(n), "-.eE")
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		_, ok = value.(json.Number)
	case "enum":
		_, ok = value.([]any)
	case "default", "const":
		ok = true
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		_, ok = value.(bool)
	}
	return ok
}

func distinctTexts(value any) bool {
	list, ok := value.([]any)
	known := make(map[string]bool, len(list))
	for _, item := range list {
		text, isText := item.(string)
		if !isText || known[text] {
			return false
		}
		known[text] = true
	}
	return ok
}
