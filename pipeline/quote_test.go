package pipeline

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

func TestATextInPiecesIsQuotedAsTheWholeIs(t *testing.T) {
	is := is.New(t)
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "plain text of some length", "\n", "\"", "\\", "\x00", "\x1f", "\x7f", "ä", "€", "🙂", "\u2028", "\ufffd", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x99", "\x80", "<&>"}
	for range 5000 {
		var whole []byte
		var pieces [][]byte
		for range random.IntN(12) {
			whole = append(whole, alphabet[random.IntN(len(alphabet))]...)
		}
		for rest := whole; len(rest) > 0; {
			n := random.IntN(len(rest) + 1)
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		want, _ := json.AppendQuote(nil, whole)
		got := appendQuoted([]byte("before"), pieces)
		is.Equal(string(got), "before"+string(want))
		is.Equal(quoted(pieces), len(want))
	}
}

func FuzzQuote(f *testing.F) {
	f.Add([]byte("text"), 2)
	f.Add([]byte("a\xc3\xe2\x82\xac\n"), 2)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		cut = max(0, min(cut, len(text)))
		want, _ := json.AppendQuote(nil, text)
		if got := appendQuoted(nil, [][]byte{text[:cut], text[cut:]}); !bytes.Equal(got, want) {
			t.Fatalf("%q is quoted as %s, not %s", text, got, want)
		}
	})
}

func BenchmarkQuote1MiB(b *testing.B) {
	text := [][]byte{bytes.Repeat([]byte("0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz\n"), 1<<20/73)}
	out := make([]byte, 0, 2<<20)
	b.SetBytes(1 << 20)
	for b.Loop() {
		out = appendQuoted(out[:0], text)
	}
}
