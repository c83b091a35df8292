package project

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"
)

// A client is answered before its project is looked at, and may change something at once.
func TestWhatChangesBeforeTheFirstLookIsToldToWhoeverExpectsIt(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(root string) error
		told   Kinds
	}{
		{"nothing", func(string) error { return nil }, 0},
		{"a new file", func(root string) error {
			return os.WriteFile(filepath.Join(root, "prompts", "b.md"), []byte("b"), 0o644)
		}, Prompts},
		{"an edit", func(root string) error {
			return os.WriteFile(filepath.Join(root, "tools", "a", "tool.meta.json"), []byte(`{"title":"A"}`), 0o644)
		}, Tools | Resources},
		{"a removal", func(root string) error { return os.RemoveAll(filepath.Join(root, "tools", "a")) }, Tools | Resources},
		{"a registration", func(root string) error {
			return os.WriteFile(filepath.Join(root, "server.d", "register.json"), []byte(`{"version":1}`), 0o644)
		}, Tools | Resources | Templates | Prompts},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			root := folderOf(t, "-- tools/a/tool.sh --\n-- tools/a/tool.meta.json --\n{}\n-- prompts/a.md --\na\n-- server.d/server.meta.json --\n{}\n")
			answered := later(t, root)
			is.NoErr(c.change(root))
			told := make(chan Kinds, 10)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p := opened(t, root, Options{})
			run := p.Watch(func() int64 { return answered }, func(k Kinds) { told <- k }, func() {})
			go run(ctx)
			_, err := p.Tools(t.Context()) // waits for the first look
			is.NoErr(err)
			if c.told == 0 {
				is.Equal(len(told), 0)
				return
			}
			is.Equal(<-told&c.told, c.told)
		})
	}
}

// later is a time after all times of the files of the project.
func later(t *testing.T, root string) int64 {
	t.Helper()
	own := t.TempDir()
	for {
		now, touched := Now(own), false
		err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
			touched = touched || depOf(path).stamp.changed >= now
			return err
		})
		if err != nil || now == 0 {
			t.Fatal(now, err)
		}
		if !touched {
			return now
		}
	}
}
