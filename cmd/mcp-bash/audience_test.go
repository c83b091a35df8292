package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/console"
)

func TestWhatIsPrintedBesideABarHasALineOfItsOwn(t *testing.T) {
	is := is.New(t)
	var out bytes.Buffer
	a := &audience{out: console.New(&out, false).Live(func() int { return 80 })}
	a.progress(json.RawMessage(`{"progress":50,"total":100,"message":"half"}`))
	is.True(strings.Contains(out.String(), "50%")) // drawn at once
	a.message(json.RawMessage(`{"level":"info","data":"on the way"}`))
	is.True(strings.Contains(out.String(), " \ron the way\n")) // where the bar was
	a.progress(json.RawMessage(`{"progress":100,"total":100}`))
	a.leave()
	is.True(strings.HasSuffix(out.String(), "\r")) // nothing stands before what comes next
	drawn := out.Len()
	a.progress(json.RawMessage(`{"progress":10,"total":100}`))
	is.Equal(out.Len(), drawn) // too late
}
