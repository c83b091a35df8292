package rules_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/rules"
)

// BenchmarkCurrent is what a message costs that no interceptor is for: the question whether the files have changed.
func BenchmarkCurrent(b *testing.B) {
	for _, n := range []int{0, 1, 10} {
		b.Run(fmt.Sprint(n, " interceptors"), func(b *testing.B) {
			root := b.TempDir()
			for i := range n {
				put(b, root, fmt.Sprintf("interceptors/r%d/r%d.meta.json", i, i), valid)
			}
			project, err := catalog.Open(root, catalog.Options{})
			if err != nil {
				b.Fatal(err)
			}
			r := rules.New(project, rules.Options{Log: slog.New(slog.DiscardHandler)})
			for b.Loop() {
				if _, err := r.Current(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
