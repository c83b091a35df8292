package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// parse reads exactly one JSON document that stays within the bounds. Numbers keep their spelling. values is how
// many values it has, at all levels.
func parse(text []byte, maxDepth int) (value any, values int, err error) {
	p := parser{Decoder: json.NewDecoder(bytes.NewBuffer(text), json.Lenient), maxDepth: maxDepth}
	value, err = p.value(0)
	if err == nil {
		if _, err = p.ReadToken(); err == io.EOF {
			return value, p.values, nil
		}
		err = errors.New("not JSON: more text follows the first value")
	} else if syntax, ok := errors.AsType[*json.SyntacticError](err); ok {
		err = fmt.Errorf("not JSON: %s", strings.TrimPrefix(syntax.Error(), "jsontext: "))
	} else if errors.Is(err, io.EOF) {
		err = errors.New("not JSON: empty")
	}
	return nil, 0, err
}

// A parser reads values and counts them.
type parser struct {
	*json.Decoder
	values, maxDepth int
}

// value reads a value that is nested in depth arrays and objects.
func (p *parser) value(depth int) (any, error) {
	token, err := p.ReadToken()
	if err != nil {
		return nil, err
	}
	p.values++
	kind := token.Kind()
	switch kind {
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	case '0':
		n := json.Number(token.String())
		return n, checkNumber(n)
	case 'n':
		return nil, nil
	}
	if depth == p.maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", p.maxDepth)
	}
	items, members := []any{}, map[string]any{}
	for p.PeekKind() != ']' && p.PeekKind() != '}' {
		name := strconv.Itoa(len(items))
		if kind == '{' {
			token, err := p.ReadToken()
			if err != nil {
				return nil, err
			}
			name = token.String()
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, within(name, err)
		}
		if kind == '{' {
			members[name] = value
		} else {
			items = append(items, value)
		}
	}
	if _, err = p.ReadToken(); kind == '{' {
		return members, err
	}
	return items, err
}
