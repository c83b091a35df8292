package watch

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
)

// A View is what can be seen of the servers at one moment.
type View struct {
	Servers []status.Snapshot // in the order in which they were started
	Silent  []string          // private folders of servers that do not answer
}

// Once returns a view of the servers with these folders, which it asks concurrently.
func Once(ctx context.Context, folders []string) (v View) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	for _, folder := range folders {
		wait.Go(func() {
			s, err := status.Read(ctx, folder)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				v.Servers = append(v.Servers, s)
			case errors.Is(err, os.ErrDeadlineExceeded): // others have exited
				v.Silent = append(v.Silent, folder)
			}
		})
	}
	wait.Wait()
	slices.Sort(v.Silent)
	slices.SortFunc(v.Servers, func(a, b status.Snapshot) int { return cmp.Or(a.Since.Compare(b.Since), a.PID-b.PID) })
	return v
}

// Keep returns a view of the wanted servers. Silent servers are kept, because it is not known
// which servers they are.
func (v View) Keep(wanted func(status.Snapshot) bool) View {
	v.Servers = slices.DeleteFunc(v.Servers, func(s status.Snapshot) bool { return !wanted(s) })
	return v
}
