package watch

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"slices"
	"sort"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
)

// A View is what can be seen of the servers at one moment.
type View struct {
	Servers []status.Snapshot // in the order in which they were started
	Silent  []Silent
}

// Silent is a server that runs and shows nothing.
type Silent struct {
	Folder string // its private one
	Why    string
}

// Once returns a view of the servers with these folders, which it queries concurrently.
func Once(folders []string) View {
	var mu sync.Mutex
	var wait sync.WaitGroup
	seen := map[string]state{}
	for _, folder := range folders {
		wait.Go(func() {
			var now state
			now.why = silence(status.Watch(folder, func(s status.Snapshot) bool {
				now.snapshot = &s
				return false
			}))
			mu.Lock()
			defer mu.Unlock()
			seen[folder] = now
		})
	}
	wait.Wait()
	return view(seen)
}

// A state is what is known of a server.
type state struct {
	snapshot *status.Snapshot // nil: unknown
	why      string           // why it shows nothing; empty: it has exited
}

// silence explains why a server shows nothing; empty for a server that has exited.
func silence(err error) string {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "the server does not answer"
	case errors.Is(err, status.ErrBusy):
		return err.Error()
	}
	return ""
}

func view(seen map[string]state) (v View) {
	for _, folder := range slices.Sorted(maps.Keys(seen)) {
		switch s := seen[folder]; {
		case s.snapshot != nil:
			v.Servers = append(v.Servers, *s.snapshot)
		case s.why != "":
			v.Silent = append(v.Silent, Silent{folder, s.why})
		}
	}
	sort.Slice(v.Servers, func(i, j int) bool {
		a, b := v.Servers[i], v.Servers[j]
		return cmp.Or(a.Since.Compare(b.Since), a.PID-b.PID) < 0
	})
	return v
}

// Keep returns a view of the wanted servers. Silent servers are kept, because it is not known
// which servers they are.
func (v View) Keep(wanted func(status.Snapshot) bool) View {
	var servers []status.Snapshot
	for _, s := range v.Servers {
		if wanted(s) {
			servers = append(servers, s)
		}
	}
	v.Servers = servers
	return v
}
