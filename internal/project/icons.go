package project

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// iconBytes is the largest file that an icon may be made of: lists carry it as a data: URI.
const iconBytes = 256 << 10

// icons reads the field icons: an array of objects with a src. A src that names a file becomes a
// data: URI, for a client cannot read the file. It is relative to the first of the folders that
// has it, and must lie in one of them or in the project. A file that is no good stays named, with
// a warning. Anything else that is wrong spoils them all. The deps are the files that the icons
// depend on.
func (o object) icons(root string, folders ...string) (icons jsontext.Value, deps []dep) {
	m, ok := o.typed("icons", '[')
	if !ok {
		return nil, nil
	}
	sound := len(*o.faults)
	out := []byte{'['}
	for _, element := range elements(m) {
		if !o.is(element, '{') {
			continue
		}
		icon := o.inner(element)
		src, ok := icon.checkIcon(element)
		if !ok {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		uri, d := icon.dataURI(src, root, folders)
		if d.path != "" {
			deps = append(deps, d)
		}
		if uri == "" {
			out = append(out, element.value...)
			continue
		}
		begin := src.start - element.start
		out = append(out, element.value[:begin]...)
		out, _ = jsontext.AppendQuote(out, uri) // plain ASCII
		out = append(out, element.value[begin+len(src.value):]...)
	}
	if spoiled((*o.faults)[sound:]) {
		return nil, deps
	}
	return compact(append(out, ']')), deps
}

// checkIcon refuses what would make clients refuse the whole list, and finds the src.
func (o object) checkIcon(self member) (src member, ok bool) {
	o.text("mimeType")
	o.text("theme")
	if sizes, ok := o.typed("sizes", '['); ok {
		for _, size := range elements(sizes) {
			o.is(size, '"')
		}
	}
	if _, ok := o.get("src"); !ok {
		self.name = "src"
		o.refuse(self, "is missing", `write {"src":"icon.png"}`)
	}
	return o.typed("src", '"')
}

// dataURI makes a data: URI of the file that src names. It is empty when src is a URI already, or
// the file is no good.
func (o object) dataURI(src member, root string, folders []string) (uri string, d dep) {
	name := unquote(src.value)
	if scheme, rest, ok := strings.Cut(name, ":"); ok && len(scheme) > 1 && !strings.ContainsAny(scheme, `/\.`) {
		if scheme != "file" {
			return "", dep{}
		}
		name = strings.TrimPrefix(rest, "//")
	}
	path := findFile(filepath.FromSlash(name), folders)
	data, was, err := readIcon(path, append(folders, root))
	d = dep{path: path, stamp: was}
	if err != nil {
		o.warn(src, fmt.Sprintf("%q cannot be used: %s", name, cause(err)), "the name is sent as it is")
		return "", d
	}
	return "data:" + imageType(path) + ";base64," + base64.StdEncoding.EncodeToString(data), d
}

// readIcon reads an image that lies in one of the folders.
func readIcon(path string, folders []string) ([]byte, stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, stamp{}, err
	}
	was := stampOf(info)
	switch {
	case !info.Mode().IsRegular():
		return nil, was, errNotRegular
	case !withinAny(path, folders):
		return nil, was, errors.New("it lies outside of the project")
	case imageType(path) == "":
		return nil, was, errors.New("its name must end in .png, .jpg, .svg, .webp, .gif or .ico")
	case info.Size() > iconBytes:
		return nil, was, fmt.Errorf("it is larger than %d KiB", iconBytes>>10)
	}
	data, _, err := readFile(path, iconBytes)
	return data, was, err
}

// findFile is the first of the paths that exists, or else the first.
func findFile(name string, folders []string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	for _, folder := range folders {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return filepath.Join(folders[0], name)
}

// withinAny reports whether path lies in one of the folders, when all links are followed.
func withinAny(path string, folders []string) bool { return withinReal(path, realPaths(folders)) }

// withinReal is withinAny for folders that have no links.
func withinReal(path string, folders []string) bool {
	real, err := filepath.EvalSymlinks(path)
	return err == nil && slices.ContainsFunc(folders, func(folder string) bool { return within(folder, real) })
}

// realPaths are those of the folders that exist, when all links are followed.
func realPaths(folders []string) (real []string) {
	for _, folder := range folders {
		if one, err := filepath.EvalSymlinks(folder); err == nil {
			real = append(real, one)
		}
	}
	return real
}

// within reports whether path is root or below it; both have no links.
func within(root, path string) bool {
	r, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(r)
}

func imageType(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".svg":
		return "image/svg+xml"
	case ".webp":
		return "image/webp"
	case ".gif":
		return "image/gif"
	case ".ico":
		return "image/x-icon"
	}
	return ""
}
