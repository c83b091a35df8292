package doctor

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// framework holds the version of this program against the one that is wanted.
func (e *examination) framework() []Finding {
	e.report.Framework = Framework{Path: e.Program, Exists: isFile(e.Program), Version: e.Version}
	if e.MinVersion == "" {
		return nil
	}
	return e.atLeast(e.MinVersion, "--min-version")
}

// atLeast finds fault with this program if it is older than a version.
func (e *examination) atLeast(wanted, by string) []Finding {
	least, ok := parseVersion(wanted)
	if !ok {
		return []Finding{{ID: "doctor.min_version_invalid", Severity: Error, Message: fmt.Sprintf("%s: %q is not a version; write one as in 1.2.0", by, wanted)}}
	}
	if ours, _ := parseVersion(e.Version); ours.less(least) {
		return []Finding{{ID: "framework.version_too_old", Severity: Error,
			Message: fmt.Sprintf("mcp-bash is version %s, %s wants %s or newer", e.Version, by, wanted)}}
	}
	return nil
}

// A version is three numbers, and whether it comes before them: 1.2.0-rc.1.
type version struct {
	numbers [3]int
	pre     bool
}

// IsVersion reports whether a program's version can be held against text.
func IsVersion(text string) bool {
	_, ok := parseVersion(text)
	return ok
}

// parseVersion reads 1, 1.2, 1.2.3, each with a v before it or a -pre-release after it.
func parseVersion(text string) (v version, ok bool) {
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "v"), "+")
	text, _, v.pre = strings.Cut(text, "-")
	parts := strings.Split(text, ".")
	if len(parts) > len(v.numbers) {
		return v, false
	}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 31)
		if err != nil {
			return v, false
		}
		v.numbers[i] = int(n)
	}
	return v, true
}

func (v version) less(w version) bool {
	for i := range v.numbers {
		if c := cmp.Compare(v.numbers[i], w.numbers[i]); c != 0 {
			return c < 0
		}
	}
	return v.pre && !w.pre
}
