package jq

import (
	"errors"
	"fmt"
	"slices"

	"github.com/itchyny/gojq"
)

// shape notes the order of an object that the filter constructs with these keys. Of two
// equal keys the first says the place.
func (o *orders) shape(v, names any) {
	object, _ := v.(map[string]any)
	keys := make([]string, 0, len(object))
	all, _ := names.([]any)
	for _, name := range all {
		if k, ok := name.(string); ok && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	o.set(object, keys)
}

// merged notes the order of sum, which is the sum of two objects, or with deep their
// product: the keys of l, then those that only r has.
func (o *orders) merged(sum, l, r any, deep bool) {
	object, ok := sum.(map[string]any)
	if !ok {
		return
	}
	if o.known(object) && len(object) > 1 {
		return // l or r itself
	}
	left, _ := l.(map[string]any)
	right, _ := r.(map[string]any)
	keys := slices.Clone(o.of(left))
	for _, k := range o.of(right) {
		if _, ok := left[k]; !ok {
			keys = append(keys, k)
		}
	}
	o.set(object, keys)
	for k, item := range right {
		if before, ok := left[k].(map[string]any); ok && deep {
			o.merged(object[k], before, item, true)
		}
	}
}

// added notes the order of sum, which is the sum of all items of an array.
func (o *orders) added(sum, list any) {
	object, ok := sum.(map[string]any)
	items, _ := list.([]any)
	if !ok {
		return
	}
	if o.known(object) {
		return // the only item
	}
	var keys []string
	seen := map[string]bool{}
	for _, item := range items {
		if item, ok := item.(map[string]any); ok {
			for _, k := range o.of(item) {
				if !seen[k] {
					seen[k], keys = true, append(keys, k)
				}
			}
		}
	}
	o.set(object, keys)
}

// collect makes an object of pairs [key, value]; of two with one key the last counts,
// at the place of the first.
func (o *orders) collect(pairs []any) (any, error) {
	object := make(map[string]any, len(pairs))
	keys := make([]string, 0, len(pairs))
	for _, p := range pairs {
		pair, _ := p.([]any)
		if len(pair) != 2 {
			return nil, errors.New("not a pair: " + o.json(p))
		}
		k, ok := pair[0].(string)
		if !ok {
			return nil, fmt.Errorf("Cannot use %s (%s) as object key", gojq.TypeOf(pair[0]), o.json(pair[0]))
		}
		if _, again := object[k]; !again {
			keys = append(keys, k)
		}
		object[k] = pair[1]
	}
	o.set(object, keys)
	return object, nil
}
