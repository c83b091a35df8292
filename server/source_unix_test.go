//go:build unix

package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
)

func TestWhatIsReadIsWhatIsWatched(t *testing.T) {
	root := t.TempDir()
	write := func(is *is.I, name, text string) {
		path := filepath.Join(root, name)
		is.NoErr(os.MkdirAll(filepath.Dir(path), 0o700))
		is.NoErr(os.WriteFile(path, []byte(text), 0o700))
	}
	given := is.New(t)
	for name, text := range map[string]string{
		"resources/plain.txt":      "",
		"resources/own.txt":        "",
		"resources/own.meta.json":  `{"name":"own","uri":"none://own"}`,
		"resources/as.txt":         "",
		"resources/as.meta.json":   `{"name":"as","uri":"echo://as","provider":"file"}`,
		"resources/else.txt":       "",
		"resources/else.meta.json": `{"name":"else","uri":"none://else","provider":"echo"}`,
		"resources/bad.meta.json":  `{"name":"bad","uri":"echo://bad","provider":"nobody"}`,
		"resources/t.meta.json":    `{"name":"t","uriTemplate":"tt://{x}","provider":"own"}`,
		"resources/s/s.meta.json":  `{"name":"s","uriTemplate":"file:///srv/{x}"}`,
		"resources/s/s.sh":         "#!/bin/sh\n",
		"ui/page/index.html":       "",
		"providers/own.sh":         "#!/bin/sh\n",
	} {
		write(given, name, text)
	}
	decide := func(is *is.I, uri string) string {
		p, err := catalog.Open(root, catalog.Options{})
		is.NoErr(err)
		defer p.Close()
		from, err := newReader(p, nil, nil, Options{}).source(t.Context(), uri)
		if err != nil {
			return err.Error()
		}
		kind := strings.TrimPrefix(strings.TrimPrefix(fmt.Sprintf("%T", from.provider), "*"), "providers.")
		return strings.ReplaceAll(fmt.Sprint(kind, " ", from.uri, " ", from.file), root, "ROOT")
	}
	for uri, want := range map[string]string{
		"file://" + root + "/resources/plain.txt": "File file://ROOT/resources/plain.txt ROOT/resources/plain.txt",
		"file://./x":       "File file://./x ROOT/x",
		"none://own":       "File file://ROOT/resources/own.txt ROOT/resources/own.txt",
		"echo://as":        "File file://ROOT/resources/as.txt ROOT/resources/as.txt",
		"none://else":      "Echo none://else ",
		"echo://bad":       `resource not found: unknown provider "nobody"; correct the field provider in its metadata, or add the provider to the project as providers/NAME.sh`,
		"echo://x":         "Echo echo://x ",
		"own://x":          "Script own://x ",
		"tt://x":           "Script tt://x ",
		"file:///srv/x":    "Template file:///srv/x ",
		"none://x":         `resource not found: no provider for "none:" URIs; add one to the project as providers/none.sh`,
		"https://x.test/y": "HTTPS https://x.test/y ",
	} {
		is := is.New(t)
		is.Equal(decide(is, uri), want)
	}
	is := is.New(t)
	is.True(strings.HasSuffix(decide(is, catalog.InterfacesOf(filepath.Base(root))+"page"), "/page ROOT/ui/page/index.html"))
	write(is, "providers/file.sh", "#!/bin/sh\n") // it may give other contents while the file stays as it is
	is.Equal(decide(is, "file:///etc/passwd"), "Script file:///etc/passwd ")
	is.Equal(decide(is, "echo://as"), "Script echo://as ")
	is.Equal(decide(is, "none://own"), "Script file://ROOT/resources/own.txt ")
}
