package watch_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/watch"
)

func BenchmarkASweepOfAThousandFilesAtRest(b *testing.B) { benchmark(b, 1000) }

func BenchmarkASweepOfTenThousandFilesAtRest(b *testing.B) { benchmark(b, 10_000) }

// benchmark measures one poll of real files that do not change: a stat of each.
func benchmark(b *testing.B, files int) {
	dir := b.TempDir()
	swept := make(chan struct{})
	last := filepath.Join(dir, "z") // sorts behind the others
	asked := 0
	w := watch.New(watch.Options{
		Digest: func(_ context.Context, path string) (string, error) {
			text, err := os.ReadFile(path)
			return string(text), err
		},
		Changes: func(path string) watch.Changes {
			return watch.Changes{Stamp: func() string {
				info, err := os.Stat(path)
				if err != nil {
					return ""
				}
				if asked++; asked > files+1 && path == last {
					defer func() { swept <- struct{}{} }()
				}
				return info.ModTime().String()
			}}
		},
		Gone: os.IsNotExist,
		Log:  slog.New(slog.DiscardHandler),
	})
	for i := range files {
		watchFile(b, w, filepath.Join(dir, fmt.Sprint(i)))
	}
	watchFile(b, w, last)
	go w.Run(b.Context())
	for b.Loop() {
		w.Look()
		<-swept
	}
}

func watchFile(b *testing.B, w *watch.Watcher, path string) {
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		b.Fatal(err)
	}
	if _, err := w.Watch(b.Context(), path, func(bool) { b.Error("nothing has changed") }); err != nil {
		b.Fatal(err)
	}
}
