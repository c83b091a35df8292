package providers

import (
	"strings"
	"testing"
)

func BenchmarkFile(b *testing.B) {
	for name, size := range map[string]int{"1KB": 1 << 10, "1MB": 1 << 20} {
		b.Run(name, func(b *testing.B) {
			root := b.TempDir()
			uri := fileURI(write(b, root, "a/b/c.txt", strings.Repeat("x", size)))
			f := File{Roots: []string{root}}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Read(b.Context(), uri); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkGit(b *testing.B) {
	repository := newBare(b)
	repository.offer(b, "allowFilter")
	g := repository.provider(b)
	for b.Loop() {
		if _, err := g.Read(b.Context(), "git+https://git.test/repo#logo.png"); err != nil {
			b.Fatal(err)
		}
	}
}
