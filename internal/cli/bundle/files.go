package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A File is a file of a bundle.
type File struct {
	Path       string // in the bundle, with slashes
	From       string // the file on disk; "" for Data
	Data       []byte
	Executable bool
}

// parts returns the files and folders of a project that a server uses. Those that do not exist are
// left out of the bundle.
func parts() []string {
	return append(catalog.Usual().Read(), "lib", "config/roots.json", "VERSION", "package.json")
}

// A collector gathers files of a project.
type collector struct {
	root     string          // of the project, absolute, without symbolic links
	files    map[string]File // by path in the project
	size     int64           // bytes of all of them
	leftOut  []string        // files that were left out, by path in the project
	warnings []string
	errs     []error
}

func newCollector(root string) (*collector, error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	return &collector{root: real, files: make(map[string]File)}, nil
}

// take adds a file or folder of the project, if it exists, with everything in it.
func (c *collector) take(name string) {
	if _, err := os.Lstat(filepath.Join(c.root, filepath.FromSlash(name))); !errors.Is(err, fs.ErrNotExist) {
		c.walk(name, nil)
	}
}

// has reports whether a file or folder goes in.
func (c *collector) has(name string) bool {
	for taken := range c.files {
		if taken == name || strings.HasPrefix(taken, name+"/") {
			return true
		}
	}
	return false
}

// include adds a path from MCPB_INCLUDE, even a file that would otherwise be left out. A path that
// cannot be added is left out with a warning.
func (c *collector) include(written string) {
	warn := func(format string, args ...any) {
		c.warnings = append(c.warnings, "MCPB_INCLUDE "+fmt.Sprintf(format, args...))
	}
	name := path.Clean(filepath.ToSlash(written))
	first, _, _ := strings.Cut(name, "/")
	switch {
	case path.IsAbs(name) || strings.HasPrefix(written, "./") || name == "." || filepath.VolumeName(written) != "":
		warn("rejects absolute/relative path: %s; write the path from the project's folder, as in data", written)
	case slices.Contains(strings.Split(filepath.ToSlash(written), "/"), "..") ||
		!filepath.IsLocal(filepath.FromSlash(name)):
		warn("rejects path traversal: %s; only what is in the project goes in", written)
	case slices.ContainsFunc(parts(), func(part string) bool { return name == part || strings.HasPrefix(name, part+"/") }):
		warn("overlaps with default: %s goes in anyway", written)
		c.take(name) // even if it would be left out otherwise
	case first != ".registry" && useless(first):
		warn("leaves out %s, which is never part of a bundle", written)
	default:
		if _, err := os.Lstat(filepath.Join(c.root, filepath.FromSlash(name))); errors.Is(err, fs.ErrNotExist) {
			warn("directory not found: %s", written)
			return
		}
		c.walk(name, nil)
	}
}

// walk adds the file or folder at a path. above are the folders through which it was reached.
func (c *collector) walk(name string, above []string) {
	if above != nil && c.skip(name, path.Base(name)) { // the path was not given explicitly
		return
	}
	if err := portable(name); err != nil {
		c.errs = append(c.errs, err)
		return
	}
	full := filepath.Join(c.root, filepath.FromSlash(name))
	real, err := filepath.EvalSymlinks(full)
	if err != nil {
		c.errs = append(c.errs, fmt.Errorf("%s: %w", name, err))
		return
	}
	if real != c.root && !strings.HasPrefix(real, c.root+string(filepath.Separator)) {
		c.errs = append(c.errs,
			fmt.Errorf("%s is a link to %s, which is outside of the project; put a copy there", name, real))
		return
	}
	if above != nil && c.skip(name, filepath.Base(real)) {
		return
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		c.errs = append(c.errs, fmt.Errorf("%s: %w", name, err))
	case info.IsDir():
		if slices.Contains(above, real) || real == c.root {
			c.errs = append(c.errs, fmt.Errorf("%s is a link to a folder that it lies in", name))
			return
		}
		c.folder(name, real, append(slices.Clone(above), real))
	case !info.Mode().IsRegular():
		c.errs = append(c.errs, fmt.Errorf("%s is not a regular file", name))
	case info.Size() > unpackedBytes-c.size:
		c.errs = append(c.errs, fmt.Errorf("%s has %d bytes; a bundle has at most %d in all: move it out of the project, "+
			"or make it smaller", name, info.Size(), unpackedBytes))
	default:
		c.size += info.Size()
		c.files[name] = File{From: real, Executable: executable(info, real)}
	}
}

