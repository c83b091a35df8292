package jq

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// records returns a JSON text of about size bytes: a list of records as tools return them.
func records(size int) string {
	var b strings.Builder
	b.WriteString("[")
	for i := 0; b.Len() < size-2; i++ {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"name":"item %d","id":%d,"tags":["x","y"],"size":{"w":%d,"h":2.5},"ok":%t}`, i, i, i%7, i%3 == 0)
	}
	b.WriteString("]")
	return b.String()
}

func Benchmark(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 20} {
		text := records(size)
		for _, args := range [][]string{
			{"."},
			{"-c", "."},
			{"-r", ".[].name"},
			{"-c", "map(select(.ok) | {id, name})"},
			{"-c", "map(.size.w += 1)"},
			{"-c", "map(.name |= gsub(\"item \"; \"i\"))"},
			{"-c", "--stream", "."},
		} {
			b.Run(fmt.Sprintf("%dKB/%s", size>>10, strings.Join(args, " ")), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if code := Main(args, strings.NewReader(text), io.Discard, io.Discard, nil); code != 0 {
						b.Fatal(code)
					}
				}
			})
		}
	}
}
