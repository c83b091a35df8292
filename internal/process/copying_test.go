//go:build unix

package process

import (
	"fmt"
	"os"
	"testing"

	"github.com/matryer/is"
)

// A pipe that is not read to its end reports nothing new while it is full.
func TestALongOutputIsReadWhateverRoomThereIs(t *testing.T) {
	is := is.New(t)
	for _, size := range []int{1<<16 + 1, 1<<17 + 17, 1 << 20, 3<<20 - 5} {
		out := Head{Limit: 10 << 20}
		res, err := runner.Run(t.Context(), Command{Path: "/bin/sh", Args: []string{"-c", fmt.Sprintf("printf x; sleep 0; head -c %d /dev/zero", size)}, Env: []string{"PATH=" + os.Getenv("PATH")}, Stdout: &out})
		is.NoErr(err)
		is.Equal(res.ExitCode, 0)
		is.Equal(out.Total(), int64(size+1))
	}
}
