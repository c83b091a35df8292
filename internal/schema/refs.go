package schema

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// follow resolves all references, also those in their targets.
func (r *reading) follow() error {
	for len(r.pending) > 0 {
		next := r.pending[0]
		r.pending = r.pending[1:]
		target, err := r.target(next)
		if err != nil {
			return err
		}
		*next.target = target
	}
	return nil
}

func (r *reading) target(ref reference) (*rule, error) {
	at := ref.from.at + "/" + ref.keyword
	nowhere := &Error{at, fmt.Errorf("%s has no target", show(ref.text))}
	document, fragment, _ := strings.Cut(ref.text, "#")
	address, badAddress := join(ref.from.home.base, document)
	place, badPlace := url.PathUnescape(fragment)
	if badAddress != nil || badPlace != nil {
		return nil, nowhere
	}
	res, err := r.resource(address)
	switch {
	case err != nil:
		return nil, err
	case res == nil:
		return nil, &Error{at, fmt.Errorf("%s refers to another document, and nothing is fetched: copy it to $defs and "+
			"refer to it as #/$defs/NAME", show(ref.text))}
	case place == "":
		return res.root, nil
	case strings.HasPrefix(place, "/"):
		return r.pointed(res, place, nowhere)
	case res.anchors[place] == nil:
		return nil, nowhere
	case ref.keyword == "$dynamicRef":
		ref.from.dynamicName = place
	}
	return res.anchors[place], nil
}

// resource returns the resource at an address, nil if there is none.
func (r *reading) resource(address string) (*resource, error) {
	if known := r.resources[address]; known != nil {
		return known, nil
	}
	if !r.builtIn {
		if found, ok := metaResource(address); ok {
			return found, nil
		}
	}
	if r.load == nil {
		return nil, nil
	}
	value, err := r.load(address)
	if err != nil {
		return nil, nil
	}
	if _, err := r.document(address, value, &dialects[0]); err != nil {
		return nil, err
	}
	return r.resources[address], nil
}

// pointed returns the rule at a JSON pointer into a resource. The place need not be one where
// schemas usually are.
func (r *reading) pointed(res *resource, place string, nowhere error) (*rule, error) {
	if !json.Pointer(place).IsValid() {
		return nil, nowhere
	}
	at := res.root.at + place
	if known := res.in.rules[at]; known != nil {
		return known, nil
	}
	path := tokens(at)
	value, ok := find(res.in.value, path)
	if !ok || res.in.builtIn {
		return nil, nowhere
	}
	home := res
	for n := len(path) - 1; n > 0; n-- {
		if above := res.in.rules[pointer(path[:n]...)]; above != nil {
			home = above.home
			break
		}
	}
	if err := checkSchema(value, at, home.dialect); err != nil {
		return nil, err
	}
	return r.rule(value, at, home)
}

// find returns the value at a place in a document, nil if there is none.
func find(doc any, at []string) (any, bool) {
	for _, token := range at {
		switch v := doc.(type) {
		case map[string]any:
			member, ok := v[token]
			if !ok {
				return nil, false
			}
			doc = member
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			doc = v[i]
		default:
			return nil, false
		}
	}
	return doc, true
}
