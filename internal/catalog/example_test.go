package catalog_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
)

func Example() {
	root, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	for name, text := range map[string]string{
		"tools/hello/tool.sh":        "#!/bin/sh\necho hello\n",
		"tools/hello/tool.meta.json": `{"description": "Says hello", "timeoutSecs": 5}`,
		"tools/now/now.sh":           "#!/bin/sh\n# mcp: {\"description\": \"Tells the time\"}\ndate\n",
		"tools/sum/sum.sh":           "#!/bin/sh\n",
		"tools/sum/sum.meta.yaml":    "description: Adds numbers\ntitle: 5\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			panic(err)
		}
	}

	p, err := catalog.Open(root, catalog.Options{})
	if err != nil {
		panic(err)
	}
	found, err := p.Tools(context.Background())
	if err != nil {
		panic(err)
	}
	for _, tool := range found.Items {
		fmt.Printf("%s: %s\n", tool.Name, tool.Description)
	}
	for _, fault := range found.Faults {
		fmt.Println(fault)
	}

	page, next, err := found.Listing(nil).Page("", 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(len(page), next != "")
	// Output:
	// hello: Says hello
	// now: Tells the time
	// sum: Adds numbers
	// tools/sum/sum.meta.yaml:2: title: must be a string, not a number; write "5"
	// 1 true
}
