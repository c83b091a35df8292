package sdk

import (
	"slices"
	"testing"

	"github.com/matryer/is"
)

func TestFunctionsListsThePublicHelpers(t *testing.T) {
	is := is.New(t)
	names := Functions()
	for _, name := range []string{"mcp_args_get", "mcp_args_require", "mcp_progress", "mcp_error", "mcp_jq"} {
		is.True(slices.Contains(names, name))
	}
	is.True(!slices.Contains(names, "mcp_arg_get"))
}
