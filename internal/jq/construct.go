package jq

import (
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// object has the construction of an object note the order of its keys. If not all keys
// are in the text, keys and values are computed first, in the same order, so that the
// results are at hand:
//
//	{(k): v, b: w}   becomes   k as $_k0 | v as $_v0 | w as $_v1
//	                           | {($_k0): $_v0, b: $_v1} | _shape([$_k0, "b"])
func (r *rewriter) object(t *gojq.Term) {
	members := t.Object.KeyVals
	if len(members) < 2 {
		return
	}
	keys := make([]*gojq.Query, len(members))
	for i, m := range members {
		keys[i] = keyInText(m)
	}
	var bindings []binder
	if slices.Contains(keys, nil) {
		members, bindings = computeFirst(members, keys)
	}
	object := &gojq.Term{Type: gojq.TermTypeObject, Object: &gojq.Object{KeyVals: members}}
	body := pipe(object, call("_shape", query(list(keys))))
	for _, b := range slices.Backward(bindings) {
		body = b.bind(body)
	}
	*t = gojq.Term{Type: gojq.TermTypeQuery, Query: body, SuffixList: t.SuffixList}
}

// keyInText returns a filter for the key of a member, nil if it must be computed.
func keyInText(m *gojq.ObjectKeyVal) *gojq.Query {
	switch {
	case m.KeyString != nil && m.KeyString.Queries == nil:
		return stringLiteral(m.KeyString.Str)
	case strings.HasPrefix(m.Key, "$") && m.Val == nil:
		return stringLiteral(m.Key[1:])
	case m.Key != "" && !strings.HasPrefix(m.Key, "$"):
		return stringLiteral(m.Key)
	}
	return nil
}

// A binder is "value as $name |".
type binder struct {
	name  string
	value *gojq.Query
}

func (b binder) bind(body *gojq.Query) *gojq.Query {
	pattern := []*gojq.Pattern{{Name: b.name}}
	return &gojq.Query{Left: b.value, Patterns: pattern, Op: gojq.OpPipe, Right: body}
}

// computeFirst returns members whose keys and values are variables, and what binds these.
// It completes keys.
func computeFirst(members []*gojq.ObjectKeyVal, keys []*gojq.Query) (computed []*gojq.ObjectKeyVal, bindings []binder) {
	for i, m := range members {
		if keys[i] == nil {
			k := binder{"$_k" + strconv.Itoa(i), keyOf(m)}
			bindings = append(bindings, k)
			keys[i] = variable(k.name)
		}
		v := binder{"$_v" + strconv.Itoa(i), valueOf(m, keys[i])}
		bindings = append(bindings, v)
		computed = append(computed, &gojq.ObjectKeyVal{KeyQuery: keys[i], Val: variable(v.name)})
	}
	return computed, bindings
}

// keyOf returns the filter that computes a key: k of (k) and of $k, or "a\(k)".
func keyOf(m *gojq.ObjectKeyVal) *gojq.Query {
	switch {
	case m.KeyQuery != nil:
		return m.KeyQuery
	case m.KeyString != nil:
		return query(&gojq.Term{Type: gojq.TermTypeString, Str: m.KeyString})
	}
	return variable(m.Key)
}

// valueOf returns the value of a member. That of {$x} is $x, that of {a} is .a.
func valueOf(m *gojq.ObjectKeyVal, key *gojq.Query) *gojq.Query {
	switch {
	case m.Val != nil:
		return m.Val
	case strings.HasPrefix(m.Key, "$"):
		return variable(m.Key)
	}
	return query(&gojq.Term{Type: gojq.TermTypeIndex, Index: &gojq.Index{Start: key}})
}
