package providers

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAFileInARootIsRead(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	notes := write(t, root, "a b/notes.md", "# Notes\n\n")
	logo := write(t, root, "logo.png", "\x89PNG\x00")
	f := File{Roots: []string{t.TempDir(), root}}
	is.Equal(read(t, f, fileURI(notes)), `{"uri":"`+fileURI(notes)+`","mimeType":"text/markdown","text":"# Notes\n\n"}`)
	is.Equal(read(t, f, fileURI(logo)), `{"uri":"`+fileURI(logo)+`","mimeType":"image/png","blob":"iVBORwA="}`)
	spaced := strings.Replace(fileURI(notes), "%20", " ", 1)
	is.Equal(read(t, f, spaced), `{"uri":"`+spaced+`","mimeType":"text/markdown","text":"# Notes\n\n"}`) // the URI is that of the request
	is.Equal(read(t, f, fileURI(filepath.Join(root, "none"))), "resource not found: the file does not exist")
}

func TestNothingOutsideTheRootsIsRead(t *testing.T) {
	is := is.New(t)
	root, outside := t.TempDir(), t.TempDir()
	there := write(t, outside, "there", canary)
	f := File{Roots: []string{root}}
	want := "resource not allowed: it is outside the roots in MCP_RESOURCES_ROOTS"
	is.Equal(read(t, f, fileURI(there)), want)
	is.Equal(read(t, f, fileURI(filepath.Join(outside, "missing"))), want) // the same for missing files
	is.Equal(read(t, File{}, fileURI(there)), want)                        // without roots, no files
	is.Equal(read(t, File{Roots: []string{"", ".", "relative"}}, fileURI(there)), want)
}

func TestARootThatIsMissingIsAnEmptyOne(t *testing.T) {
	is := is.New(t)
	root := filepath.Join(t.TempDir(), "none")
	is.Equal(read(t, File{Roots: []string{root}}, fileURI(filepath.Join(root, "x"))), "resource not found: the file does not exist")
}

func TestARootIsKnownByBothOfItsNames(t *testing.T) {
	is := is.New(t)
	base := t.TempDir()
	write(t, base, "real/x", "hello")
	link(t, "real", filepath.Join(base, "alias"))
	f := File{Roots: []string{filepath.Join(base, "alias")}}
	for _, name := range []string{"alias/x", "real/x"} {
		_, err := f.Read(t.Context(), fileURI(filepath.Join(base, name)))
		is.NoErr(err)
	}
}

func TestALinkThatStaysInsideIsFollowed(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	write(t, root, "a/x.md", "hello")
	link(t, "a", filepath.Join(root, "b"))
	link(t, filepath.Join("a", "x.md"), filepath.Join(root, "y"))
	f := File{Roots: []string{root}}
	for _, name := range []string{"b/x.md", "y"} {
		got, err := f.Read(t.Context(), fileURI(filepath.Join(root, name)))
		is.NoErr(err)
		is.Equal(*got[0].Text, "hello")
	}
}

func TestALinkThatLeadsOutIsAllowedIfItsTargetIsInAnotherRoot(t *testing.T) {
	is := is.New(t)
	base := t.TempDir()
	write(t, base, "out/x", "hello")
	write(t, base, "in/y", "")
	link(t, filepath.Join("..", "out", "x"), filepath.Join(base, "in", "x"))
	uri := fileURI(filepath.Join(base, "in", "x"))
	_, err := File{Roots: []string{filepath.Join(base, "in")}}.Read(t.Context(), uri)
	is.True(errors.Is(err, ErrDenied))
	_, err = File{Roots: []string{filepath.Join(base, "in"), base}}.Read(t.Context(), uri)
	is.NoErr(err) // base contains both
}

func TestAFileIsReadUpToTheLimit(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	fits, exceeds := write(t, root, "fits", "12345"), write(t, root, "exceeds", "123456")
	f := File{Roots: []string{root}, MaxBytes: 5}
	_, err := f.Read(t.Context(), fileURI(fits))
	is.NoErr(err)
	is.Equal(read(t, f, fileURI(exceeds)), "resource too large: the limit is 5 bytes; raise MCPBASH_MAX_RESOURCE_BYTES")
}

