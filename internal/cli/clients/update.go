package clients

import (
	"reflect"
	"slices"
	"strings"
)

// Update returns the text with the existing entry of that name changed to start what e says. It sets
// the members that no user chooses, in place. Other variables, settings and comments of the entry stay.
func (c Client) Update(text, name string, e Entry) (string, error) {
	return c.change(text, name, c.shape.required(name, e))
}

// change sets members of the existing entry of that name, in place; nil removes one.
func (c Client) change(text, name string, members object) (string, error) {
	text, marked := strings.CutPrefix(text, bom)
	want, err := c.format.decode(text)
	if err != nil {
		return "", err
	}
	changed := text
	for _, m := range members {
		if changed, err = c.set(changed, []string{c.parent, name}, m); err != nil {
			return "", err
		}
		assign(dig(want, c.parent, name), m)
	}
	if got, err := c.format.decode(changed); err != nil || !reflect.DeepEqual(got, want) {
		return "", c.byHand(name)
	}
	if marked {
		changed = bom + changed
	}
	return changed, nil
}

// set sets a member of the mapping at a path, and only those members of an object that differ.
func (c Client) set(text string, at []string, m member) (string, error) {
	all, err := c.format.decode(text)
	if err != nil {
		return "", err
	}
	now := dig(all, at...)[m.name]
	o, ok := m.value.(object)
	if _, exists := now.(map[string]any); !ok || !exists {
		if reflect.DeepEqual(now, decodedValue(m.value)) {
			return text, nil
		}
		if m.value == nil {
			return c.format.remove(text, append(slices.Clone(at), m.name), false)
		}
		return c.format.set(text, append(slices.Clone(at), m.name), m.value)
	}
	for _, v := range o {
		if text, err = c.set(text, append(slices.Clone(at), m.name), v); err != nil {
			return "", err
		}
	}
	return text, nil
}

// dig returns the mapping at a path, nil for none.
func dig(all map[string]any, path ...string) map[string]any {
	for _, name := range path {
		all, _ = all[name].(map[string]any)
	}
	return all
}

// assign does to a decoded mapping what set does to a text.
func assign(all map[string]any, m member) {
	o, ok := m.value.(object)
	old, exists := all[m.name].(map[string]any)
	if m.value == nil {
		delete(all, m.name)
		return
	}
	if !ok || !exists {
		all[m.name] = decodedValue(m.value)
		return
	}
	for _, v := range o {
		assign(old, v)
	}
}

// decodedValue returns a value as formats decode it.
func decodedValue(value any) any {
	switch v := value.(type) {
	case object:
		all := make(map[string]any)
		for _, m := range v {
			all[m.name] = decodedValue(m.value)
		}
		return all
	case []string:
		all := []any{}
		for _, text := range v {
			all = append(all, text)
		}
		return all
	}
	return value
}
