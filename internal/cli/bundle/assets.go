package bundle

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// assets adds the images and translations that the manifest names. They keep their paths, but for
// those below server/.
func (m *maker) assets() {
	for _, name := range []string{"icon.png", "icon.svg"} {
		if m.Manifest.Icon == "" && isFile(filepath.Join(m.Root, name)) {
			m.Manifest.Icon = m.asset("icon", name)
		}
	}
	for i, icon := range m.said.Icons {
		field := fmt.Sprintf("%s: icons[%d]", m.metaFile, i)
		size := icon.Size
		if at := slices.IndexFunc(icon.Sizes, iconSize().MatchString); size == "" && at >= 0 {
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
		m.Manifest.Screenshots = append(m.Manifest.Screenshots, m.image(fmt.Sprintf("%s: screenshots[%d]", m.metaFile, i), name))
	}
	if l := m.said.Localization; l != nil {
		m.Manifest.Localization = &Localization{m.translations(l.Resources), l.DefaultLocale}
	}
}

// image is where an image is found, once it is in the bundle if it is a file.
func (m *maker) image(field, src string) string {
	if strings.HasPrefix(src, "https://") || strings.HasPrefix(src, "http://") {
		return src
	}
	src = strings.TrimPrefix(src, "file://")
	if inner := path.Join("server.d", src); filepath.IsLocal(filepath.FromSlash(inner)) && isFile(filepath.Join(m.Root, inner)) {
		src = inner // as servers look for their icons
	}
	return m.asset(field, src)
}

// drawnSize is the size that is said of an icon that is drawn at any size: manifests want one.
const drawnSize = "512x512"

// iconSize is how sizes are written.
var iconSize = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+x[0-9]+$`) })

// localePlace is where the name of a language goes.
var localePlace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\$\{locale\}`) })

// translations adds the files of all languages, and returns the path to find them by.
func (m *maker) translations(resources string) string {
	field := m.metaFile + ": localization.resources"
	pattern := localePlace().ReplaceAllLiteralString(resources, "*")
	found, err := filepath.Glob(filepath.Join(m.Root, filepath.FromSlash(pattern)))
	if err != nil || len(found) == 0 {
		m.warn("%s: there is no file %s", field, resources)
	}
	for _, file := range found {
		m.asset(field, relative(m.Root, file))
	}
	return inBundle(localePlace().ReplaceAllLiteralString(resources, "${locale}"))
}

// inBundle is where a file of the project is that clients look at: where it is in the project, if
// nothing else of the bundle can be there.
func inBundle(name string) string {
	name = path.Clean(filepath.ToSlash(name))
	if first, _, _ := strings.Cut(name, "/"); first == home || first == "manifest.json" {
		return "assets/" + name
	}
	return name
}

// asset adds a file of the project that clients look at, once, and returns its path in the bundle.
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

// assetBytes is how large an image may be.
const assetBytes = 16 << 20

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
