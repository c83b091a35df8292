//go:build unix

package hooks_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
)

func TestAHookRunsOnlyWhereNobodyElseCanWriteIt(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	is.NoErr(os.Chmod(root, 0o755))
	dir := filepath.Join(root, "server.d")
	path := filepath.Join(dir, "policy.sh")
	is.NoErr(os.Mkdir(dir, 0o755))
	allowed := hooks.Rules{Allowed: true}
	is.True(errors.Is(allowed.Check(root, path), fs.ErrNotExist)) // there is none
	is.NoErr(os.WriteFile(path, nil, 0o644))
	is.NoErr(allowed.Check(root, path))
	is.True(errors.Is(hooks.Rules{}.Check(root, path), hooks.ErrNotAllowed)) // not allowed by the operator
	for _, p := range []string{path, dir, root} {
		info, err := os.Stat(p)
		is.NoErr(err)
		is.NoErr(os.Chmod(p, 0o777))
		is.True(allowed.Check(root, path) != nil) // others could write it
		is.NoErr(os.Chmod(p, info.Mode().Perm()))
	}
	link := filepath.Join(dir, "register.sh")
	is.NoErr(os.Symlink(path, link))
	is.True(allowed.Check(root, link) != nil) // a link leads anywhere
	is.True(allowed.Check(root, dir) != nil)  // a folder is no hook
}

func TestNobodyElseMayWriteAnyFolderOnTheWayToAHook(t *testing.T) {
	is := is.New(t)
	top := t.TempDir()
	root := filepath.Join(top, "work", "project")
	is.NoErr(os.MkdirAll(filepath.Join(root, "server.d"), 0o755))
	path := filepath.Join(root, "server.d", "policy.sh")
	is.NoErr(os.WriteFile(path, nil, 0o644))
	allowed := hooks.Rules{Allowed: true}
	is.NoErr(allowed.Check(root, path))
	work := filepath.Join(top, "work")
	is.NoErr(os.Chmod(work, 0o777))
	err := allowed.Check(root, path)
	is.True(err != nil && strings.Contains(err.Error(), work+" can be written by others")) // they could put another project there
	is.NoErr(os.Chmod(work, 0o777|fs.ModeSticky))
	is.NoErr(allowed.Check(root, path)) // not so where each can only replace what is theirs
}

func TestAFolderOfHooksThatIsALinkIsCheckedWhereItLeads(t *testing.T) {
	is := is.New(t)
	top := t.TempDir()
	root, shared := filepath.Join(top, "project"), filepath.Join(top, "shared")
	is.NoErr(os.MkdirAll(filepath.Join(shared, "server.d"), 0o755))
	is.NoErr(os.Mkdir(root, 0o755))
	is.NoErr(os.WriteFile(filepath.Join(shared, "server.d", "policy.sh"), nil, 0o644))
	is.NoErr(os.Symlink("../shared/./server.d", filepath.Join(root, "server.d")))
	path := filepath.Join(root, "server.d", "policy.sh")
	allowed := hooks.Rules{Allowed: true}
	is.NoErr(allowed.Check(root, path)) // ours to link
	is.NoErr(os.Chmod(shared, 0o777))
	is.True(allowed.Check(root, path) != nil) // what it leads through counts
	is.NoErr(os.Chmod(shared, 0o755))
	is.NoErr(os.Symlink("loop", filepath.Join(top, "loop")))
	is.True(allowed.Check(filepath.Join(top, "loop"), path) != nil)
	if os.Geteuid() != 0 {
		t.Skip("only root can make links that belong to other users")
	}
	is.NoErr(os.Lchown(filepath.Join(root, "server.d"), 65534, 65534))
	err := allowed.Check(root, path)
	is.True(err != nil && strings.Contains(err.Error(), "is a symbolic link of another user"))
}

func TestAHookThatIsReplacedAfterItWasCheckedDoesNotRun(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed, so no hook can run")
	}
	is := is.New(t)
	root := t.TempDir()
	is.NoErr(os.Chmod(root, 0o755))
	path := filepath.Join(root, "policy.sh")
	is.NoErr(os.WriteFile(path, []byte("echo \"ran $0 ${BASH_SOURCE[0]} $2\""), 0o644))
	hook, err := hooks.Rules{Allowed: true}.Open(root, path)
	is.NoErr(err)
	defer hook.Close()
	run := func() string {
		cmd := exec.Command(bash, hook.Arguments(". \"$1\"", "more")...)
		cmd.ExtraFiles = hook.Files()
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	is.Equal(run(), "ran mcp-bash "+path+" more\n") // by its name
	is.NoErr(os.Rename(path, path+".old"))
	is.NoErr(os.WriteFile(path, []byte("echo other"), 0o644))
	is.Equal(run(), path+" was replaced while it was about to run\n")
	text, err := hook.Read(100)
	is.NoErr(err)
	is.True(strings.HasPrefix(string(text), "echo \"ran")) // what was checked is what is read
}
