package project

import (
	"fmt"
	"slices"
	"sync"
)

// An overlay is a registration combined with other sources: of two entries with the same name or
// address, the registered one is served. An empty registration stays empty.
type overlay struct {
	over  source
	under []source // the first that returns a batch is used

	mu   sync.Mutex
	from [2]*batch
	last *batch
}

func (o *overlay) batch(k kind, a ask) *batch {
	over := o.over.batch(k, a)
	if over == nil || over.err != nil || len(over.items) == 0 {
		return over
	}
	var under *batch
	for _, src := range o.under {
		if under = src.batch(k, a); under != nil {
			break
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if from := [2]*batch{over, under}; o.last == nil || o.from != from {
		o.from = from
		hidden := func(h foundItem) bool {
			return slices.ContainsFunc(over.items, func(by foundItem) bool { return by.sharesKey(h) })
		}
		o.last = &batch{
			items:  append(slices.Clone(over.items), slices.DeleteFunc(slices.Clone(under.items), hidden)...),
			faults: slices.Concat(over.faults, under.faults),
		}
	}
	return o.last
}

func (o *overlay) same() bool {
	return o.over.same() && !slices.ContainsFunc(o.under, func(src source) bool { return !src.same() })
}

// sharesKey reports whether two items have the same name or the same address.
func (h foundItem) sharesKey(other foundItem) bool {
	if h.entry == nil || other.entry == nil {
		return false
	}
	for by := range lookups {
		if key := h.entry.key(by); key != "" && key == other.entry.key(by) {
			return true
		}
	}
	return false
}

// besideResources are the templates of a tree, without those that have the name of a resource in
// it.
type besideResources struct {
	tree *tree

	mu   sync.Mutex
	from [2]*batch
	last *batch
}

func (b *besideResources) batch(k kind, a ask) *batch {
	found := b.tree.at(a.since)
	templates, resources := found.batches[kindTemplate], found.batches[kindResource]
	b.mu.Lock()
	defer b.mu.Unlock()
	if from := [2]*batch{templates, resources}; b.last == nil || b.from != from {
		b.from, b.last = from, &batch{faults: slices.Clone(templates.faults)}
		names := make(map[string]foundItem)
		for _, h := range resources.items {
			if h.entry != nil {
				names[h.entry.key(byName)] = h
			}
		}
		for _, h := range templates.items {
			if h.entry != nil {
				if first, taken := names[h.entry.key(byName)]; taken {
					b.last.faults = append(b.last.faults, Fault{File: rel(b.tree.root, h.path), Field: "name",
						Reason: fmt.Sprintf("%q is the name of the resource %s already, so this template is left out",
							h.entry.key(byName), rel(b.tree.root, first.path)),
						Hint: "give one of the two another name"})
					continue
				}
			}
			b.last.items = append(b.last.items, h)
		}
	}
	return b.last
}

func (b *besideResources) same() bool { return true }
