package process

import (
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// beginnings remembers how the files that are started begin, and whether they may be executed: while a file is
// unchanged, a call need not read it. A nil one remembers nothing.
type beginnings struct {
	mu    sync.Mutex
	known map[string]beginning // by path
}

type beginning struct {
	stamp      files.Stamp
	head       []byte
	executable bool
}

// mostBeginnings is how many are remembered; then it begins anew.
const mostBeginnings = 1000

// of returns the first bytes of a file, and whether it may be executed.
func (b *beginnings) of(file string) (head []byte, executable bool, err error) {
	if b == nil {
		head, err = openHead(file)
		return head, mayExecute(file), err
	}
	now, err := files.StampOf(file)
	if err != nil {
		return nil, false, err
	}
	b.mu.Lock()
	known := b.known[file]
	b.mu.Unlock()
	if known.stamp.Same(now) {
		return known.head, known.executable, nil
	}
	found := beginning{stamp: now, executable: mayExecute(file)}
	if found.head, err = openHead(file); err != nil {
		return nil, false, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil || len(b.known) >= mostBeginnings {
		b.known = make(map[string]beginning)
	}
	b.known[file] = found
	return found.head, found.executable, nil
}
