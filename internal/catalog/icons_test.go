package catalog

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAnIconThatIsAFileIsSentAsItsContent(t *testing.T) {
	is := is.New(t)
	tool := only(t, found(t, `
-- tools/a/a.sh --
-- tools/a/a.meta.json --
{"icons": [ {"sizes": ["any"], "src": "./img/a.svg", "x": 1.0}, {"src": "../../logo.PNG"} ]}
-- tools/a/img/a.svg --
<svg/>
-- logo.PNG --
png
`))
	svg := base64.StdEncoding.EncodeToString([]byte("<svg/>"))
	png := base64.StdEncoding.EncodeToString([]byte("png\n"))
	is.Equal(string(tool.Icons),
		`[{"sizes":["any"],"src":"data:image/svg+xml;base64,`+svg+`","x":1.0},{"src":"data:image/png;base64,`+png+`"}]`)
}

func TestAnIconThatIsAnHTTPSOrDataURIIsLeftAlone(t *testing.T) {
	is := is.New(t)
	icons := `[{"src":"https://example.com/a.png"},{"src":"data:image/png;base64,AA=="}]`
	tool := only(t, found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{\"icons\":"+icons+"}\n"))
	is.Equal(string(tool.Icons), icons)
}

func TestAnIconOfAnotherSchemeIsLeftOutWithAWarning(t *testing.T) {
	for _, src := range []string{"http://example.com/a.png", "ftp://example.com/a.png", "javascript:alert(1)", "Blob:x"} {
		is := is.New(t)
		tools := found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{\"icons\":[{\"src\":\""+src+"\"},{\"src\":\"https://example.com/b.png\"}]}\n")
		is.Equal(string(tools.Items[0].Icons), `[{"src":"https://example.com/b.png"}]`) // SE-05
		is.Equal(faults(tools),
			`tools/a.meta.json:1: the icon "`+src+`" is left out: it is neither an https: nor a data: URI nor a file; name a file of the project`)
	}
}

func TestAnIconOfAFileThatIsNoGoodIsLeftOutWithAWarning(t *testing.T) {
	outside := folderOf(t, "-- secret.png --\nx\n")
	cases := []struct{ src, fault string }{
		{"missing.png", `"missing.png" is left out: file does not exist`},
		{"folder.png", `"folder.png" is left out: is not a regular file`},
		{"text.txt", `"text.txt" is left out: its name must end in .png, .jpg, .svg, .webp, .gif or .ico`},
		{"large.png", `"large.png" is left out: it is larger than 256 KiB`},
		{filepath.ToSlash(filepath.Join(outside, "secret.png")), `" is left out: it is outside of the project`},
		{"link.png", `"link.png" is left out: it is outside of the project`},
	}
	for _, c := range cases {
		t.Run(filepath.Base(c.src), func(t *testing.T) {
			is := is.New(t)
			root := folderOf(t, "-- tools/a.sh --\n-- tools/text.txt --\n-- tools/folder.png/x --\n")
			put(t, root, "tools/large.png", strings.Repeat("x", iconBytes+1))
			if err := os.Symlink(filepath.Join(outside, "secret.png"), filepath.Join(root, "tools", "link.png")); err != nil {
				t.Skip("the system does not allow this user to make links, so links to icons are not tested: ", err)
			}
			put(t, root, "tools/a.meta.json", "{\n\"icons\":[{\"src\":\""+c.src+"\"}]}")
			tools, _ := opened(t, root, Options{}).Tools(t.Context())
			is.True(tools.Items[0].Icons == nil) // not an empty array
			told := ""
			for _, f := range tools.Faults {
				if strings.HasPrefix(f.Reason, "the icon ") {
					told = f.String()
				}
			}
			is.True(strings.HasPrefix(told, "tools/a.meta.json:2: the icon "))       // its line
			is.True(strings.HasSuffix(told, c.fault+"; name a file of the project")) // and why
		})
	}
}
