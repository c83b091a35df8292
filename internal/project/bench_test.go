package project

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// manyTools makes a project of n tools with metadata of a usual size, an hour old.
func manyTools(b *testing.B, n int) (root string) {
	b.Helper()
	root = b.TempDir()
	for i := range n {
		put(b, root, fmt.Sprintf("tools/tool%05d/tool.sh", i), "#!/usr/bin/env bash\necho hello\n")
		put(b, root, fmt.Sprintf("tools/tool%05d/tool.meta.json", i), fmt.Sprintf(`{
  "name": "tool-%05d",
  "title": "A tool",
  "description": "Does what the others do, so that there is something to read in each of them.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "path": {"type": "string", "description": "The file to work on."},
      "count": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10}
    },
    "required": ["path"]
  },
  "annotations": {"readOnlyHint": true},
  "timeoutSecs": 10
}
`, i))
	}
	settle(b, root)
	return root
}

func BenchmarkFirstScan(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			root := manyTools(b, n)
			for b.Loop() {
				if s := snapshot(b, opened(b, root, Options{})); len(s.Items) != n {
					b.Fatal(len(s.Items), faults(s))
				}
			}
		})
	}
}

func BenchmarkRescan(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := opened(b, manyTools(b, n), Options{})
			snapshot(b, p)
			for b.Loop() {
				snapshot(b, p)
			}
		})
	}
}

func BenchmarkRescanAfterOneChange(b *testing.B) {
	root := manyTools(b, 1000)
	p := opened(b, root, Options{})
	snapshot(b, p)
	path := filepath.Join(root, "tools", "tool00500", "tool.meta.json")
	for i := 0; b.Loop(); i++ {
		if err := os.WriteFile(path, fmt.Appendf(nil, `{"name":"tool-00500","title":"%d"}`, i), 0o644); err != nil {
			b.Fatal(err)
		}
		if s := snapshot(b, p); s.Items[500].Title != fmt.Sprint(i) {
			b.Fatal(s.Items[500].Title)
		}
	}
}

func BenchmarkTool(b *testing.B) {
	p := opened(b, manyTools(b, 1000), Options{})
	snapshot(b, p)
	for b.Loop() {
		if _, err := p.Tool(b.Context(), "tool-00500"); err != nil {
			b.Fatal(err)
		}
	}
}
