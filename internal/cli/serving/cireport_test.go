package serving

import (
	"bytes"
	"log/slog"
	"os"
	"testing"

	"github.com/matryer/is"
)

func TestAnAnnotationIsOneCommandWhateverTheToolIsCalled(t *testing.T) {
	is := is.New(t)
	var console bytes.Buffer
	r := CIReport{dir: t.TempDir(), console: &console, log: slog.New(slog.DiscardHandler)}
	is.NoErr(r.write(ciFailure{Tool: "a::b,file=x\n%", Message: "it failed: 50%,\n::warning::so"}))
	is.Equal(console.String(), "::error title=a%3A%3Ab%2Cfile=x%0A%25::it failed: 50%25,%0A::warning::so\n")
	_, err := os.Stat(r.dir + "/failure-summary.jsonl")
	is.NoErr(err)
}
