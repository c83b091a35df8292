package ask

import (
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// ParseArguments parses words of a command line as arguments: key=value is a string,
// or of the type in types; key:=json is any JSON.
func ParseArguments(words []string, types map[string]any) (map[string]any, error) {
	arguments := map[string]any{}
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" || key == ":" {
			return nil, console.Usagef("cannot read the argument %q: write key=value, or key:=json", word)
		}
		name, isJSON := strings.CutSuffix(key, ":")
		if _, twice := arguments[name]; twice {
			return nil, console.Usagef("the argument %s is given twice", name)
		}
		switch {
		case isJSON && !json.Value(value).IsValid(json.Lenient):
			return nil, console.Usagef("%s:=%s: what follows := must be JSON; for a string write %s=%s", name, value,
				name, value)
		case isJSON, isOfType(value, types[name]):
			arguments[name] = json.RawMessage(value)
		default:
			arguments[name] = value
		}
	}
	return arguments, nil
}

// isOfType reports whether a text is JSON of the type in a schema, if that is not a
// string. A list of types never matches.
func isOfType(text string, schemaType any) bool {
	name, _ := schemaType.(string)
	kinds := map[string]string{
		"integer": "0", "number": "0", "boolean": "tf", "array": "[", "object": "{", "null": "n",
	}[name]
	value := json.Value(text)
	return value.IsValid(json.Lenient) && strings.IndexByte(kinds, byte(value.Kind())) >= 0
}

// ParseTexts parses words, key=value each, as arguments that are strings, such as those of prompts.
func ParseTexts(words []string) (map[string]any, error) {
	arguments := map[string]any{}
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, console.Usagef("cannot read the argument %q: write key=value", word)
		}
		if _, twice := arguments[key]; twice {
			return nil, console.Usagef("the argument %s is given twice", key)
		}
		arguments[key] = value
	}
	return arguments, nil
}
