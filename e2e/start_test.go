package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// Before main, each package initializes its variables. The binary is started once for a
// server and again for helpers of scripts, so values that are not always needed, such as
// compiled regular expressions, are created on first use. The test counts bytes, as times
// vary.
func TestLittleIsDoneBeforeMain(t *testing.T) {
	is := is.New(t)
	large := map[string]int{ // of libraries, which cannot be changed
		"github.com/itchyny/gojq":           256 << 10,
		"github.com/qri-io/jsonschema":      128 << 10,
		"github.com/dlclark/regexp2/syntax": 48 << 10,
	}
	cmd := exec.Command(binary, "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	is.NoErr(cmd.Run())
	lines := regexp.MustCompile(`(?m)^init (\S+) .* clock, (\d+) bytes, \d+ allocs$`).FindAllStringSubmatch(stderr.String(), -1)
	is.True(len(lines) > 50) // it was traced
	total := 0
	for _, line := range lines {
		name := line[1]
		bytes, err := strconv.Atoi(line[2])
		is.NoErr(err)
		total += bytes
		limit := 32 << 10
		if strings.HasPrefix(name, "github.com/mcp-bash/") || name == "main" {
			limit = 8 << 10
		}
		if most, known := large[name]; known {
			limit = most
		}
		if bytes > limit {
			t.Errorf("%s takes %d bytes before main, more than %d: let it wait until it is used, as with internal/lazyregexp or sync.OnceValue", name, bytes, limit)
		}
	}
	t.Logf("%d bytes", total)
	is.True(total < 700<<10)
}
