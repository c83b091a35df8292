package leave

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/matryer/is"
)

// TestMain leaves a pipe and ends, as the program that the test starts.
func TestMain(m *testing.M) {
	if os.Getenv("LEAVE") != "" {
		Open(os.Stdout)
		os.Stdout.Close()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestWhatAProcessHasLeftIsClosedAfterItsEnd(t *testing.T) {
	is := is.New(t)
	r, w, err := os.Pipe()
	is.NoErr(err)
	defer r.Close()
	self, err := os.Executable()
	is.NoErr(err)
	process := exec.Command(self)
	process.Env, process.Stdout = append(os.Environ(), "LEAVE=1"), w
	is.NoErr(process.Run())
	is.NoErr(w.Close())
	_, err = io.ReadAll(r) // comes to an end
	is.NoErr(err)
}

func TestWhatIsLeftStaysOpenUntilTheEnd(t *testing.T) {
	is := is.New(t)
	r, w, err := os.Pipe()
	is.NoErr(err)
	defer r.Close()
	Open(w)
	_, err = io.WriteString(w, "it is still ours")
	is.NoErr(err)
	is.NoErr(w.Close())
	got := make([]byte, 100)
	n, err := r.Read(got)
	is.NoErr(err)
	is.Equal(string(got[:n]), "it is still ours")
}
