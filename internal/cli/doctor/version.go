package doctor

import (
	"strings"

	"golang.org/x/mod/semver"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// framework compares the version of this program with the required version.
func (e *examination) framework() []Finding {
	e.report.Framework = Framework{Path: e.Program, Exists: files.Exists(e.Program), Version: e.Version}
	if e.MinVersion == "" {
		return nil
	}
	return e.atLeast(e.MinVersion, "--min-version")
}

// atLeast reports a finding if this program is older than a version.
func (e *examination) atLeast(wanted, by string) []Finding {
	if !IsVersion(wanted) {
		return failed("doctor.min_version_invalid", "%s: %q is not a version; write one as in 1.2.0", by, wanted)
	}
	if older(e.Version, wanted) {
		return failed("framework.version_too_old", "mcp-bash is version %s, %s requires %s or newer", e.Version, by, wanted)
	}
	return nil
}

// IsVersion reports whether text is a version that can be compared.
func IsVersion(text string) bool { return semver.IsValid(semantic(text)) }

// semantic returns a version, 1, 1.2 or 1.2.3-rc.1, with or without a v, in the form of semver.
func semantic(text string) string { return "v" + strings.TrimPrefix(text, "v") }

// older reports whether version a comes before b. Invalid versions come before all valid ones.
func older(a, b string) bool { return semver.Compare(semantic(a), semantic(b)) < 0 }
