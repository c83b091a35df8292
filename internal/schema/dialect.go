package schema

import (
	"fmt"
	"strings"
)

// dialects are the values of $schema that are supported. The first one is the default.
var dialects = [...]string{
	"https://json-schema.org/draft/2020-12/schema",
	"https://json-schema.org/draft/2019-09/schema",
	"http://json-schema.org/draft-07/schema",
	"http://json-schema.org/draft-06/schema",
	"http://json-schema.org/draft-04/schema",
}

// checkDialect accepts a value of $schema if it names a dialect, in either of
// the schemes http and https, with or without the empty fragment.
func checkDialect(uri string) error {
	for _, known := range dialects {
		if bareURI(uri) == bareURI(known) {
			return nil
		}
	}
	return fmt.Errorf("dialect %s is not supported: use %s, which is the default, or one of %s",
		show(uri), dialects[0], strings.Join(dialects[1:], ", "))
}

func bareURI(uri string) string {
	uri = strings.TrimSuffix(uri, "#")
	if rest, ok := strings.CutPrefix(uri, "http://"); ok {
		return rest
	}
	return strings.TrimPrefix(uri, "https://")
}
