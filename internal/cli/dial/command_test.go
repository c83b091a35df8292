//go:build unix

package dial_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
)

func TestAProgramHasEndedAlthoughWhatItStartedHoldsItsOutput(t *testing.T) {
	is := is.New(t)
	p, err := dial.Start(exec.Command("sh", "-c", "sleep 600 & echo $!; cat >/dev/null"))
	is.NoErr(err)
	line, err := bufio.NewReader(p).ReadString('\n')
	is.NoErr(err)
	left, err := strconv.Atoi(strings.TrimSpace(line))
	is.NoErr(err)
	sleep, err := os.FindProcess(left)
	is.NoErr(err)
	defer sleep.Kill()
	is.NoErr(p.Close())
	_, err = io.ReadAll(p)
	is.True(err != nil) // nobody reads it any more
}

func TestWhatAProgramWritesAtItsEndDoesNotKeepItFromEnding(t *testing.T) {
	is := is.New(t)
	var stderr strings.Builder
	cmd := exec.Command("sh", "-c", "cat >/dev/null; head -c 1000000 /dev/zero; echo >&2 ended")
	cmd.Stderr = &stderr
	p, err := dial.Start(cmd)
	is.NoErr(err)
	is.NoErr(p.Close())
	is.Equal(stderr.String(), "ended\n") // it was not killed
}
