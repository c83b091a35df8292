package bundle

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A Platform is an operating system, as manifests name it.
type Platform string

// The platforms that bundles support.
const (
	Darwin  Platform = "darwin"
	Linux   Platform = "linux"
	Windows Platform = "win32"
)

// Platforms returns all platforms, in the order in which manifests list them.
func Platforms() []Platform { return []Platform{Darwin, Linux, Windows} }

// PlatformOf returns the platform that Go calls goos; "" for any other system.
func PlatformOf(goos string) Platform {
	for _, p := range Platforms() {
		if p.goos() == goos {
			return p
		}
	}
	return ""
}

// ParsePlatform parses the name of a platform.
func ParsePlatform(name string) (Platform, error) {
	if p := Platform(name); slices.Contains(Platforms(), p) {
		return p, nil
	}
	return "", fmt.Errorf("%q is not a platform: write linux, darwin or win32", name)
}

func (p Platform) goos() string {
	if p == Windows {
		return "windows"
	}
	return string(p)
}

// program returns the path of the program for p in a bundle.
func (p Platform) program() string {
	path := home + "/.mcp-bash/" + string(p) + "/mcp-bash"
	if p == Windows {
		path += ".exe"
	}
	return path
}

// Build returns the command that builds this program for p, and the file that it writes.
func (p Platform) Build() (command, file string) {
	arch, file := "amd64", "mcp-bash-"+string(p)
	switch p {
	case Darwin:
		arch = "arm64"
	case Windows:
		file += ".exe"
	}
	return fmt.Sprintf("GOOS=%s GOARCH=%s CGO_ENABLED=0 go build -trimpath -o %s ./cmd/mcp-bash", p.goos(), arch,
		file), file
}

// HowToBuild describes how to get a build of this program for p.
func (p Platform) HowToBuild() string {
	command, file := p.Build()
	return fmt.Sprintf("%s, then --binary %s=%s", command, p, file)
}

// programBytes is the maximum size of a program.
const programBytes = 512 << 20

// check returns an error if the file at path cannot be the program for p. Every program built by
// Go contains a line with its system, as `go version -m` prints it.
func (p Platform) check(path string) error {
	program, err := files.Read(path, programBytes)
	if err != nil {
		return err
	}
	for _, q := range Platforms() {
		switch {
		case !bytes.Contains(program, []byte("\nbuild\tGOOS="+q.goos()+"\n")):
		case q == p:
			return nil
		default:
			return fmt.Errorf("%s is a program for %s, not for %s; make one with %s", path, q, p, p.HowToBuild())
		}
	}
	return fmt.Errorf("%s is not a build of this program; make one with %s", path, p.HowToBuild())
}

// names lists platforms as text.
func names(platforms []Platform) string {
	var all []string
	for _, p := range platforms {
		all = append(all, string(p))
	}
	return strings.Join(all, ", ")
}
