package providers_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/providers"
)

func ExampleFile() {
	root, err := os.MkdirTemp("", "resources")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	path := filepath.Join(root, "notes.md")
	if err := os.WriteFile(path, []byte("# Notes"), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	files := providers.File{Roots: []string{root}}
	contents, err := files.Read(context.Background(), "file://"+filepath.ToSlash(path))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(contents[0].MimeType, *contents[0].Text)
	_, err = files.Read(context.Background(), "file:///etc/../etc/passwd")
	fmt.Println(err)
	// Output:
	// text/markdown # Notes
	// resource not allowed: the path contains ".."; write it without
}

var warehouse = map[string]int{"nails": 1200}

// stock reads stock://ITEM.
func stock(_ context.Context, uri string) ([]providers.Content, error) {
	item := strings.TrimPrefix(uri, "stock://")
	n, ok := warehouse[item]
	if !ok {
		return nil, fmt.Errorf("%w: there is no item %q", providers.ErrNotFound, item)
	}
	return []providers.Content{providers.NewContent(uri, "text/plain", []byte(strconv.Itoa(n)))}, nil
}

func ExampleFunc() {
	set := providers.Set{Schemes: map[string]providers.Provider{
		"echo":  providers.Echo{},
		"stock": providers.Func(stock),
	}}
	for _, uri := range []string{"echo://hello", "stock://nails", "stock://gold"} {
		contents, err := set.Read(context.Background(), uri)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(*contents[0].Text)
	}
	// Output:
	// hello
	// 1200
	// resource not found: there is no item "gold"
}

func ExampleWireError() {
	_, err := stock(context.Background(), "stock://gold")
	wire := providers.WireError(err, "stock://gold", -32002)
	fmt.Println(wire.Code, wire.Message, string(*wire.Data))
	wire = providers.WireError(errors.New("no more paper"), "stock://gold", -32002)
	fmt.Println(wire.Code, wire.Message)
	// Output:
	// -32002 Resource not found: there is no item "gold" {"uri":"stock://gold"}
	// -32603 No more paper
}
