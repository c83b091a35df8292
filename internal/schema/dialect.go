package schema

import (
	"fmt"
	"strings"
)

// A dialect is a version of JSON Schema, as $schema names it. Dialects are ordered by year, with 4 to 7
// for draft-04 to draft-07.
type dialect struct {
	uri  string
	year int
	id   string // the keyword for a schema's own address
}

// dialects are the supported values of $schema. The first one is the default.
var dialects = [...]dialect{
	{"https://json-schema.org/draft/2020-12/schema", 2020, "$id"},
	{"https://json-schema.org/draft/2019-09/schema", 2019, "$id"},
	{"http://json-schema.org/draft-07/schema", 7, "$id"},
	{"http://json-schema.org/draft-06/schema", 6, "$id"},
	{"http://json-schema.org/draft-04/schema", 4, "id"},
}

// dialectOf returns the dialect of a value of $schema, in either of the schemes http
// and https, with or without the empty fragment; nil if it is not supported.
func dialectOf(uri string) *dialect {
	for i := range dialects {
		if bareURI(uri) == bareURI(dialects[i].uri) {
			return &dialects[i]
		}
	}
	return nil
}

// checkDialect accepts a value of $schema if it names a dialect.
func checkDialect(uri string) error {
	if dialectOf(uri) != nil {
		return nil
	}
	var others []string
	for _, d := range dialects[1:] {
		others = append(others, d.uri)
	}
	return fmt.Errorf("dialect %s is not supported: use %s, which is the default, or one of %s",
		show(uri), dialects[0].uri, strings.Join(others, ", "))
}

func bareURI(uri string) string {
	uri = strings.TrimSuffix(uri, "#")
	if rest, ok := strings.CutPrefix(uri, "http://"); ok {
		return rest
	}
	return strings.TrimPrefix(uri, "https://")
}

// ownAddress returns the address that a schema declares for itself, without fragment, "" for
// none, and the anchor that up to draft-07 it may declare instead.
func (d *dialect) ownAddress(schema map[string]any) (address, anchor string) {
	if _, replaced := schema["$ref"]; replaced && d.year < 2019 {
		return "", ""
	}
	id, _ := schema[d.id].(string)
	address, anchor, _ = strings.Cut(id, "#")
	if d.year >= 2019 {
		anchor = ""
	}
	return address, anchor
}

// embedded returns the dialect of a schema within another one: only schemas with their own
// address may change it.
func (d *dialect) embedded(schema map[string]any) *dialect {
	uri, _ := schema["$schema"].(string)
	if own := dialectOf(uri); own != nil {
		if address, _ := own.ownAddress(schema); address != "" {
			return own
		}
	}
	return d
}
