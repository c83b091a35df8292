package jq

import (
	"errors"

	"github.com/itchyny/gojq"
)

// An assembly puts values together from their events.
type assembly struct {
	orders *orders
	root   node
}

// A node is a value in the making: a leaf, an array or an object.
type node struct {
	leaf   any
	items  []*node
	fields map[string]*node
	keys   []string // of fields, in order
}

// feed takes an event, and returns the value if that completes it.
func (a *assembly) feed(event any) (v any, done bool, err error) {
	e, _ := event.([]any)
	if len(e) == 0 {
		return nil, false, errors.New("fromstream takes events: [path, leaf] or [path]")
	}
	path, ok := e[0].([]any)
	if !ok {
		return nil, false, errors.New("fromstream takes events: their path must be an array")
	}
	depth := 1 // of the end of a whole value
	if len(e) > 1 {
		depth = 0
		if err := a.root.put(path, e[1]); err != nil {
			return nil, false, err
		}
	}
	if len(path) != depth {
		return nil, false, nil
	}
	v = a.root.value(a.orders)
	a.root = node{}
	return v, true, nil
}

func (n *node) put(path []any, leaf any) error {
	if len(path) == 0 {
		*n = node{leaf: leaf}
		return nil
	}
	if k, ok := path[0].(string); ok && n.items == nil {
		if n.fields == nil {
			n.fields = map[string]*node{}
		}
		if n.fields[k] == nil {
			n.fields[k] = &node{}
			n.keys = append(n.keys, k)
		}
		return n.fields[k].put(path[1:], leaf)
	}
	i, ok := gojq.ToInt(path[0])
	if !ok || n.fields != nil || i < 0 || i >= 1<<29 {
		return errors.New("fromstream: an event has a path that does not fit those before")
	}
	for i >= len(n.items) {
		n.items = append(n.items, &node{})
	}
	return n.items[i].put(path[1:], leaf)
}

func (n *node) value(o *orders) any {
	switch {
	case n.items != nil:
		array := make([]any, len(n.items))
		for i, item := range n.items {
			array[i] = item.value(o)
		}
		return array
	case n.fields != nil:
		object := make(map[string]any, len(n.fields))
		for k, field := range n.fields {
			object[k] = field.value(o)
		}
		o.set(object, n.keys)
		return object
	}
	return n.leaf
}
