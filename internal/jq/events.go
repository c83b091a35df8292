package jq

import "slices"

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
