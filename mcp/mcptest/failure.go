package mcptest

import (
	"encoding/json"
	"fmt"
)

// code checks the code of an error, and its data.
func (r *revision) code(m map[string]any) []string {
	e, _ := m["error"].(map[string]any)
	number, _ := e["code"].(json.Number)
	code, err := number.Int64()
	if err != nil {
		return []string{"J-09: the code is not an integer"}
	}
	if definition := map[int64]string{
		-32042: "URLElicitationRequiredError",
		-32021: "MissingRequiredClientCapabilityError",
		-32022: "UnsupportedProtocolVersionError",
	}[code]; definition != "" {
		return r.validate(definition, withWholeID(m))
	}
	switch {
	case r.modern && code == -32002:
		return []string{"N-14: -32002 is the code of older revisions"}
	case code >= -32099 && code <= -32020 && r.modern:
		return []string{fmt.Sprintf("N-14: %d is not defined", code)}
	case code == -32020:
		return []string{"HeaderMismatch has no meaning on stdio"}
	}
	return nil
}
