package catalog_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
)

// What packs or checks a project goes by this list.
func TestEachFolderThatCanBeReplacedHasAUsualOneAndIsListed(t *testing.T) {
	is := is.New(t)
	usual := catalog.Usual()
	for field, value := range reflect.ValueOf(usual).Fields() {
		if field.Name == "Registry" { // it is written
			continue
		}
		is.True(value.String() != "")
		is.True(slices.Contains(usual.Read(), value.String()))
	}
}
