package serving

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/matryer/is"
	"golang.org/x/sys/unix"
)

const mappedBytes = 64 << 10

func TestWhatWasOnlyReadOfAFileIsReleased(t *testing.T) {
	is := is.New(t)
	file := mapped(t, unix.PROT_READ)
	is.Equal(bytes.Count(file, []byte("x")), mappedBytes) // all of it was read
	is.True(residentBytes(t, file) > 0)
	releaseProgram()
	is.Equal(residentBytes(t, file), 0)
	is.Equal(bytes.Count(file, []byte("x")), mappedBytes) // and comes back
}

func TestWhatWasChangedInMemoryIsNotReleased(t *testing.T) {
	is := is.New(t)
	file := mapped(t, unix.PROT_READ|unix.PROT_WRITE)
	file[5000] = 'y' // as when a library is linked,
	releaseProgram()
	is.Equal(file[5000], byte('y'))
	is.NoErr(unix.Mprotect(file, unix.PROT_READ)) // and then protected
	releaseProgram()
	is.Equal(file[5000], byte('y'))
}

func TestOnlyMappingsOfFilesWithoutChangesAreReleased(t *testing.T) {
	for _, c := range []struct {
		name, first, anonymous, swap string
		want                         int
	}{
		{"read only", "400000-500000 r-xp 00000000 fe:00 42 /bin/mcp-bash", "0", "0", 1},
		{"changed", "400000-500000 r--p 00000000 fe:00 42 /bin/mcp-bash", "4", "0", 0},
		{"changed, then swapped out", "400000-500000 r--p 00000000 fe:00 42 /bin/mcp-bash", "0", "4", 0},
		{"writable", "400000-500000 rw-p 00000000 fe:00 42 /bin/mcp-bash", "0", "0", 0},
		{"not a file", "400000-500000 r--p 00000000 00:00 0", "0", "0", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			smaps := c.first + "\nRss:  8 kB\nAnonymous:  " + c.anonymous + " kB\nSwap:  " + c.swap + " kB\nVmFlags: rd mr \n"
			is.Equal(len(unchanged(smaps)), c.want)
		})
	}
}

// mapped returns a file of x in memory.
func mapped(t *testing.T, protection int) []byte {
	t.Helper()
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "file")
	is.NoErr(os.WriteFile(path, bytes.Repeat([]byte("x"), mappedBytes), 0o600))
	f, err := os.Open(path)
	is.NoErr(err)
	defer f.Close()
	data, err := unix.Mmap(int(f.Fd()), 0, mappedBytes, protection, unix.MAP_PRIVATE)
	is.NoErr(err)
	t.Cleanup(func() { unix.Munmap(data) })
	return data
}

// residentBytes returns how much of a mapping is in the memory of this process.
func residentBytes(t *testing.T, mapping []byte) (kilobytes int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), fmt.Sprintf("%x-", unsafe.Pointer(&mapping[0])))
	_, rest, _ = strings.Cut(rest, "\nRss:")
	if n, err := fmt.Sscan(rest, &kilobytes); !found || n != 1 {
		t.Fatal("the mapping is not in the list of mappings", err)
	}
	return kilobytes << 10
}
