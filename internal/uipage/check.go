package uipage

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// A Fault is an error in a config.
type Fault struct {
	Pointer string // JSON pointer (RFC 6901) into the config; "" is the whole config
	Reason  string
}

func (f Fault) String() string {
	if f.Pointer == "" {
		return f.Reason
	}
	return strings.ReplaceAll(strings.TrimPrefix(f.Pointer, "/"), "/", ".") + ": " + f.Reason
}

// Check returns all faults in the config of a template: a JSON object, or nil for an empty one. Unknown
// fields are not faults. The error is ErrTemplate.
func Check(name string, config []byte) ([]Fault, error) {
	if err := known(name); err != nil {
		return nil, err
	}
	text, err := assets.ReadFile("assets/" + name + ".schema.json")
	if err != nil {
		return nil, err
	}
	rules, err := schema.Compile(text)
	if err != nil {
		return nil, err
	}
	config = orEmpty(config)
	found, err := rules.Validate(context.Background(), config)
	if err != nil {
		return []Fault{{Reason: err.Error()}}, nil
	}
	var faults []Fault
	for _, f := range found {
		faults = append(faults, Fault{f.Pointer(), f.Message})
	}
	if len(faults) == 0 {
		faults = duplicates(name, config)
	}
	return faults, nil
}

// Fields returns the fields that the config of a template may have; nil for an unknown template.
func Fields(name string) []string {
	if known(name) != nil {
		return nil
	}
	text, _ := assets.ReadFile("assets/" + name + ".schema.json") // it is embedded
	var rules struct {
		Properties map[string]json.Value `json:"properties"`
	}
	_ = json.Unmarshal(text, &rules)
	return slices.Sorted(maps.Keys(rules.Properties))
}

// duplicates finds fields and columns with the name of an earlier one, which a schema cannot express.
func duplicates(template string, config []byte) (faults []Fault) {
	list := map[string]string{"form": "fields", "data-table": "columns", "kanban": "columns"}[template]
	var members map[string]json.Value
	var items []json.Value
	err := json.Unmarshal(config, &members)
	if err == nil && members[list] != nil {
		err = json.Unmarshal(members[list], &items)
	}
	if err != nil {
		return []Fault{{Reason: err.Error()}}
	}
	seen := map[string]bool{}
	for i, item := range items {
		name := nameOf(item)
		if seen[name] {
			faults = append(faults, Fault{"/" + list + "/" + strconv.Itoa(i), fmt.Sprintf("duplicate name %q", name)})
		}
		seen[name] = true
	}
	return faults
}

// nameOf returns the name of a field or column: the string itself, or the value of its member for the
// name.
func nameOf(item json.Value) string {
	var name string
	var object struct {
		Name string `json:"name"`
		Key  string `json:"key"`
		ID   string `json:"id"`
	}
	if json.Unmarshal(item, &name) != nil {
		_ = json.Unmarshal(item, &object) // it is an object of the schema
	}
	return name + object.Name + object.Key + object.ID
}
