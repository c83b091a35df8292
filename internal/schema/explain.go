package schema

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// explain says what is wrong with the schema, in our words and with the place.
func (d *draft) explain(err error) error {
	var (
		broken   *jsonschema.SchemaValidationError
		outside  *jsonschema.LoadURLError
		pointer  *jsonschema.JSONPointerNotFoundError
		malform  *jsonschema.InvalidJsonPointerError
		noAnchor *jsonschema.AnchorNotFoundError
	)
	switch {
	case errors.As(err, &broken):
		return d.invalid(broken)
	case errors.As(err, &outside):
		return d.outside(outside.URL)
	case errors.As(err, &pointer):
		return d.dangling(pointer.URL)
	case errors.As(err, &malform):
		return d.dangling(malform.URL)
	case errors.As(err, &noAnchor):
		return d.dangling(noAnchor.Reference)
	}
	return plainWords(err)
}

// invalid says how the schema breaks the metaschema of its dialect.
func (d *draft) invalid(err *jsonschema.SchemaValidationError) error {
	failure, ok := err.Err.(*jsonschema.ValidationError)
	if !ok {
		return plainWords(err)
	}
	_, fragment, _ := strings.Cut(err.URL, "#") // the part that was checked
	at := unescapeFragment(fragment)
	faults := inWords(santhosh{}.findings(failure), lookup(d.doc, tokens(at)))
	if len(faults) == 0 {
		return plainWords(err)
	}
	faults[0].Pointer = at + faults[0].Pointer
	more := ""
	if n := len(faults) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return &placed{faults[0].Pointer, invalid{faults[0].String() + more}}
}

// invalid says how a schema breaks its metaschema, and where.
type invalid struct{ text string }

func (e invalid) Error() string { return "not a valid schema: " + e.text }

// A reference is a $ref, $dynamicRef or $recursiveRef of a schema.
type reference struct {
	at   string // pointer to it
	text string
}

// outside explains a reference that leads to another document. The library
// tells its address, which ends like the reference that it was made from.
func (d *draft) outside(address string) error {
	for _, r := range d.references {
		document, _, _ := strings.Cut(r.text, "#")
		if document != "" && strings.HasSuffix(address, strings.TrimLeft(document, "./")) {
			return &placed{r.at, leadsOut(r.text)}
		}
	}
	return leadsOut(address)
}

func leadsOut(reference string) error {
	return fmt.Errorf("%s leads out of the schema, and nothing is ever fetched: copy it to $defs and refer to it as #/$defs/NAME", show(reference))
}

// dangling explains a reference to a place that the schema does not have. That
// place, as the library tells it, ends like the reference.
func (d *draft) dangling(target string) error {
	_, place, _ := strings.Cut(target, "#")
	place = unescapeFragment(place)
	for _, r := range d.references {
		_, fragment, _ := strings.Cut(r.text, "#")
		if fragment != "" && strings.HasSuffix(place, unescapeFragment(fragment)) {
			return &placed{r.at, leadsNowhere(r.text)}
		}
	}
	return leadsNowhere("#" + place)
}

func leadsNowhere(reference string) error {
	return fmt.Errorf("%s leads to nothing", show(reference))
}

// plainWords takes the library's name for the schema out of an error.
func plainWords(err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), rootURL, ""))
}

func escapeFragment(pointer string) string { return url.PathEscape(pointer) }

func unescapeFragment(fragment string) string {
	plain, err := url.PathUnescape(fragment)
	if err != nil {
		return fragment
	}
	return plain
}
