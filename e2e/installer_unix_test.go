//go:build unix

package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// archive returns the program packed as in releases: a script that starts the binary, as packing, checking and
// unpacking 20 MB takes seconds.
func archive() ([]byte, error) {
	program := "#!/bin/sh\nexec '" + binary + "' \"$@\"\n"
	var archive bytes.Buffer
	zip, err := gzip.NewWriterLevel(&archive, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(zip)
	err = w.WriteHeader(&tar.Header{Name: "mcp-bash", Mode: 0o755, Size: int64(len(program))})
	if err == nil {
		_, err = w.Write([]byte(program))
	}
	err = errors.Join(err, w.Close(), zip.Close())
	return archive.Bytes(), err
}

// releases serves the binary as the release 9.8.7, with checksums that changed may change.
func releases(t *testing.T, changed func(checksums string) string) string {
	t.Helper()
	archive, err := archive()
	if err != nil {
		t.Fatal("cannot make the archive: ", err)
	}
	name := fmt.Sprintf("mcp-bash_9.8.7_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	checksums := fmt.Sprintf("%064d  mcp-bash_9.8.7_plan9_amd64.tar.gz\n%x  %s\n", 0, sha256.Sum256(archive), name)
	mux := http.NewServeMux()
	for _, folder := range []string{"/latest/download/", "/download/v9.8.7/"} {
		mux.HandleFunc("GET "+folder+"checksums.txt", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, changed(checksums))
		})
		mux.HandleFunc("GET "+folder+name, func(w http.ResponseWriter, _ *http.Request) { w.Write(archive) })
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// installs runs the installer, and returns its output and the folder to install into.
func installs(t *testing.T, url string, args ...string) (folder, printed string, err error) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		if _, err := exec.LookPath("wget"); err != nil {
			t.Skip("the installer needs curl or wget to download, and this machine has neither")
		}
	}
	folder = filepath.Join(t.TempDir(), "with a space", "bin")
	cmd := exec.Command("sh", append([]string{"../install.sh"}, args...)...)
	cmd.Env = append(os.Environ(), "MCPBASH_DOWNLOADS="+url, "MCPBASH_INSTALL_DIR="+folder)
	out, err := cmd.CombinedOutput()
	return folder, string(out), err
}

func unchanged(checksums string) string { return checksums }

func TestTheInstallerInstallsARelease(t *testing.T) {
	t.Parallel()
	url := releases(t, unchanged)
	for _, args := range [][]string{nil, {"9.8.7"}, {"v9.8.7"}} {
		is := is.New(t)
		folder, printed, err := installs(t, url, args...)
		is.NoErr(err)
		is.True(strings.HasPrefix(printed, "installed mcp-bash "))
		is.True(strings.Contains(printed, `export PATH="`+folder+`:$PATH"`)) // which is not on it
		out, err := exec.Command(filepath.Join(folder, "mcp-bash"), "version").Output()
		is.NoErr(err)
		is.True(strings.HasPrefix(string(out), "mcp-bash "))
		entries, err := os.ReadDir(folder)
		is.NoErr(err)
		is.Equal(len(entries), 1) // nothing else
	}
}

func TestTheInstallerRefusesWhatItCannotVerify(t *testing.T) {
	for name, c := range map[string]struct {
		changed func(string) string
		version string
		want    string
	}{
		"another checksum": {func(s string) string {
			return strings.ReplaceAll(s, s[strings.Index(s, "\n")+1:][:64], strings.Repeat("1", 64))
		}, "", "instead of 1111"},
		"no such system":    {func(s string) string { return s[:strings.Index(s, "\n")+1] }, "", "has no archive for " + runtime.GOOS + "/" + runtime.GOARCH},
		"no such version":   {unchanged, "1.0.0", "/download/v1.0.0/checksums.txt"},
		"an empty list":     {func(string) string { return "" }, "", "has no archive for"},
		"a list of nothing": {func(s string) string { return strings.ReplaceAll(s, "  ", "") }, "", "has no archive for"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			args := []string{}
			if c.version != "" {
				args = append(args, c.version)
			}
			folder, printed, err := installs(t, releases(t, c.changed), args...)
			is.True(err != nil)
			is.True(strings.Contains(printed, c.want)) // says what is wrong
			_, err = os.Stat(folder)
			is.True(os.IsNotExist(err)) // nothing was installed
		})
	}
}

// Clients that start servers by npx install the program from the packages.
func TestThePackagesOfNPMStartTheProgram(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("the packages are made and installed by npm, which is not on this machine")
	}
	is := is.New(t)
	archive, err := archive()
	is.NoErr(err)
	dir := t.TempDir()
	name := fmt.Sprintf("mcp-bash_9.8.7_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	is.NoErr(os.WriteFile(filepath.Join(dir, name), archive, 0o600))
	run := func(program string, args ...string) string {
		cmd := exec.CommandContext(patient(t), program, args...)
		cmd.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(dir, "cache"))
		cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}` + "\n")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s%s", cmd, err, out, &stderr)
		}
		return string(out)
	}
	packed := strings.Fields(run("../.ci/npm/pack.sh", "9.8.7", dir, filepath.Join(dir, "packed")))
	is.Equal(len(packed), 2) // of this platform, and the one that people name
	install := []string{"install", "--offline", "--silent", "--prefix", dir}
	for _, name := range packed {
		install = append(install, filepath.Join(dir, "packed", name))
	}
	run("npm", install...)
	program := filepath.Join(dir, "node_modules", ".bin", "mcp-bash")
	is.True(strings.HasPrefix(run(program, "version"), "mcp-bash "))
	is.True(strings.Contains(run(program, "serve", "-C", newProject(t, nil)), `"serverInfo":`))
}
