package main

import (
	"os"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAProgramThatIsGoneSoonIsNotNamedToClients(t *testing.T) {
	is := is.New(t)
	path, err := os.Executable() // of this test, built to be run once
	is.NoErr(err)
	if !strings.Contains(path, "go-build") {
		t.Skip("this test binary was built with go test -c and stays, so it is not taken for a temporary build")
	}
	_, err = self()
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), "go install")) // what to do
}
