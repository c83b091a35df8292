package schema

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// findings flattens the library's tree of errors. Below anyOf and oneOf it stays
// a tree, since there a document has a choice.
func (s santhosh) findings(e *jsonschema.ValidationError) []finding {
	one := func(keyword string, want any) []finding {
		return []finding{{at: e.InstanceLocation, keyword: keyword, want: want}}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		return s.all(e.Causes)
	case *kind.AnyOf:
		return s.alternatives(e, "anyOf")
	case *kind.OneOf:
		if k.Subschemas != nil {
			return one("oneOf", k.Subschemas)
		}
		return s.alternatives(e, "oneOf")
	case *kind.Not:
		return one("not", s.keyword(e, "not"))
	case *kind.FalseSchema:
		return one("false", nil)
	case *kind.RefCycle:
		return one("$ref", nil)

	case *kind.Type:
		return one("type", k.Want)
	case *kind.Enum:
		return one("enum", k.Want)
	case *kind.Const:
		return one("const", k.Want)

	case *kind.Minimum:
		return one("minimum", k.Want)
	case *kind.Maximum:
		return one("maximum", k.Want)
	case *kind.ExclusiveMinimum:
		return one("exclusiveMinimum", k.Want)
	case *kind.ExclusiveMaximum:
		return one("exclusiveMaximum", k.Want)
	case *kind.MultipleOf:
		return one("multipleOf", k.Want)

	case *kind.MinLength:
		return one("minLength", k.Want)
	case *kind.MaxLength:
		return one("maxLength", k.Want)
	case *kind.Pattern:
		return one("pattern", k.Want)
	case *kind.Format: // of metaschemas only
		return one("format", k.Want)

	case *kind.MinItems:
		return one("minItems", k.Want)
	case *kind.MaxItems:
		return one("maxItems", k.Want)
	case *kind.AdditionalItems:
		return one("additionalItems", k.Count)
	case *kind.UniqueItems:
		return one("uniqueItems", k.Duplicates)
	case *kind.Contains:
		return one("contains", &containing{schema: s.keyword(e, "contains")})
	case *kind.MinContains:
		return one("minContains", &containing{s.keyword(e, "contains"), k.Want, len(k.Got)})
	case *kind.MaxContains:
		return one("maxContains", &containing{s.keyword(e, "contains"), k.Want, len(k.Got)})

	case *kind.MinProperties:
		return one("minProperties", k.Want)
	case *kind.MaxProperties:
		return one("maxProperties", k.Want)
	case *kind.Required:
		return each(k.Missing, e.InstanceLocation, "required", func(name string) any { return name })
	case *kind.Dependency:
		return each(k.Missing, e.InstanceLocation, "dependencies", func(name string) any { return [2]string{name, k.Prop} })
	case *kind.DependentRequired:
		return each(k.Missing, e.InstanceLocation, "dependentRequired", func(name string) any { return [2]string{name, k.Prop} })
	case *kind.AdditionalProperties:
		return unexpected(k.Properties, e.InstanceLocation, s.allowed(e))
	case *kind.PropertyNames:
		return []finding{{at: e.InstanceLocation, keyword: "propertyNames", want: k.Property, branches: [][]finding{s.all(e.Causes)}}}
	}
	return one(strings.Join(e.ErrorKind.KeywordPath(), "/"), nil)
}

func (s santhosh) all(errors []*jsonschema.ValidationError) []finding {
	var found []finding
	for _, e := range errors {
		found = append(found, s.findings(e)...)
	}
	return found
}

func (s santhosh) alternatives(e *jsonschema.ValidationError, keyword string) []finding {
	f := finding{at: e.InstanceLocation, keyword: keyword, total: len(e.Causes)}
	for _, cause := range e.Causes[:min(len(e.Causes), shownBranches)] {
		f.branches = append(f.branches, s.findings(cause))
	}
	return []finding{f}
}

func each(names []string, at []string, keyword string, want func(name string) any) []finding {
	found := make([]finding, len(names))
	for i, name := range names {
		found[i] = finding{at: at, keyword: keyword, want: want(name)}
	}
	return found
}

// unexpected reports each additional property in its own place.
func unexpected(names, at, allowed []string) []finding {
	found := make([]finding, len(names))
	for i, name := range names {
		found[i] = finding{at: append(slices.Clip(at), name), keyword: "additionalProperties", want: allowed}
	}
	return found
}

// keyword quotes the value of a keyword beside the one that failed.
func (s santhosh) keyword(e *jsonschema.ValidationError, name string) any {
	fragment, ok := strings.CutPrefix(e.SchemaURL, rootURL+"#")
	if !ok {
		return nil
	}
	at, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	return lookup(s.doc, append(tokens(at), name))
}

// allowed lists the properties that a schema with additionalProperties has.
func (s santhosh) allowed(e *jsonschema.ValidationError) []string {
	properties, _ := s.keyword(e, "properties").(map[string]any)
	patterns, _ := s.keyword(e, "patternProperties").(map[string]any)
	return allowedProperties(slices.Sorted(maps.Keys(properties)), slices.Sorted(maps.Keys(patterns)))
}
