package server

import (
	"os"
	"os/user"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestTheProgramRunsOnWhenItsPagesHaveLeftItsMemory(t *testing.T) {
	is := is.New(t)
	before := residentOfFiles(t)
	for range 3 {
		unmapProgram()
		runtime.GC()
		_, err := user.Current() // by C where there is C
		is.NoErr(err)
		runtime.Callers(0, make([]uintptr, 10)) // calls C too, in a binary with C
	}
	unmapProgram()
	is.True(residentOfFiles(t) < before) // in KiB
}

// residentOfFiles is how many KiB of this process are parts of files.
func residentOfFiles(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("nothing tells how much memory a process has: ", err)
	}
	_, after, _ := strings.Cut(string(status), "RssFile:")
	n, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
