package dial_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
)

// pages answers each cursor with a result.
type pages map[string]string

func (p pages) Call(_ context.Context, _ string, params map[string]any) (json.RawMessage, error) {
	cursor, _ := params["cursor"].(string)
	return json.RawMessage(p[cursor]), nil
}

func TestAllPagesOfAListAreOneList(t *testing.T) {
	is := is.New(t)
	items, err := dial.All(t.Context(), pages{"": `{"tools":[1,2],"nextCursor":"b"}`, "b": `{"tools":[3]}`}, "tools/list", "tools")
	is.NoErr(err)
	text, err := json.Marshal(items)
	is.NoErr(err)
	is.Equal(string(text), "[1,2,3]")
}

func TestAListWithoutAnEndOrWithoutItemsIsAnError(t *testing.T) {
	for want, server := range map[string]pages{
		"tools/list does not end: it returned the same cursor twice":          {"": `{"tools":[],"nextCursor":"a"}`, "a": `{"tools":[],"nextCursor":"a"}`},
		"the result of tools/list has no tools: unexpected end of JSON input": {"": `{}`},
	} {
		is := is.New(t)
		_, err := dial.All(t.Context(), server, "tools/list", "tools")
		is.Equal(err.Error(), want)
	}
}
