//go:build unix

package main

import (
	"context"
	"net/http"
	"os"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/ptytest"
)

func TestTopIsDrawnAnewOnATerminal(t *testing.T) {
	is := is.New(t)
	c := newCluster(t)
	c.worker("anvil", 3)
	url := c.replica("east").url
	self, err := os.Executable()
	is.NoErr(err)
	x := ptytest.Start(t, ptytest.Options{Columns: 120, Lines: 30, Env: append(os.Environ(), "MCP_HTTP_PROGRAM=1")}, self, "top", "--cluster", c.url,
		"--cluster-name", c.name)
	s := x.See("anvil")
	is.True(s.Alternate && s.Hidden)
	is.True(!s.Contains("hold"))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- post(ctx, http.DefaultClient, url, "hold", `{}`) }()
	x.See("hold")
	cancel()
	is.True(<-done != nil)
	x.Until("the call has ended", func(s ptytest.Screen) bool { return s.Contains("anvil") && !s.Contains("hold") })
	x.Type(ptytest.CtrlC)
	is.Equal(x.Wait(), 0)
	is.Equal(x.Screen().String(), "") // as it was before
}