// skip reports whether a path is left out because of its name, or the name of its link's target.
func (c *collector) skip(name, base string) bool {
	if secret(base) {
		c.leftOut = append(c.leftOut, name)
		return true
	}
	return useless(base)
}

func (c *collector) folder(name, real string, above []string) {
	entries, err := os.ReadDir(real)
	if err != nil {
		c.errs = append(c.errs, fmt.Errorf("%s: %w", name, err))
		return
	}
	for _, e := range entries {
		c.walk(path.Join(name, e.Name()), above)
	}
}

// useless reports whether a file or folder with this name is not needed by a server.
func useless(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".registry", ".mcp-bash", ".DS_Store", "Thumbs.db", "__pycache__", "desktop.ini":
		return true
	}
	return strings.HasSuffix(name, "~") || strings.HasSuffix(name, ".swp") || strings.HasPrefix(name, ".#") ||
		strings.HasSuffix(name, ".adopted.json") // where its author has the original
}

// secret reports whether a file with this name usually holds a secret.
func secret(name string) bool {
	lower := strings.ToLower(name)
	switch path.Ext(lower) {
	case ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".p8", ".ovpn", ".env",
		".tfstate", ".tfvars", ".kdbx", ".ppk":
		return true
	}
	switch lower {
	case ".netrc", ".npmrc", ".pypirc", ".htpasswd", ".pgpass", ".ssh", ".aws", ".gnupg",
		".git-credentials", ".envrc", ".docker", ".dockercfg", ".kube", ".azure", ".gcloud", ".my.cnf", ".vault-token",
		".s3cfg", ".boto", "_netrc", ".netrc.gpg", ".authinfo", ".curlrc", ".wgetrc", "rclone.conf", ".databrickscfg",
		"application_default_credentials.json", "kubeconfig", ".terraformrc":
		return true
	case ".env.example", ".env.sample", ".env.template":
		return false
	}
	return strings.HasPrefix(lower, ".env.") || strings.HasSuffix(lower, ".tfstate.backup") || accountKey(lower) ||
		privateKey(lower) || keeps(lower)
}

// keeps reports whether a name says that a file of data, not of code, has a secret: auth.json, token.
func keeps(lower string) bool {
	ending := path.Ext(lower)
	name := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.TrimSuffix(lower, ending))
	data := []string{"", ".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".txt"}
	return slices.Contains(data, ending) && slices.Contains([]string{"auth", "oauth", "token", "tokens", "accesstoken",
		"refreshtoken", "authtoken", "secret", "secrets", "credential", "credentials", "password", "passwords", "passwd",
		"apikey", "apikeys"}, name)
}

// accountKey reports whether a name is typical for a downloaded service account key.
func accountKey(lower string) bool {
	return path.Ext(lower) == ".json" &&
		slices.ContainsFunc([]string{"client_secret", "service-account", "service_account", "gha-creds-"},
			func(begin string) bool { return strings.HasPrefix(lower, begin) })
}

// privateKey reports whether a name is one that ssh-keygen gives a private key. Names that end in
// .pub are public keys.
func privateKey(lower string) bool {
	for _, kind := range []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"} {
		if strings.HasPrefix(lower, kind) && slices.Contains([]string{"", ".bak", ".old", ".orig", ".save", ".txt"},
			path.Ext(lower)) {
			return true
		}
	}
	return false
}

// portable returns an error if a file cannot be unpacked with this name on every system.
func portable(name string) error {
	switch {
	case strings.Contains(name, `\`):
		return fmt.Errorf("%q has a \\ in its name, which parts folders on Windows; rename it", name)
	case slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return len(part) > 1 && part[1] == ':' }):
		return fmt.Errorf("%q begins as a drive of Windows does; rename it", name)
	case strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name):
		return fmt.Errorf("%q has control characters or broken UTF-8 in its name; rename it", name)
	}
	return nil
}

// executable reports whether a file is executable. Windows has no such mode; there a file is
// executable if it begins with #!.
func executable(info fs.FileInfo, at string) bool {
	if runtime.GOOS != "windows" {
		return info.Mode()&0o111 != 0
	}
	f, _, err := files.Open(at)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 2)
	n, _ := f.Read(begin)
	return bytes.Equal(begin[:n], []byte("#!"))
}
