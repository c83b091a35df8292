package bundle

import (
	"errors"
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// decode parses JSON into v. Its errors are for authors: they contain the place and the problem,
// but no types of Go. strict refuses fields that v does not have.
func decode(data []byte, v any, strict bool) error {
	err := json.Unmarshal(data, v, json.RejectUnknownMembers(strict))
	wrong, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return err
	}
	place := string(wrong.JSONPointer)
	if place == "" {
		place = "/"
	}
	switch {
	case errors.Is(wrong.Err, json.ErrUnknownName):
		return fmt.Errorf("%s is not known", place)
	case wrong.Err != nil:
		return fmt.Errorf("%s: %w", place, wrong.Err)
	}
	return fmt.Errorf("%s must not be %s", place, json.KindName(wrong.JSONKind))
}
