package bundle

import (
	"runtime"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// Programs returns the platforms that a bundle is for, and the builds of the program for them that exist.
// platform is one of them, all, or empty for that of this machine and of all builds. builds are further
// builds of the program, each as PLATFORM=PATH; self is that for this machine.
func Programs(platform string, builds []string, self string) ([]Platform, map[Platform]string, error) {
	given := make(map[Platform]string)
	for _, b := range builds {
		name, path, ok := strings.Cut(b, "=")
		if !ok || path == "" {
			return nil, nil, console.Usagef("--binary %q: write PLATFORM=PATH, as in darwin=mcp-bash-darwin", b)
		}
		p, err := ParsePlatform(name)
		if err != nil {
			return nil, nil, console.Usagef("--binary: %w", err)
		}
		given[p] = path
	}
	here := PlatformOf(runtime.GOOS)
	if given[here] == "" && here != "" {
		given[here] = self
	}
	wanted := Platforms()
	switch platform {
	case "all":
	case "":
		wanted = []Platform{here}
		for _, p := range Platforms() {
			if given[p] != "" && p != here {
				wanted = append(wanted, p)
			}
		}
	default:
		p, err := ParsePlatform(platform)
		if err != nil {
			return nil, nil, console.Usagef("--platform: %w, or all", err)
		}
		wanted = []Platform{p}
	}
	programs := make(map[Platform]string)
	for _, p := range wanted {
		if given[p] != "" {
			programs[p] = given[p]
		}
	}
	return wanted, programs, nil
}
