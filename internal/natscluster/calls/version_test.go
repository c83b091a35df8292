package calls_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func TestTheVersionOfAToolIsThatOfItsMetadataAndFiles(t *testing.T) {
	is := is.New(t)
	var here, there calls.Versions
	make := func() (string, *server.Server) {
		root := t.TempDir()
		write(t, root, "tools/own/tool.sh", "#!/bin/sh\n. \"${0%/*}/lib.sh\"\n")
		write(t, root, "tools/own/tool.meta.json", `{"name":"own","description":"d"}`)
		write(t, root, "tools/own/lib.sh", "echo 1\n")
		write(t, root, "tools/one.sh", "#!/bin/sh\n# mcp: {\"name\":\"one\",\"description\":\"d\"}\necho 1\n")
		write(t, root, "tools/two.sh", "#!/bin/sh\n# mcp: {\"name\":\"two\",\"description\":\"d\"}\necho 1\n")
		s, err := server.Open(t.Context(), server.Options{ProjectRoot: root, Log: quiet})
		is.NoErr(err)
		t.Cleanup(func() { s.Close() })
		return root, s
	}
	root, one := make()
	_, other := make()
	same := func(tool string) bool {
		t.Helper()
		mine, err := one.Tool(t.Context(), tool)
		is.NoErr(err)
		theirs, err := other.Tool(t.Context(), tool)
		is.NoErr(err)
		a, err := here.Of(mine)
		is.NoErr(err)
		b, err := there.Of(theirs)
		is.NoErr(err)
		return a == b
	}
	is.True(same("own") && same("one") && same("two")) // independent of the project's path

	write(t, root, "tools/one.sh", "#!/bin/sh\n# mcp: {\"name\":\"one\",\"description\":\"d\"}\necho 2\n")
	is.True(!same("one"))
	is.True(same("own") && same("two"))

	write(t, root, "tools/own/.cache/x", "what a tool keeps for itself")
	is.True(same("own"))
	write(t, root, "tools/own/lib.sh", "echo 2\n")
	is.True(!same("own"))
	write(t, root, "tools/own/lib.sh", "echo 1\n")
	is.True(same("own"))
	write(t, root, "tools/own/tool.meta.json", `{"name":"own","description":"another"}`)
	is.True(!same("own"))
	is.True(same("two"))
}

func TestAToolWhoseFolderIsGoneHasNoVersion(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	write(t, root, "tools/own/tool.sh", "#!/bin/sh\n")
	write(t, root, "tools/own/tool.meta.json", `{"name":"own","description":"d"}`)
	s, err := server.Open(t.Context(), server.Options{ProjectRoot: root, Log: quiet})
	is.NoErr(err)
	defer s.Close()
	tool, err := s.Tool(t.Context(), "own")
	is.NoErr(err)
	is.NoErr(os.RemoveAll(filepath.Join(root, "tools/own")))
	_, err = new(calls.Versions).Of(tool)
	is.True(errors.Is(err, fs.ErrNotExist))
}