func TestAFileThatCannotBeReadIsUnavailable(t *testing.T) {
	if os.Geteuid() <= 0 {
		t.Skip("root may read everything, and Windows has no such mode")
	}
	is := is.New(t)
	root := t.TempDir()
	path := write(t, root, "closed", canary)
	is.NoErr(os.Chmod(path, 0))
	is.Equal(read(t, File{Roots: []string{root}}, fileURI(path)), "resource unavailable: the server has no permission to read it; change its permissions")
}

func TestAFolderGivesItsFiles(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	for _, name := range []string{"b.md", "a b.txt", ".hidden", "b.meta.json", "c.meta.yaml", "sub/d"} {
		write(t, root, name, name)
	}
	link(t, "b.md", filepath.Join(root, "link"))
	f := File{Roots: []string{root}}
	base := fileURI(root)
	want := `{"uri":"` + base + `/a%20b.txt","mimeType":"text/plain","text":"a b.txt"}` + "\n" +
		`{"uri":"` + base + `/b.md","mimeType":"text/markdown","text":"b.md"}`
	is.Equal(read(t, f, base), want)
	is.Equal(read(t, f, base+"/"), want)
	for _, uri := range []string{base + "/a%20b.txt", base + "/sub/d"} {
		_, err := f.Read(t.Context(), uri)
		is.NoErr(err) // each can be read by its listed URI
	}
	is.NoErr(os.Mkdir(filepath.Join(root, "empty"), 0o755))
	is.Equal(read(t, f, base+"/empty"), "resource not found: the folder has no files")
}

func TestAFolderHasLimitsOfSizeAndNumber(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	write(t, root, "two/a", "123")
	write(t, root, "two/b", "456")
	f := File{Roots: []string{root}, MaxBytes: 6}
	_, err := f.Read(t.Context(), fileURI(filepath.Join(root, "two")))
	is.NoErr(err)
	f.MaxBytes = 5
	_, err = f.Read(t.Context(), fileURI(filepath.Join(root, "two")))
	is.True(errors.Is(err, ErrTooLarge)) // in total
	for i := range maxEntries + 1 {
		write(t, root, "many/"+strings.Repeat("x", i+1), "")
	}
	is.Equal(read(t, f, fileURI(filepath.Join(root, "many"))), "resource too large: the folder has more than 100 entries; name a file in it")
}

func TestAFolderThatBecameALinkSinceItWasLookedAtIsRefused(t *testing.T) {
	is := is.New(t)
	base := t.TempDir()
	write(t, base, "out/x", canary)
	write(t, base, "root/y", "")
	link(t, filepath.Join("..", "out"), filepath.Join(base, "root", "folder"))
	dir, err := os.OpenRoot(filepath.Join(base, "root"))
	is.NoErr(err)
	t.Cleanup(func() { dir.Close() })
	_, err = readFolder(dir, "folder", "file:///folder", 100)
	is.True(errors.Is(err, ErrDenied))
	_, err = readFile(dir, filepath.Join("folder", "x"), 100)
	is.True(errors.Is(err, ErrDenied))
}

func TestAFolderThatIsSwappedForALinkLeadsNowhere(t *testing.T) {
	is := is.New(t)
	base := t.TempDir()
	root := filepath.Join(base, "root")
	write(t, root, "real/x", "good")
	write(t, base, "out/x", canary)
	link(t, filepath.Join("..", "out"), filepath.Join(root, "evil"))
	target := filepath.Join(root, "target")
	is.NoErr(os.Rename(filepath.Join(root, "real"), target))

	stop, stopped := make(chan struct{}), make(chan struct{})
	swaps := 0
	go func() { // swap the folder for a link that leads out, and back, again and again
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				os.Rename(target, filepath.Join(root, "real"))
				os.Rename(filepath.Join(root, "evil"), target)
				runtime.Gosched()
				os.Rename(target, filepath.Join(root, "evil"))
				os.Rename(filepath.Join(root, "real"), target)
				swaps++
			}
		}
	}()
	f := File{Roots: []string{root}}
	good := 0
	for i := range 4000 {
		uri := fileURI(filepath.Join(target, "x"))
		if i%2 == 1 {
			uri = fileURI(target) // the files of the folder
		}
		contents, err := f.Read(t.Context(), uri)
		if leaks(contents, err) {
			t.Fatal("the canary is out")
		}
		if err == nil {
			good++
		} else {
			is.True(faultIn(err) != nil)
		}
	}
	close(stop)
	<-stopped
	t.Logf("%d of 4000 reads succeeded during %d swaps", good, swaps)
}
