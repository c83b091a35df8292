package wrap_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/matryer/is"
)

func TestADaemonOfTheServerEndsWithIt(t *testing.T) {
	is := is.New(t)
	fifo := filepath.Join(t.TempDir(), "alive")
	is.NoErr(syscall.Mkfifo(fifo, 0o600))
	_, _, err := serve(t, `exec 9<>'`+fifo+`'; (setsid sh -c 'trap "" TERM HUP; while :; do sleep 1; done' >/dev/null 2>&1 &)
		read -r line; echo '{"jsonrpc":"2.0","id":"a","result":{}}'; cat >/dev/null`, call)
	is.NoErr(err)
	_, err = os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	is.True(errors.Is(err, syscall.ENXIO)) // nobody has it open any more
}
