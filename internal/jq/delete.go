package jq

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/itchyny/gojq"
)

// A deletion says what to delete from a value: all of it, or what lies at some keys (a
// string), indices (an int) and slices.
type deletion struct {
	all    bool
	at     map[any]*deletion
	slices []slice
}

type slice struct {
	start, end any
	rest       *deletion
}

// delpaths returns v without what lies at paths. Objects keep their order. All paths are
// those of v as it is given: to delete .[0] does not move the target of .[1].
func (o *orders) delpaths(v any, paths []any) (any, error) {
	d := &deletion{}
	for _, p := range paths {
		path, ok := p.([]any)
		if !ok {
			return nil, errors.New("Path must be specified as an array")
		}
		if err := d.add(path); err != nil {
			return nil, err
		}
	}
	if d.all {
		return nil, nil
	}
	return o.delete(v, d)
}

func (d *deletion) add(path []any) error {
	if len(path) == 0 {
		d.all = true
		return nil
	}
	k := path[0]
	switch step := k.(type) {
	case string:
	case map[string]any:
		s := slice{step["start"], step["end"], &deletion{}}
		d.slices = append(d.slices, s)
		return s.rest.add(path[1:])
	default:
		i, ok := gojq.ToInt(step)
		if !ok {
			return fmt.Errorf("Cannot delete at %s", gojq.TypeOf(step))
		}
		k = i
	}
	return d.step(k).add(path[1:])
}

// step returns what is to be deleted from what lies at k.
func (d *deletion) step(k any) *deletion {
	if d.at == nil {
		d.at = map[any]*deletion{}
	}
	if d.at[k] == nil {
		d.at[k] = &deletion{}
	}
	return d.at[k]
}

// merge adds another deletion.
func (d *deletion) merge(other *deletion) {
	d.all = d.all || other.all
	d.slices = append(d.slices, other.slices...)
	for k, rest := range other.at {
		d.step(k).merge(rest)
	}
}

func (o *orders) delete(v any, d *deletion) (any, error) {
	if len(d.at)+len(d.slices) == 0 {
		return v, nil
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return o.deleteKeys(v, d)
	case []any:
		return o.deleteItems(v, d)
	}
	return nil, fmt.Errorf("Cannot delete field of %s", gojq.TypeOf(v))
}

func (o *orders) deleteKeys(object map[string]any, d *deletion) (any, error) {
	if len(d.slices) > 0 {
		return nil, errors.New("Cannot delete slice of object")
	}
	left := maps.Clone(object)
	for k, rest := range d.at {
		k, ok := k.(string)
		if !ok {
			return nil, errors.New("Cannot delete field at array index of object")
		}
		item, ok := object[k]
		switch {
		case !ok:
		case rest.all:
			delete(left, k)
		default:
			item, err := o.delete(item, rest)
			if err != nil {
				return nil, err
			}
			left[k] = item
		}
	}
	keys := slices.Clone(o.of(object))
	o.set(left, slices.DeleteFunc(keys, func(k string) bool { _, ok := left[k]; return !ok }))
	return left, nil
}

func (o *orders) deleteItems(array []any, d *deletion) (any, error) {
	at := make([]*deletion, len(array))
	if err := d.spread(at); err != nil {
		return nil, err
	}
	left := make([]any, 0, len(array))
	for i, item := range array {
		if at[i] != nil {
			if at[i].all {
				continue
			}
			var err error
			if item, err = o.delete(item, at[i]); err != nil {
				return nil, err
			}
		}
		left = append(left, item)
	}
	return left, nil
}

// spread says for each item of an array what to delete from it.
func (d *deletion) spread(at []*deletion) error {
	add := func(i int, rest *deletion) {
		if at[i] == nil {
			at[i] = &deletion{}
		}
		at[i].merge(rest)
	}
	for k, rest := range d.at {
		i, ok := k.(int)
		if !ok {
			return errors.New("Cannot delete field at object index of array")
		}
		if i < 0 {
			i += len(at)
		}
		if 0 <= i && i < len(at) {
			add(i, rest)
		}
	}
	for _, s := range d.slices {
		start, end := s.bounds(len(at))
		part := make([]*deletion, end-start)
		if s.rest.all {
			for i := range part {
				part[i] = s.rest
			}
		} else if err := s.rest.spread(part); err != nil {
			return err
		}
		for i, rest := range part {
			if rest != nil {
				add(start+i, rest)
			}
		}
	}
	return nil
}

// bounds returns the slice of n items that s means.
func (s slice) bounds(n int) (start, end int) {
	clamp := func(v any, round func(float64) float64, or int) int {
		f, ok := gojq.ToFloat64(v)
		if !ok {
			return or
		}
		if f < 0 {
			f += float64(n)
		}
		return int(min(max(round(f), 0), float64(n)))
	}
	start = clamp(s.start, math.Floor, 0)
	return start, max(start, clamp(s.end, math.Ceil, n))
}
