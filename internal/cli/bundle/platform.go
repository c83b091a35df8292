package bundle

import (
	"debug/buildinfo"
	"fmt"
	"slices"
	"strings"
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
	return fmt.Sprintf("GOOS=%s GOARCH=%s CGO_ENABLED=0 go build -trimpath -o %s ./cmd/mcp-bash", p.goos(), arch, file), file
}

// HowToBuild describes how to get a build of this program for p.
func (p Platform) HowToBuild() string {
	command, file := p.Build()
	return fmt.Sprintf("%s, then --binary %s=%s", command, p, file)
}

// check returns an error if the file at path cannot be the program for p.
func (p Platform) check(path string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s is not a build of this program: %w; make one with %s", path, err, p.HowToBuild())
	}
	for _, s := range info.Settings {
		if s.Key == "GOOS" && s.Value != p.goos() {
			return fmt.Errorf("%s is a program for %s, not for %s; make one with %s", path, s.Value, p, p.HowToBuild())
		}
	}
	return nil
}

// names lists platforms as text.
func names(platforms []Platform) string {
	var all []string
	for _, p := range platforms {
		all = append(all, string(p))
	}
	return strings.Join(all, ", ")
}
