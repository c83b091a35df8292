package providers

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/mediatype"
)

// maxEntries is the most entries of a folder that is read at once.
const maxEntries = 100

// readFolder returns the files of a folder by name, each with a URI of its own. It does not descend
// into subfolders, does not follow symbolic links, and leaves out what is not listed as a resource
// either: hidden files and metadata.
func readFolder(root *os.Root, inside, uri string, limit int64) ([]Content, error) {
	// Files are read through the opened folder, even if its name leads elsewhere by now.
	dir, err := root.OpenRoot(inside)
	if err != nil {
		return nil, fileFault(root, err)
	}
	defer dir.Close()
	entries, err := list(dir)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(uri, "/") + "/"
	var contents []Content
	for _, e := range entries {
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") || isMetadata(e.Name()) {
			continue
		}
		b, err := readFile(dir, e.Name(), limit)
		switch {
		case errors.Is(err, ErrNotFound): // removed after it was listed
			continue
		case err != nil:
			return nil, fmt.Errorf("%w (%s)", err, e.Name())
		}
		limit -= int64(len(b))
		contents = append(contents, NewContent(base+url.PathEscape(e.Name()), mediatype.Of(e.Name(), b), b))
	}
	if len(contents) == 0 {
		return nil, fmt.Errorf("%w: the folder has no files", ErrNotFound)
	}
	return contents, nil
}

func list(dir *os.Root) ([]fs.DirEntry, error) {
	opened, err := dir.Open(".")
	if err != nil {
		return nil, fileFault(dir, err)
	}
	defer opened.Close()
	entries, err := opened.ReadDir(maxEntries + 1)
	switch {
	case err != nil && err != io.EOF:
		return nil, fileFault(dir, err)
	case len(entries) > maxEntries:
		return nil, fmt.Errorf("%w: the folder has more than %d entries; name a file in it", ErrTooLarge, maxEntries)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func isMetadata(name string) bool {
	endings := []string{".meta.json", ".meta.yaml", ".meta.yml"}
	return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(name, ending) })
}
