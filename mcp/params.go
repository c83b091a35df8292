package mcp

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// Params are the members that every request may have besides its own.
type Params struct {
	Meta json.RawMessage `json:"_meta"`
}

// Common returns these members.
func (p Params) Common() Params { return p }

// Asked are the params of any method.
type Asked interface{ Common() Params }

// Arguments are texts by name. A value that is null counts as absent.
type Arguments map[string]string

// UnmarshalJSONFrom reads an object of strings.
func (a *Arguments) UnmarshalJSONFrom(in *json.Decoder) error {
	var all map[string]*string
	if err := json.UnmarshalDecode(in, &all); err != nil || all == nil {
		return err
	}
	*a = make(Arguments, len(all))
	for name, value := range all {
		if value != nil {
			(*a)[name] = *value
		}
	}
	return nil
}
