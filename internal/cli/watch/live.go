package watch

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/screen"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
)

// A Look is how a terminal shows the servers.
type Look struct {
	Colour bool
	Title  string // of the first line, behind the time
	Empty  string // shown if there is no server
}

// Live draws the wanted servers of those that find returns on a terminal, until ctx or the user ends it.
func Live(ctx context.Context, in, out *os.File, l Look, find func() []string,
	wanted func(status.Snapshot) bool) error {
	return screen.Live(ctx, in, out, func(ctx context.Context, columns int) []screen.Row {
		return l.frame(Once(ctx, find()).Keep(wanted), time.Now(), columns)
	})
}

// frame returns what is drawn of a view.
func (l Look) frame(v View, now time.Time, columns int) []screen.Row {
	all := []screen.Row{{Attribute: dim, Text: fmt.Sprintf("%s · q ends · %s", clock(now), console.Plain(l.Title))}, {}}
	all = append(all, wrapped(rows(v), columns)...)
	if len(v.Servers)+len(v.Silent) == 0 {
		all = append(all, wrapped([]screen.Row{{Attribute: plain, Text: console.Plain(l.Empty)}}, columns)...)
	}
	for i := range all {
		if !l.Colour {
			all[i].Attribute = plain
		}
	}
	return all
}
