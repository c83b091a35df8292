package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"
)

func TestTheSDKIsPutBackWhenItWasCleanedUp(t *testing.T) {
	is := is.New(t)
	dir := filepath.Join(t.TempDir(), "sdk")
	install := installSDK(dir)
	for range 2 {
		found, err := install()
		is.NoErr(err)
		_, err = os.Stat(filepath.Join(found, "tool-sdk.sh"))
		is.NoErr(err) // there for tools to source
		is.NoErr(os.RemoveAll(dir))
	}
}
