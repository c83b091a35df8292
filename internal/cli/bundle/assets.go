package bundle

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// assets adds the images and translations that the manifest names. They keep their paths, except
// those below server/.
func (m *maker) assets() {
	for _, name := range []string{"icon.png", "icon.svg"} {
		if m.Manifest.Icon == "" && files.Exists(filepath.Join(m.Root, name)) {
			m.Manifest.Icon = m.asset("icon", name)
		}
	}
	for i, icon := range m.said.Icons {
		field := fmt.Sprintf("%s: icons[%d]", m.metaFile, i)
		size := icon.Size
		if at := slices.IndexFunc(icon.Sizes, iconSize.Get().MatchString); size == "" && at >= 0 {
			size = icon.Sizes[at]
		} else if size == "" && strings.EqualFold(path.Ext(icon.Src), ".svg") {
			size = drawnSize
		}
		switch {
		case strings.HasPrefix(icon.Src, "data:"):
			m.warn("%s is left out: bundles hold icons as files", field)
		case size == "":
			m.warn("%s is left out: it needs a size, as in \"sizes\": [\"64x64\"]", field)
		default:
			m.Manifest.Icons = append(m.Manifest.Icons, Icon{m.image(field, icon.Src), size, icon.Theme})
		}
	}
	if m.Manifest.Icon == "" && len(m.Manifest.Icons) > 0 {
		m.Manifest.Icon = m.Manifest.Icons[0].Src
	}
	for i, name := range m.said.Screenshots {
		m.Manifest.Screenshots = append(m.Manifest.Screenshots,
			m.image(fmt.Sprintf("%s: screenshots[%d]", m.metaFile, i), name))
	}
	if l := m.said.Localization; l != nil {
		m.Manifest.Localization = &Localization{m.translations(l.Resources), l.DefaultLocale}
	}
}

// image returns the URL of an image, or its path in the bundle after adding the file.
func (m *maker) image(field, src string) string {
	if strings.HasPrefix(src, "https://") || strings.HasPrefix(src, "http://") {
		return src
	}
	src = strings.TrimPrefix(src, "file://")
	if inner := path.Join("server.d", src); filepath.IsLocal(filepath.FromSlash(inner)) &&
		files.Exists(filepath.Join(m.Root, inner)) {
		src = inner // as servers look up their icons
	}
	return m.asset(field, src)
}

// drawnSize is the size given for an icon of any size: manifests require a size.
const drawnSize = "512x512"

// iconSize matches a size such as 64x64.
var iconSize = lazyregexp.New(`^[0-9]+x[0-9]+$`)

// localePlace matches the placeholder for the name of a language.
var localePlace = lazyregexp.New(`(?i)\$\{locale\}`)

// translations adds the files of all languages, and returns their path with the placeholder.
func (m *maker) translations(resources string) string {
	field := m.metaFile + ": localization.resources"
	pattern := localePlace.Get().ReplaceAllLiteralString(resources, "*")
	found, err := filepath.Glob(filepath.Join(m.Root, filepath.FromSlash(pattern)))
	if err != nil || len(found) == 0 {
		m.warn("%s: the file %s does not exist", field, resources)
	}
	for _, file := range found {
		m.asset(field, relative(m.Root, file))
	}
	return inBundle(localePlace.Get().ReplaceAllLiteralString(resources, "${locale}"))
}

// inBundle returns the path in the bundle of a project file that clients read: its path in the
// project, unless something else of the bundle can have that path.
func inBundle(name string) string {
	name = path.Clean(filepath.ToSlash(name))
	if first, _, _ := strings.Cut(name, "/"); first == home || first == "manifest.json" {
		return "assets/" + name
	}
	return name
}

// asset adds a project file that clients read, once, and returns its path in the bundle.
func (m *maker) asset(field, name string) string {
	name = path.Clean(filepath.ToSlash(name))
	inBundle := inBundle(name)
	if slices.ContainsFunc(m.Files, func(f File) bool { return f.Path == inBundle }) {
		return inBundle
	}
	if data := m.read(field, name, assetBytes); data != nil {
		m.Files = append(m.Files, File{Path: inBundle, Data: data})
	}
	return inBundle
}

// assetBytes is the maximum size of an image.
const assetBytes = 16 << 20
