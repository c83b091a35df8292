package bundle

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// manifestBytes is the maximum size of the manifest of a bundle.
const manifestBytes = 4 << 20

// unpackedBytes is the maximum size of all files of a bundle together. A small zip file can unpack to any size.
const unpackedBytes = 2 << 30

// Open reads the manifest of the bundle at path, and checks that the files it names exist and that
// the bundle can be unpacked.
func Open(path string) (Manifest, error) {
	var m Manifest
	z, err := zip.OpenReader(path)
	if errors.Is(err, zip.ErrFormat) {
		return m, fmt.Errorf("%s is not a bundle: not a zip file; make one with `mcp-bash bundle`", path)
	} else if err != nil {
		return m, err
	}
	defer z.Close()
	there := make(map[string]bool)
	var errs []error
	room := int64(unpackedBytes)
	for _, f := range z.File {
		if mode := f.Mode(); !mode.IsRegular() && !mode.IsDir() {
			errs = append(errs, fmt.Errorf("%q is not a regular file; put a copy there instead of a link", f.Name))
		}
		if !filepath.IsLocal(f.Name) {
			errs = append(errs, fmt.Errorf("%q would be unpacked outside of the bundle's folder", f.Name))
		} else if err := portable(f.Name); err != nil {
			errs = append(errs, err)
		}
		if there[f.Name] {
			errs = append(errs, fmt.Errorf("%q is a duplicate", f.Name))
		}
		there[f.Name] = true
		size, err := intact(f, room)
		if errors.Is(err, errTooLarge) {
			return m, fmt.Errorf("%s: %w", path, err)
		} else if err != nil {
			errs = append(errs, fmt.Errorf("%q: %w", f.Name, err))
		}
		room -= size
	}
	if !there["manifest.json"] {
		return m, errors.Join(append(errs,
			fmt.Errorf("%s is not a bundle: it has no manifest.json; make one with `mcp-bash bundle`", path))...)
	}
	if len(errs) > 0 {
		return m, errors.Join(errs...)
	}
	data, err := readManifest(z)
	if err != nil {
		return m, err
	}
	if m, err = ParseManifest(data); err != nil {
		errs = append(errs, err)
	}
	for _, name := range m.named() {
		if !there[name] {
			errs = append(errs, fmt.Errorf("manifest.json names %s, which is not in the bundle", name))
		}
	}
	return m, errors.Join(errs...)
}

// errTooLarge is returned for a bundle with more than unpackedBytes.
var errTooLarge = fmt.Errorf("its files have more than %d bytes", unpackedBytes)

// intact reads a file of a zip to its end, where its checksum is verified, unless it is larger than room.
func intact(f *zip.File, room int64) (size int64, err error) {
	r, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	size, err = io.Copy(io.Discard, io.LimitReader(r, room+1))
	if err == nil && size > room {
		err = errTooLarge
	}
	return size, err
}

func readManifest(z *zip.ReadCloser) ([]byte, error) {
	f, err := z.Open("manifest.json")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, manifestBytes+1))
	if len(data) > manifestBytes {
		return nil, fmt.Errorf("manifest.json has more than %d bytes", manifestBytes)
	}
	return data, err
}

// named returns the files that a manifest names.
func (m Manifest) named() []string {
	images := append([]string{m.Icon}, m.Screenshots...)
	for _, icon := range m.Icons {
		images = append(images, icon.Src)
	}
	var all []string
	for _, name := range append(images, m.Server.EntryPoint) {
		if name != "" && !strings.Contains(name, "://") {
			all = append(all, name)
		}
	}
	return all
}
