package catalog

import (
	"strings"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/sys/unix"
)

// withoutFiles calls f while the process can open no further file.
func withoutFiles(t *testing.T, f func()) {
	t.Helper()
	is := is.New(t)
	var before unix.Rlimit
	is.NoErr(unix.Getrlimit(unix.RLIMIT_NOFILE, &before))
	is.NoErr(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: before.Max}))
	defer func() { is.NoErr(unix.Setrlimit(unix.RLIMIT_NOFILE, &before)) }()
	f()
}

func TestAListKeepsWhatItHadWhileNoFileCanBeOpened(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n#!/bin/sh\n")
	p := opened(t, root, Options{})
	is.Equal(names(snapshot(t, p)), "a")
	put(t, root, "tools/b.sh", "#!/bin/sh\n")
	withoutFiles(t, func() { is.Equal(names(snapshot(t, p)), "a") })
	is.Equal(names(snapshot(t, p)), "a b") // and it looks again

	fresh := opened(t, root, Options{})
	withoutFiles(t, func() { is.True(strings.Contains(faults(snapshot(t, fresh)), "too many open files (limit 3)")) })
	is.Equal(names(snapshot(t, fresh)), "a b")
}
