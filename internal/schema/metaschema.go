package schema

import (
	"context"
	"embed"
	"fmt"
	"net/url"
	"strings"
	"sync"
)

//go:embed metaschemas
var metaFiles embed.FS

// metaschemas are the schemas that schemas of a dialect are validated against, and their
// parts, as json-schema.org publishes them. They are read when their dialect is first
// needed, and do not change afterwards.
var metaschemas = struct {
	sync.Mutex
	resources map[string]*resource
}{resources: map[string]*resource{}}

// metaResource returns the metaschema at an address, or one of its parts.
func metaResource(address string) (*resource, bool) {
	metaschemas.Lock()
	defer metaschemas.Unlock()
	address = metaAddress(address)
	if known := metaschemas.resources[address]; known != nil {
		return known, true
	}
	value, err := metaFile(address)
	if err != nil {
		return nil, false
	}
	r := &reading{resources: metaschemas.resources, patterns: map[string]*pattern{}, load: metaFile, builtIn: true}
	if _, err = r.document(address, value, &dialects[0]); err == nil {
		err = r.follow()
	}
	if err != nil {
		panic(fmt.Sprintf("the metaschema %s: %v", address, err)) // it is embedded
	}
	return metaschemas.resources[address], true
}

// metaAddress returns the canonical spelling of a metaschema's address, with the scheme that
// metaschemas use in references.
func metaAddress(address string) string {
	bare := bareURI(address)
	if strings.HasPrefix(bare, "json-schema.org/draft/") {
		return "https://" + bare
	}
	return "http://" + bare
}

func metaFile(address string) (any, error) {
	path, ok := strings.CutPrefix(bareURI(address), "json-schema.org/")
	if !ok {
		return nil, fmt.Errorf("%s is not a metaschema", address)
	}
	text, err := metaFiles.ReadFile("metaschemas/" + path)
	if err != nil {
		return nil, err
	}
	value, _, err := parse(text, maxSchemaDepth)
	return value, err
}

// checkSchema validates the schema at a pointer of its document against the metaschema of its
// dialect.
func checkSchema(schema any, at string, d *dialect) error {
	meta, _ := metaResource(d.uri)
	found, err := evaluate(context.Background(), evaluation{meta: meta.root, limit: maxSteps}, meta.root, schema)
	if err != nil {
		return err
	}
	faults := describe(found, schema)
	if len(faults) == 0 {
		return nil
	}
	more := ""
	if n := len(faults) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return &Error{at + faults[0].Pointer(), invalid(faults[0].Message + more)}
}

// invalid is the error for a schema that violates its metaschema.
type invalid string

func (e invalid) Error() string { return string(e) }

// metaOf returns the metaschema to validate a schema against: meta, or another one if the
// schema has its own address and dialect.
func metaOf(meta *rule, schema any) *rule {
	object, ok := schema.(map[string]any)
	if !ok {
		return meta
	}
	if d := meta.home.dialect.embedded(object); d != meta.home.dialect {
		other, _ := metaResource(d.uri)
		return other.root
	}
	return meta
}

// hasFormat reports whether a text has a format that metaschemas require. Patterns are checked
// elsewhere.
func hasFormat(format, text string) bool {
	switch format {
	case "uri":
		u, err := url.Parse(text)
		return err == nil && u.IsAbs()
	case "uri-reference":
		_, err := url.Parse(text)
		return err == nil && !strings.Contains(text, `\`)
	}
	return true
}
