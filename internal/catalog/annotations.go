package catalog

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// toolAnnotations reads the hints of a tool; a hint of a wrong type would make clients refuse the
// list.
func (o object) toolAnnotations(t *Tool) json.Value {
	hints := o.object("annotations")
	hints.text("title")
	readOnly, openWorld := hints.flag("readOnlyHint"), hints.flag("openWorldHint")
	hints.flag("destructiveHint")
	hints.flag("idempotentHint")
	hints.warnMisspelled("title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
	strictest := o.hintsLost() // the operator may run the tool in the sandbox for them
	t.ReadOnly, t.ClosedWorld = strictest || readOnly != nil && *readOnly, strictest || openWorld != nil && !*openWorld
	return o.json("annotations", '{')
}

// annotations reads the annotations of a resource.
func (o object) annotations() json.Value {
	notes := o.object("annotations")
	if audience, ok := notes.typed("audience", '['); ok {
		for _, role := range notes.elements(audience) {
			if notes.is(role, '"') {
				notes.oneOf(role, "user", "assistant")
			}
		}
	}
	notes.number("priority", 0, 1)
	if modified, ok := notes.typed("lastModified", '"'); ok && !isoTime.Get().MatchString(json.Text(modified.value)) {
		notes.refuse(modified, "is not a time", `write it as in "2025-01-31T15:04:05Z"`)
	}
	notes.warnMisspelled("audience", "priority", "lastModified")
	return o.json("annotations", '{')
}

// isoTime matches a date of ISO 8601, with or without a time of day.
var isoTime = lazyregexp.New(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])` +
	`([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$`)
