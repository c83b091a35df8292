package form

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// Check checks the values of a filled-in form (EL-07). An error names the field.
func (f Form) Check(content json.Value) error {
	values, ok := object(content)
	if !ok {
		return errors.New("the content is not an object")
	}
	for _, field := range f.Fields {
		if field.Required && values[field.Name] == nil {
			return fmt.Errorf("%s is missing", field.Name)
		}
	}
	for _, field := range f.Fields {
		if v := values[field.Name]; v != nil {
			if err := field.Check(v); err != nil {
				return fmt.Errorf("%s: %w", field.Name, err)
			}
		}
	}
	return nil
}

// Check checks a value. The error is what is expected instead.
func (f Field) Check(v json.Value) error {
	rules, err := schema.Compile(f.schema())
	if err != nil {
		return err
	}
	faults, err := rules.Validate(context.Background(), v) // which ends by itself
	if err != nil {
		return err
	}
	for _, fault := range faults {
		return errors.New(fault.String())
	}
	return f.format(v)
}

// schema returns the schema of the values: what of that in the form is known here.
func (f Field) schema() json.Value {
	one := json.Object("type", "string", "enum", f.values())
	switch {
	case f.Type == "array":
		return f.within("type", f.Type, "items", one)
	case f.Choices != nil:
		return one
	}
	return f.within("type", f.Type)
}

func (f Field) values() (all []string) {
	for _, c := range f.Choices {
		all = append(all, c.Value)
	}
	return all
}
