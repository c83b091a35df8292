package jq

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/itchyny/gojq"
)

// A heritage finds the order of the objects that an assignment made: the keys that the
// object at the same place had before, in their order, then the new ones. If the
// assignment gave several keys to one object, it takes paths to tell their order.
//
// What an assignment to a slice moved to another place and what another part of the same
// assignment changed there as well has the order of its new place's object.
type heritage struct {
	orders *orders
	paths  []any // of the assignment, in order; nil if they are not known
	found  []heir
	unsure bool // paths are needed
}

type heir struct {
	object map[string]any
	keys   []string
}

// inherit notes the order of the objects in v, which an assignment to paths made from
// old. It reports false, and notes nothing, if it needs paths and they are nil.
func (o *orders) inherit(old, v any, paths []any) bool {
	h := &heritage{orders: o, paths: paths}
	h.visit(old, v, nil)
	if h.unsure {
		return false
	}
	for _, heir := range h.found {
		o.set(heir.object, heir.keys)
	}
	return true
}

// visit goes through the parts of v that are not those of old. They lie at path.
func (h *heritage) visit(old, v any, path []any) {
	switch v := v.(type) {
	case map[string]any:
		before, _ := old.(map[string]any)
		if before != nil && identity(before) == identity(v) {
			return
		}
		if len(v) > 1 && h.orders.known(v) {
			return // the assigned value, or in it
		}
		h.object(before, v, path)
		for k, item := range v {
			if hasParts(item) {
				h.visit(before[k], item, append(path, k))
			}
		}
	case []any:
		before, _ := old.([]any)
		if sameArray(before, v) {
			return
		}
		for i, item := range v {
			if !hasParts(item) {
				continue
			}
			var was any
			if i < len(before) {
				was = before[i]
			}
			h.visit(was, item, append(path, i))
		}
	}
}

func hasParts(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

func sameArray(a, b []any) bool {
	return len(a) == len(b) && reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

func (h *heritage) object(before, object map[string]any, path []any) {
	keys := slices.Clone(h.orders.of(before))
	var added []string
	for k := range object {
		if _, ok := before[k]; !ok {
			added = append(added, k)
		}
	}
	if len(added) > 1 {
		h.unsure = h.unsure || h.paths == nil
		h.arrange(added, path)
	}
	if keys = append(keys, added...); len(keys) > len(object) {
		keys = slices.DeleteFunc(keys, func(k string) bool { _, ok := object[k]; return !ok })
	}
	h.found = append(h.found, heir{object, keys})
}

// arrange sorts the new keys of the object at path by their first place in paths. Those
// that were reached through a slice come last, sorted.
func (h *heritage) arrange(keys []string, path []any) {
	rank := map[string]int{}
	for _, p := range h.paths {
		p, _ := p.([]any)
		if len(p) > len(path) && gojq.Compare(p[:len(path)], path) == 0 {
			k, _ := p[len(path)].(string)
			if _, ok := rank[k]; !ok {
				rank[k] = len(rank)
			}
		}
	}
	place := func(k string) int {
		if i, ok := rank[k]; ok {
			return i
		}
		return len(rank)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(place(a)-place(b), cmp.Compare(a, b)) })
}
