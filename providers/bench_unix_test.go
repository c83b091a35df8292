//go:build unix

package providers

import (
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/uritemplate"
)

func BenchmarkScript(b *testing.B) {
	s := scriptOf(b, "printf hello")
	for b.Loop() {
		if _, err := s.Read(b.Context(), "db://x"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	template := templateOf(b, "db://{a}{b}{c}{/d*}{?e,f*}", "")
	longest := "db://" + strings.Repeat("a", uritemplate.MaxBytes-5)
	for b.Loop() {
		template.Matches(longest)
	}
}
