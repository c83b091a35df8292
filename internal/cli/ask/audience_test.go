package ask

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/ptytest"
)

func TestWhatIsPrintedBesideABarHasALineOfItsOwn(t *testing.T) {
	is := is.New(t)
	var out bytes.Buffer
	a := &Audience{Out: console.New(&out, false).Live(func() int { return 80 })}
	a.progress(json.RawMessage(`{"progress":50,"total":100,"message":"half"}`))
	seen := func() string {
		screens := ptytest.Show(80, 5, out.String())
		return screens[len(screens)-1].String()
	}
	is.True(strings.Contains(seen(), "50%")) // drawn at once
	a.message(json.RawMessage(`{"level":"info","data":"on the way"}`))
	is.True(strings.HasPrefix(seen(), "on the way\nhalf  ")) // where the bar was, which is below it
	a.progress(json.RawMessage(`{"progress":100,"total":100}`))
	a.Leave()
	is.Equal(seen(), "on the way")
	drawn := out.Len()
	a.progress(json.RawMessage(`{"progress":10,"total":100}`))
	is.Equal(out.Len(), drawn) // too late
	a.message(json.RawMessage(`{"level":"info","data":"at the end"}`))
	is.Equal(seen(), "on the way\nat the end")
}
