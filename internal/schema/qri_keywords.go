package schema

import (
	"context"
	"slices"

	"github.com/qri-io/jsonschema"
)

// registerKeywords puts our keywords in front of the library's. What holds and
// what does not is mostly still decided by the library; we say it in findings,
// which travel as the invalid value of its errors. Four keywords are our own,
// see qri_own.go.
func registerKeywords() {
	jsonschema.LoadDraft2019_09()
	jsonschema.RegisterKeyword("format", jsonschema.NewVoid)

	for name, library := range map[string]jsonschema.KeyMaker{
		"$ref":       jsonschema.NewRef,
		"allOf":      jsonschema.NewAllOf,
		"items":      jsonschema.NewItems,
		"properties": jsonschema.NewProperties,
	} {
		jsonschema.RegisterKeyword(name, func() jsonschema.Keyword { return &relay{library()} })
	}
	for name, library := range map[string]jsonschema.KeyMaker{
		"const": jsonschema.NewConst, "enum": jsonschema.NewEnum, "not": jsonschema.NewNot,
		"minimum": jsonschema.NewMinimum, "exclusiveMinimum": jsonschema.NewExclusiveMinimum,
		"maximum": jsonschema.NewMaximum, "exclusiveMaximum": jsonschema.NewExclusiveMaximum,
		"minLength": jsonschema.NewMinLength, "maxLength": jsonschema.NewMaxLength, "pattern": jsonschema.NewPattern,
		"minItems": jsonschema.NewMinItems, "maxItems": jsonschema.NewMaxItems,
		"minProperties": jsonschema.NewMinProperties, "maxProperties": jsonschema.NewMaxProperties,
		"required": jsonschema.NewRequired,
	} {
		jsonschema.RegisterKeyword(name, func() jsonschema.Keyword { return &assertion{Keyword: library(), name: name} })
	}
	jsonschema.RegisterKeyword("type", func() jsonschema.Keyword { return &types{} })
	jsonschema.RegisterKeyword("additionalProperties", func() jsonschema.Keyword { return &additional{} })
	for _, name := range [...]string{"anyOf", "oneOf"} {
		jsonschema.RegisterKeyword(name, func() jsonschema.Keyword { return &choice{name: name} })
	}

	// These settle the matter when they fail, so they come first.
	jsonschema.SetKeywordOrder("type", -3)
	jsonschema.SetKeywordOrder("const", -2)
	jsonschema.SetKeywordOrder("enum", -1)
}

// settled marks a value as failed by its type, const or enum: further faults of
// it would only be noise.
const settled = "settled"

func settle(st *jsonschema.ValidationState) { st.Misc[settled] = true }

// enter begins a keyword, unless the matter is settled. The library appends to
// the place of a value and to its other pointers, which share memory, and so
// would overwrite one with another; a place without spare room is safe from it.
func enter(st *jsonschema.ValidationState) bool {
	if place := *st.InstanceLocation; len(place) < cap(place) {
		place = slices.Clip(place)
		st.InstanceLocation = &place
	}
	return st.Misc[settled] == nil
}

// report records a fault of the value at hand, or of the part of it at below.
func report(st *jsonschema.ValidationState, f finding, below ...string) {
	f.at = slices.Concat([]string(*st.InstanceLocation), below)
	st.AddError(f, "")
}

// A relay is a keyword of the library that leads to other schemas.
type relay struct{ jsonschema.Keyword }

// UnmarshalJSON implements json.Unmarshaler.
func (r *relay) UnmarshalJSON(text []byte) error { return unmarshal(text, r.Keyword) }

// ValidateKeyword implements jsonschema.Keyword.
func (r *relay) ValidateKeyword(ctx context.Context, st *jsonschema.ValidationState, v any) {
	if enter(st) {
		r.Keyword.ValidateKeyword(ctx, st, v)
	}
}

// An assertion is a keyword of the library that holds or does not.
type assertion struct {
	jsonschema.Keyword
	name string
	want any
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *assertion) UnmarshalJSON(text []byte) error {
	p, err := parse(text, maxSchemaDepth)
	if err != nil {
		return err
	}
	a.want = p.value
	return unmarshal(text, a.Keyword)
}

// ValidateKeyword implements jsonschema.Keyword.
func (a *assertion) ValidateKeyword(ctx context.Context, st *jsonschema.ValidationState, v any) {
	if !enter(st) {
		return
	}
	before := len(*st.Errs)
	a.Keyword.ValidateKeyword(ctx, st, v)
	if len(*st.Errs) == before {
		return
	}
	*st.Errs = (*st.Errs)[:before] // ours says it better
	switch a.name {
	case "required":
		a.reportMissing(st, v)
		return
	case "const", "enum":
		settle(st)
	}
	report(st, finding{keyword: a.name, want: a.want})
}

func (a *assertion) reportMissing(st *jsonschema.ValidationState, v any) {
	names, _ := a.want.([]any)
	object, _ := v.(map[string]any)
	for _, name := range names {
		name, _ := name.(string)
		if _, ok := object[name]; !ok {
			report(st, finding{keyword: a.name, want: name})
		}
	}
}
