package project

import "strings"

// A kind is one sort of entry that a project offers.
type kind int

const (
	kindTool kind = iota
	kindResource
	kindTemplate
	kindPrompt
	kindCompleter
	kindCount
)

// key is the name of the list in registrations and cursors.
func (k kind) key() string {
	return [kindCount]string{"tools", "resources", "resourceTemplates", "prompts", "completions"}[k]
}

// kindOfKey returns the kind with a key.
func kindOfKey(key string) (k kind, ok bool) {
	for k := range kindCount {
		if k.key() == key {
			return k, true
		}
	}
	return 0, false
}

// word is the name of an entry in messages.
func (k kind) word() string {
	return [kindCount]string{"tool", "resource", "resource template", "prompt", "completion"}[k]
}

// field is the metadata field with the key of a lookup.
func (k kind) field(by lookup) string {
	switch {
	case by == byName:
		return "name"
	case k == kindTemplate:
		return "uriTemplate"
	}
	return "uri"
}

// set returns the set with the list of the kind; empty if clients do not see it.
func (k kind) set() Kinds {
	if k > kindPrompt {
		return 0
	}
	return 1 << k
}

// Kinds is a set of the lists that clients see.
type Kinds uint8

const (
	Tools     Kinds = 1 << kindTool
	Resources Kinds = 1 << kindResource
	Templates Kinds = 1 << kindTemplate
	Prompts   Kinds = 1 << kindPrompt
)

// Has reports whether one of the lists in some is in the set.
func (k Kinds) Has(some Kinds) bool { return k&some != 0 }

// String names the lists, as in "tools, prompts".
func (k Kinds) String() string {
	var keys []string
	for each := kindTool; each <= kindPrompt; each++ {
		if k.Has(each.set()) {
			keys = append(keys, each.key())
		}
	}
	return strings.Join(keys, ", ")
}
