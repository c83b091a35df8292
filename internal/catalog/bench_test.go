package catalog

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
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

// ofAllKinds creates a project of n entries, a quarter of each kind, an hour old.
func ofAllKinds(b testing.TB, n int) (root string) {
	b.Helper()
	root = b.TempDir()
	for i := range n / 4 {
		dir := fmt.Sprintf("%03d/", i/100)
		put(b, root, fmt.Sprintf("tools/tool%05d/tool.sh", i), "#!/usr/bin/env bash\necho hello\n")
		put(b, root, fmt.Sprintf("tools/tool%05d/tool.meta.json", i),
			fmt.Sprintf(`{"name": "tool-%d", "description": "Does what the others do.",
  "inputSchema": {"type": "object", "properties": {"path": {"type": "string", "description": "The file to work on."}}, "required": ["path"]}}`, i))
		put(b, root, fmt.Sprintf("resources/%snote%05d.md", dir, i),
			"# A note\n\nWith a few lines of text, so that there is something to read.\n")
		put(b, root, fmt.Sprintf("resources/%snote%05d.meta.json", dir, i),
			fmt.Sprintf(`{"title": "Note %d", "annotations": {"audience": ["user"], "priority": 0.5}}`, i))
		put(b, root, fmt.Sprintf("resources/%sday%05d.meta.json", dir, i),
			fmt.Sprintf(`{"name": "day-%d", "uriTemplate": "notes%d://{year}/{month}/{day}"}`, i, i))
		put(b, root, fmt.Sprintf("prompts/%sprompt%05d.md", dir, i), "Please review {{code}} with care.\n")
		put(b, root, fmt.Sprintf("prompts/%sprompt%05d.meta.json", dir, i),
			`{"description": "Reviews.", "arguments": [{"name": "code", "required": true}, {"name": "lang", "values": ["go", "bash"]}]}`)
	}
	settle(b, root)
	return root
}

// readAll reads every file below root, as simply as possible.
func readAll(b testing.TB, root string) {
	b.Helper()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		_, err = os.ReadFile(path)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

// listAll asks for all lists of a project of n entries.
func listAll(b testing.TB, p *Project, n int) {
	b.Helper()
	got := len(all(b, p.Tools).Items) + len(all(b, p.Resources).Items) + len(all(b, p.Templates).Items) +
		len(all(b, p.Prompts).Items)
	if got != n {
		b.Fatal(got)
	}
}

// The cost of lists is reported as a multiple of the cost of only reading the files.
func BenchmarkAllKinds(b *testing.B) {
	const n = 10000
	root := ofAllKinds(b, n)
	for _, what := range []struct {
		name  string
		setup func() func()
	}{
		{"first", func() func() { return func() { listAll(b, opened(b, root, Options{}), n) } }},
		{"again", func() func() {
			p := opened(b, root, Options{})
			listAll(b, p, n)
			return func() { listAll(b, p, n) }
		}},
		{"watch", func() func() {
			p := opened(b, root, Options{})
			p.versions()
			return func() { p.versions() }
		}},
		{"kept", func() func() {
			listAll(b, opened(b, root, Options{Folders: Folders{Registry: ".registry"}}), n)
			return func() { listAll(b, opened(b, root, Options{Folders: Folders{Registry: ".registry"}, Static: true}), n) }
		}},
	} {
		b.Run(what.name, func(b *testing.B) {
			do := what.setup()
			var reading, listing time.Duration
			for b.Loop() {
				began := time.Now()
				readAll(b, root)
				read := time.Now()
				do()
				reading, listing = reading+read.Sub(began), listing+time.Since(read)
			}
			b.ReportMetric(float64(listing.Milliseconds())/float64(b.N), "ms/lists")
			b.ReportMetric(float64(reading.Milliseconds())/float64(b.N), "ms/reading")
			b.ReportMetric(float64(listing)/float64(reading), "times")
		})
	}
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

// BenchmarkKept reports what is kept of each tool once a project has been read.
func BenchmarkKept(b *testing.B) {
	const n = 10000
	root := manyTools(b, n)
	heap := func() uint64 {
		var m runtime.MemStats
		for range 2 { // pools are emptied by the second collection
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var kept uint64
	for b.Loop() {
		before := heap()
		p := opened(b, root, Options{})
		snapshot(b, p)
		kept += heap() - before
		runtime.KeepAlive(p)
	}
	b.ReportMetric(float64(kept)/float64(b.N)/n, "B/tool")
}
