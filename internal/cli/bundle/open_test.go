package bundle

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// zipped writes files as a zip.
func zipped(t *testing.T, files ...File) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.mcpb")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for _, file := range files {
		if err := writeFile(t.Context(), z, file); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

const least = `{"manifest_version":"0.3","name":"n","version":"1.0.0","description":"d","author":{"name":"a"},"server":{"type":"binary","entry_point":"server/x","mcp_config":{"command":"${__dirname}/server/x"}}}`

func TestABundleIsCheckedBeforeItIsSent(t *testing.T) {
	is := is.New(t)
	m, err := Open(zipped(t, File{Path: "manifest.json", Data: []byte(least)}, File{Path: "server/x", Data: []byte("x")}))
	is.NoErr(err)
	is.Equal(m.Name, "n")
	for want, files := range map[string][]File{
		"has no manifest.json":                                         {{Path: "x"}},
		"names server/x, which is not in the bundle":                   {{Path: "manifest.json", Data: []byte(least)}},
		"would be unpacked outside":                                    {{Path: "../x"}, {Path: "manifest.json", Data: []byte(least)}},
		`"a\\b" has a \ in its name`:                                   {{Path: `a\b`}, {Path: "manifest.json", Data: []byte(least)}},
		`"C:x" begins as a drive`:                                      {{Path: "C:x"}, {Path: "manifest.json", Data: []byte(least)}},
		`"a/C:x" begins as a drive`:                                    {{Path: "a/C:x"}, {Path: "manifest.json", Data: []byte(least)}},
		`"a\nb" has control characters`:                                {{Path: "a\nb"}, {Path: "manifest.json", Data: []byte(least)}},
		`"manifest.json" is a duplicate`:                               {{Path: "manifest.json", Data: []byte(least)}, {Path: "manifest.json"}},
		`manifest.json: at /nam: unexpected property`:                  {{Path: "manifest.json", Data: []byte(`{"nam":1}`)}},
		`manifest.json: at /manifest_version: expected "0.3", got "9"`: {{Path: "manifest.json", Data: []byte(strings.Replace(least, "0.3", "9", 1))}},
		`manifest.json: at /server/type: expected one of "python", "node", "binary", got "docker"`: {{Path: "manifest.json", Data: []byte(strings.Replace(least, "binary", "docker", 1))}},
		`version "../1": use`: {{Path: "manifest.json", Data: []byte(strings.Replace(least, "1.0.0", "../1", 1))}},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := Open(zipped(t, files...))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		})
	}
}

// entry writes one entry of a zip with n zeros, as small as they get.
func entry(t *testing.T, z *zip.Writer, header *zip.FileHeader, n int64) {
	t.Helper()
	w, err := z.CreateHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(w, zeros{}, n); err != nil {
		t.Fatal(err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestALinkInABundleIsRefused(t *testing.T) {
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "x.mcpb")
	f, err := os.Create(path)
	is.NoErr(err)
	defer f.Close()
	z := zip.NewWriter(f)
	link := &zip.FileHeader{Name: "server/\x1blink"}
	link.SetMode(0o777 | fs.ModeSymlink)
	entry(t, z, link, 3)
	is.NoErr(z.Close())
	_, err = Open(path)
	is.True(strings.Contains(err.Error(), `"server/\x1blink" is not a regular file`)) // and its name does not steer terminals
}

func TestABundleThatUnpacksToTooMuchIsRefused(t *testing.T) {
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "x.mcpb")
	f, err := os.Create(path)
	is.NoErr(err)
	defer f.Close()
	z := zip.NewWriter(f)
	entry(t, z, &zip.FileHeader{Name: "a", Method: zip.Deflate}, 1<<20)
	is.NoErr(z.Close())
	r, err := zip.OpenReader(path)
	is.NoErr(err)
	defer r.Close()
	size, err := intact(r.File[0], 1<<20)
	is.NoErr(err)
	is.Equal(size, int64(1<<20))
	_, err = intact(r.File[0], 1<<20-1)
	is.True(errors.Is(err, errTooLarge)) // by one byte, and no more is read
}

func TestWhatIsNoZipOrBrokenIsNoBundle(t *testing.T) {
	is := is.New(t)
	path := filepath.Join(t.TempDir(), "x.mcpb")
	is.NoErr(os.WriteFile(path, []byte("hello"), 0o644))
	_, err := Open(path)
	is.True(err != nil)
	is.True(strings.Contains(err.Error(), "not a zip file; make one with `mcp-bash bundle`"))

	path = zipped(t, File{Path: "manifest.json", Data: []byte(least)}, File{Path: "server/x", Data: []byte(strings.Repeat("hello", 100))})
	data, err := os.ReadFile(path)
	is.NoErr(err)
	at := strings.Index(string(data), "server/x") + len("server/x") + 12
	data[at] ^= 0xff
	is.NoErr(os.WriteFile(path, data, 0o644))
	_, err = Open(path)
	is.True(err != nil) // a bit that fell over is found
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(least))
	f.Add([]byte(`{"user_config":{"a":{}},"localization":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseManifest(data)
		if err != nil {
			return
		}
		text, err := m.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseManifest(text); err != nil {
			t.Errorf("%s was written as %s: %v", data, text, err)
		}
	})
}
