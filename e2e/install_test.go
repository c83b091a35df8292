package e2e

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// released is the module on a proxy of Go modules.
var released = module.Version{Path: "github.com/mcp-bash/mcp-bash/v2", Version: "v2.0.0"}

// The module is packed as a release would be and served from a folder, with the dependencies that are on this
// machine already. On a machine that has built nothing but the module, a few go.mod files are downloaded.
//
// Go resolves what it would install and import, and then builds both in a workspace with the files that it unpacked:
// under the module's own path they are in the cache, and under that of a version all would be compiled once more.
func TestAReleaseCanBeInstalledAndImported(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: packing and linking the command takes seconds, so installing a release is not tested")
	}
	t.Parallel()
	is := is.New(t)
	proxy := t.TempDir()
	is.NoErr(release(proxy))
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	is.NoErr(err)
	cache, usual, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	work := t.TempDir()
	modules := filepath.Join(work, "modules")
	is.NoErr(borrow(cache, modules))
	environ := append(os.Environ(),
		"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(cache)+"/cache/download,"+usual,
		"GOMODCACHE="+modules, "GOFLAGS=-modcacherw "+rig.Flags, "CGO_ENABLED=0",
		"GONOSUMDB=*", "GONOSUMCHECK=1", "GOSUMDB=off", "GOTOOLCHAIN=local")
	run := func(args ...string) string {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = work, environ
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}

	run("go", "install", "-n", released.Path+"/cmd/mcp-bash@"+released.Version) // refuses a go.mod that replaces
	program, err := os.ReadFile("../examples/embedded-server/main.go")
	is.NoErr(err)
	is.NoErr(os.WriteFile(filepath.Join(work, "main.go"), program, 0o600))
	run("go", "mod", "init", "example.com/importer")
	run("go", "get", released.Path+"@"+released.Version)
	run("go", "build", "-mod=mod", "-n", ".")

	unpacked := filepath.Join(work, "release")
	is.NoErr(os.Rename(filepath.Join(modules, filepath.FromSlash(released.Path+"@"+released.Version)), unpacked))
	run("go", "work", "init", ".", unpacked)
	run("go", "list", "-export", ".")                                                                     // which compiles it
	is.True(strings.HasPrefix(run("go", "run", released.Path+"/cmd/mcp-bash", "version"), "mcp-bash 2.")) // linked once, as in rig.Build
}

// borrow links the dependencies that are unpacked in a cache of modules into another one. Where there
// are no symbolic links, Go unpacks them again.
func borrow(from, to string) error {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		return err
	}
	gomod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return err
	}
	for _, dependency := range gomod.Require {
		name, err := module.EscapePath(dependency.Mod.Path)
		if err != nil {
			return err
		}
		for _, folder := range []string{name + "@" + dependency.Mod.Version, "cache/download/" + name + "/@v"} {
			if _, err := os.Stat(filepath.Join(from, folder)); err != nil {
				continue
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(to, folder)), 0o700); err != nil {
				return err
			}
			_ = os.Symlink(filepath.Join(from, folder), filepath.Join(to, folder))
		}
	}
	return nil
}

// release writes the module into a folder that serves as a proxy.
func release(proxy string) error {
	escaped, err := module.EscapePath(released.Path)
	if err != nil {
		return err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	gomod, err := os.ReadFile("../go.mod")
	if err != nil {
		return err
	}
	var files []zip.File
	err = repository(func(string, bool) bool { return false }, func(name string, info fs.FileInfo) error {
		files = append(files, file{filepath.ToSlash(name), info})
		return nil
	})
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := zip.Create(&packed, released, files); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"list":                     []byte(released.Version + "\n"),
		released.Version + ".info": []byte(`{"Version":"` + released.Version + `"}`),
		released.Version + ".mod":  gomod,
		released.Version + ".zip":  packed.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// A file of the repository, as zip.Create wants it.
type file struct {
	name string
	info fs.FileInfo
}

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (fs.FileInfo, error)  { return f.info, nil }
func (f file) Open() (io.ReadCloser, error) { return os.Open(filepath.Join("..", f.name)) }
