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
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
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
		is.True(allowed.Check(root, path) != nil) // writable by others
		is.NoErr(os.Chmod(p, info.Mode().Perm()))
	}
	link := filepath.Join(dir, "register.sh")
	is.NoErr(os.Symlink(path, link))
	is.True(allowed.Check(root, link) != nil) // a link could lead anywhere
	is.True(allowed.Check(root, dir) != nil)  // a folder is not a hook
}

func TestAFolderThatIsALinkToNothingIsNotOneWithoutAHook(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	is.NoErr(os.Symlink(filepath.Join(root, "away"), filepath.Join(root, "server.d")))
	err := hooks.Rules{Allowed: true}.Check(root, filepath.Join(root, "server.d", "policy.sh"))
	is.True(err != nil && !errors.Is(err, fs.ErrNotExist))
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
	is.True(err != nil && strings.Contains(err.Error(), work+" can be written by others")) // others could replace the project
	is.NoErr(os.Chmod(work, 0o777|fs.ModeSticky))
	is.NoErr(allowed.Check(root, path)) // not in a sticky folder, where users can only replace their own files
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
	is.NoErr(allowed.Check(root, path)) // our own link
	is.NoErr(os.Chmod(shared, 0o777))
	is.True(allowed.Check(root, path) != nil) // the folders on its way are checked
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

// hostWith returns a host whose project has a hook policy.sh.
func hostWith(t *testing.T, text string) hooks.Host {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed, so no hook can run")
	}
	root := t.TempDir()
	for _, err := range []error{os.Chmod(root, 0o755), os.WriteFile(filepath.Join(root, "policy.sh"), []byte(text), 0o644)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return hooks.Host{Root: root, ServerDir: root, Rules: hooks.Rules{Allowed: true}, Bash: func() string { return bash }, Runner: &process.Runner{}, Env: func() []string { return []string{"PATH=" + os.Getenv("PATH")} }}
}

func TestAHookThatIsReplacedAfterItWasCheckedDoesNotRun(t *testing.T) {
	is := is.New(t)
	h := hostWith(t, `echo "ran $0 ${BASH_SOURCE[0]} $2 $MORE"`)
	hook, err := h.Open("policy.sh")
	is.NoErr(err)
	defer hook.Close()
	program := hooks.Program{Text: `. "$1"`, Args: []string{"more"}, Env: []string{"MORE=yes"}, Head: 1000}
	result := h.Run(t.Context(), hook, program)
	is.NoErr(result.Failure())
	path := h.Path("policy.sh")
	is.Equal(string(result.Stdout), "ran mcp-bash "+path+" more yes\n") // by its name
	is.NoErr(os.Rename(path, path+".old"))
	is.NoErr(os.WriteFile(path, []byte("echo other"), 0o644))
	result = h.Run(t.Context(), hook, program)
	is.Equal(len(result.Stdout), 0)
	is.Equal(result.Failure().Error(), "ended with exit code 1: "+path+" was replaced while it was about to run")
	text, err := hook.Read(100)
	is.NoErr(err)
	is.True(strings.HasPrefix(string(text), `echo "ran`)) // the checked file is read
}

func TestAFailureIncludesTheHooksStderr(t *testing.T) {
	is := is.New(t)
	result := runHook(t, "printf '\\033[1mno\\377\\nway' >&2; exit 3", hooks.Program{Text: `. "$1"`})
	is.Equal(result.Failure().Error(), "ended with exit code 3: [1mno\ufffd way") // on one line, without control characters
}

func TestAHookIsBoundedInTimeAndOutput(t *testing.T) {
	is := is.New(t)
	result := runHook(t, "echo 123456789", hooks.Program{Text: `. "$1"`, Head: 5})
	is.NoErr(result.Failure())
	is.Equal(string(result.Stdout), "12345")
	is.True(result.Truncated)
	result = runHook(t, "while :; do sleep 1; done", hooks.Program{Text: `. "$1"`, Limit: 50 * time.Millisecond})
	is.Equal(result.Failure().Error(), "did not end within 50ms")
}

func runHook(t *testing.T, text string, p hooks.Program) hooks.Result {
	t.Helper()
	h := hostWith(t, text)
	hook, err := h.Open("policy.sh")
	if err != nil {
		t.Fatal(err)
	}
	defer hook.Close()
	return h.Run(t.Context(), hook, p)
}
