//go:build unix

package operator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestALargeEnvShIsNotRead(t *testing.T) {
	is := is.New(t)
	f := of(t, "A=1\n")
	is.NoErr(os.Truncate(filepath.Join(f.ServerDir, "env.sh"), 8<<30))
	all, warnings := set(t, f)
	is.Equal(len(all), 0)
	is.Equal(len(warnings), 1)
	is.True(strings.Contains(warnings[0], "has more than ")) // and the limit
}
