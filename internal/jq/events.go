package jq

import (
	"errors"
	"slices"

	"github.com/itchyny/gojq"
)

// event returns the next event of --stream, or io.EOF: [path, leaf] for what is no array
// or object, or an empty one, and [path] after the last item of one that is not empty.
func (p *parser) event() (any, error) {
	for {
		t, r, err := p.token()
		if err != nil {
			return nil, err
		}
		switch r {
		case key:
			p.path[len(p.path)-1] = t.value
		case opening:
			p.advance()
			p.path = append(p.path, nil)
		case leaf:
			p.advance()
			return []any{slices.Clone(p.path), t.value}, nil
		case closing:
			last := p.path[len(p.path)-1]
			path := slices.Clone(p.path)
			p.path = p.path[:len(p.path)-1]
			if last != nil {
				return []any{path}, nil
			}
			if t.kind == ']' {
				return []any{path[:len(p.path)], []any{}}, nil
			}
			return []any{path[:len(p.path)], map[string]any{}}, nil
		}
	}
}

// advance moves the path to the next item, if it is in an array.
func (p *parser) advance() {
	if len(p.path) == 0 {
		return
	}
	switch last := &p.path[len(p.path)-1]; i := (*last).(type) {
	case nil:
		*last = 0
	case int:
		*last = i + 1
	}
}

// events returns the events that make up v, which lies at path.
func (o *orders) events(v any, path []any, all []any) []any {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			all = o.events(item, append(path, i), all)
		}
		if len(v) > 0 {
			return append(all, []any{append(slices.Clone(path), len(v)-1)})
		}
	case map[string]any:
		keys := o.of(v)
		for _, k := range keys {
			all = o.events(v[k], append(path, k), all)
		}
		if len(v) > 0 {
			return append(all, []any{append(slices.Clone(path), keys[len(keys)-1])})
		}
	}
	return append(all, []any{append([]any{}, path...), v})
}

// An assembly puts values together from their events.
type assembly struct {
	orders *orders
	value  any
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
	depth := 1
	if len(e) > 1 {
		depth = 0
		if a.value, err = a.put(a.value, path, e[1]); err != nil {
			return nil, false, err
		}
	}
	if len(path) != depth {
		return nil, false, nil
	}
	v, a.value = a.value, nil
	return v, true, nil
}

// put changes v, which nobody else has yet.
func (a *assembly) put(v any, path []any, leaf any) (any, error) {
	if len(path) == 0 {
		return leaf, nil
	}
	if k, ok := path[0].(string); ok {
		object, ok := v.(map[string]any)
		if v != nil && !ok {
			return nil, errors.New("fromstream: a key in what is no object: " + k)
		}
		if object == nil {
			object = map[string]any{}
		}
		return object, a.putKey(object, k, path[1:], leaf)
	}
	i, ok := gojq.ToInt(path[0])
	array, isArray := v.([]any)
	if !ok || v != nil && !isArray || i < 0 || i >= 1<<29 {
		return nil, errors.New("fromstream: no such place: " + a.orders.json(path[0]))
	}
	for i >= len(array) {
		array = append(array, nil)
	}
	item, err := a.put(array[i], path[1:], leaf)
	array[i] = item
	return array, err
}

func (a *assembly) putKey(object map[string]any, k string, path []any, leaf any) error {
	keys := a.orders.of(object)
	old, again := object[k]
	item, err := a.put(old, path, leaf)
	if err != nil {
		return err
	}
	object[k] = item
	if !again {
		a.orders.set(object, append(slices.Clip(keys), k))
	}
	return nil
}
