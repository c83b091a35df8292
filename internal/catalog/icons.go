package catalog

import (
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/mediatype"
)

// iconBytes is the maximal size of the file of an icon: lists contain it as a data: URI.
const iconBytes = 256 << 10

// iconHint shows how an icon is written.
const iconHint = `{"src":"icon.png"}`

// icons reads the field icons: an array of objects with a src, which is an https: or data: URI or
// names a file (SE-05). A file becomes a data: URI, because a client cannot read it. It is relative
// to the first of the folders that has it, and must be in one of them or in the project. An icon
// with another URI, or with an unusable file, is left out with a warning; icons are nil if none is
// left.
func (o object) icons(root string, folders ...string) json.Value {
	m, ok := o.get("icons")
	if !ok || !o.isLike(m, '[', "write ["+iconHint+"]") {
		return nil
	}
	icons := []json.Value{}
	for _, element := range o.elements(m) {
		if !o.isLike(element, '{', "write "+iconHint) {
			continue
		}
		icon := o.inner(element)
		src, ok := icon.checkIcon(element)
		if !ok {
			continue
		}
		uri := icon.iconURI(src, root, folders)
		if uri == nil {
			continue
		}
		var w objectWriter
		for _, child := range icon.members {
			if child.Start == src.Start {
				w.add(child.Name, uri)
			} else {
				w.add(child.Name, icon.shown(child))
			}
		}
		icons = append(icons, w.object())
	}
	if len(icons) == 0 && len(document.Elements(m)) > 0 {
		return nil
	}
	return json.Array(icons)
}

// checkIcon refuses what would make clients refuse the whole list, and finds the src. An icon
// without it is refused as a whole.
func (o object) checkIcon(self json.Member) (src json.Member, ok bool) {
	o.text("mimeType")
	o.text("theme")
	if sizes, ok := o.typed("sizes", '['); ok {
		for _, size := range o.elements(sizes) {
			o.is(size, '"')
		}
	}
	src, ok = o.typed("src", '"')
	if _, there := o.get("src"); !there {
		self.Name = "src"
		o.refuse(self, "is missing", "write "+iconHint)
	}
	return src, ok
}

// iconURI returns what is sent for a src, as JSON: an https: or data: URI as it is, a data: URI for
// a file. It is nil if the icon is left out.
func (o object) iconURI(src json.Member, root string, folders []string) json.Value {
	name := json.Text(src.Value)
	if scheme, rest, ok := strings.Cut(name, ":"); ok && len(scheme) > 1 && !strings.ContainsAny(scheme, `/\.`) {
		switch strings.ToLower(scheme) {
		case "https", "data":
			return src.Value
		case "file":
			name = strings.TrimPrefix(rest, "//")
		default:
			o.unusable(src, "it is neither an https: nor a data: URI nor a file")
			return nil
		}
	}
	path := findFile(filepath.FromSlash(name), folders)
	was, err := files.StampOf(path)
	o.dependsOn(dep{path, was})
	var data []byte
	switch {
	case err != nil:
	case !was.Mode.IsRegular():
		err = files.ErrNotRegular
	case !withinAny(path, append(folders, root)):
		err = errors.New("it is outside of the project")
	case imageType(path) == "":
		err = errors.New("its name must end in .png, .jpg, .svg, .webp, .gif or .ico")
	case was.Size > iconBytes:
		err = fmt.Errorf("it is larger than %d KiB", iconBytes>>10)
	default:
		data, err = files.Read(path, iconBytes)
	}
	if err != nil {
		o.unusable(src, cause(err).Error())
		return nil
	}
	return json.Quote("data:" + imageType(path) + ";base64," + base64.StdEncoding.EncodeToString(data))
}

// unusable warns that an icon is left out although its metadata is valid. The fault is about the
// icon, not about a field.
func (o object) unusable(src json.Member, reason string) {
	f := o.doc.Fault(src.At, "", fmt.Sprintf("the icon %q is left out: %s", json.Text(src.Value), reason),
		"name a file of the project")
	f.Warning = true
	o.add(f)
}

// findFile returns the path of name in the first of the folders that has it, or else in the first
// folder.
func findFile(name string, folders []string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	for _, folder := range folders {
		path := filepath.Join(folder, name)
		if _, err := files.StampOf(path); err == nil {
			return path
		}
	}
	return filepath.Join(folders[0], name)
}

// withinAny reports whether path is in one of the folders after resolving links.
func withinAny(path string, folders []string) bool { return withinReal(path, realPaths(folders)) }

// withinReal is withinAny for folders whose paths have no links.
func withinReal(path string, folders []string) bool {
	real, err := filepath.EvalSymlinks(path)
	return err == nil && slices.ContainsFunc(folders, func(folder string) bool { return within(folder, real) })
}

// realPaths returns the paths of the existing folders after resolving links.
func realPaths(folders []string) (real []string) {
	for _, folder := range folders {
		if one, err := filepath.EvalSymlinks(folder); err == nil {
			real = append(real, one)
		}
	}
	return real
}

// imageType returns the type of an image by its name; empty if it is not one that clients show.
func imageType(path string) string {
	switch t := mediatype.ByName(path); t {
	case "image/png", "image/jpeg", "image/svg+xml", "image/webp", "image/gif", "image/x-icon":
		return t
	}
	return ""
}

// within reports whether path is root or below it; both have no links.
func within(root, path string) bool {
	_, ok := files.Inside(root, path)
	return ok
}
