package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// parse reads exactly one JSON document that stays within the bounds. Numbers keep their spelling. values is how
// many values it has, at all levels.
func parse(text []byte, maxDepth int) (value any, values int, err error) {
	d := json.NewDecoder(bytes.NewBuffer(text), json.Lenient)
	value, err = json.ReadExact(d, func(first json.Token) (err error) {
		values++
		if d.StackDepth() > maxDepth {
			err = fmt.Errorf("nested deeper than %d levels", maxDepth)
		} else if first.Kind() == '0' {
			err = checkNumber(json.Number(first.String()))
		}
		if err != nil {
			err = &Error{string(d.StackPointer()), err}
		}
		return err
	})
	if err == nil {
		if _, err = d.ReadToken(); err == io.EOF {
			return value, values, nil
		}
		err = errors.New("not JSON: more text follows the first value")
	} else if syntax, ok := errors.AsType[*json.SyntacticError](err); ok {
		err = fmt.Errorf("not JSON: %s", strings.TrimPrefix(syntax.Error(), "jsontext: "))
	} else if errors.Is(err, io.EOF) {
		err = errors.New("not JSON: empty")
	}
	return nil, 0, err
}
