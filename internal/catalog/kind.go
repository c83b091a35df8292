package catalog

import "strings"

// A kind is one sort of entry that a project offers.
type kind int

const (
	kindTool kind = iota
	kindResource
	kindTemplate
	kindPrompt
	kindCompleter
	kindInterceptor
	kindCount
)

func (*Tool) kind() kind        { return kindTool }
func (*Resource) kind() kind    { return kindResource }
func (*Template) kind() kind    { return kindTemplate }
func (*Prompt) kind() kind      { return kindPrompt }
func (*Completer) kind() kind   { return kindCompleter }
func (*Interceptor) kind() kind { return kindInterceptor }

// A kindRow says what differs between kinds.
type kindRow struct {
	key     string // of the list in registrations and cursors
	word    string // for an entry in messages
	address string // the field with the address of an entry, if it has one
	file    string // of the list in .registry/; empty for the one that is not kept there
	read    func(p *Project, c candidate, m metadata) Entry
	// write writes an entry as a registration; with only, no more than what clients see of it.
	write func(w *objectWriter, e Entry, at paths, only bool)
	view  func(*state) any // makes the Snapshot of a list
}

var kinds = [kindCount]kindRow{
	kindTool: {"tools", "tool", "", "tools.json", (*Project).readTool, writing[*Tool](toolFields), snapshotOf[*Tool]},
	kindResource: {"resources", "resource", "uri", "resources.json", (*Project).readResource,
		writing[*Resource](resourceFields), snapshotOf[*Resource]},
	kindTemplate: {"resourceTemplates", "resource template", "uriTemplate", "resource-templates.json",
		(*Project).readTemplate, writing[*Template](templateFields), snapshotOf[*Template]},
	kindPrompt: {"prompts", "prompt", "", "prompts.json", (*Project).readPrompt, writing[*Prompt](promptFields),
		snapshotOf[*Prompt]},
	kindCompleter: {"completions", "completion", "", "", (*Project).readCompleter, writing[*Completer](completerFields),
		snapshotOf[*Completer]},
	kindInterceptor: {"interceptors", "interceptor", "", "", (*Project).readInterceptor,
		writing[*Interceptor](interceptorFields), snapshotOf[*Interceptor]},
}

// writing returns what writes the fields of an entry.
func writing[P interface {
	*E
	Entry
}, E any](all func() fields[E]) func(*objectWriter, Entry, paths, bool) {
	return func(w *objectWriter, e Entry, at paths, only bool) {
		all().write(w, (*E)(e.(P)), e.described().Metadata, at, only)
	}
}

// field is the metadata field with the key of a lookup.
func (k kind) field(by lookup) string {
	if by == byName {
		return "name"
	}
	return kinds[k].address
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
			keys = append(keys, kinds[each].key)
		}
	}
	return strings.Join(keys, ", ")
}
