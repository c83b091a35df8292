package bundle

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sort"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// epoch is the modification time of all files in a bundle, the earliest that a zip file can hold: the
// same files result in the same bytes, whenever and wherever they were written.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// writeZip writes files as a zip file, sorted by path. It stops when ctx ends, and calls step after each file.
func writeZip(ctx context.Context, w io.Writer, all []File, step func()) error {
	all = slices.Clone(all)
	sort.Slice(all, func(i, j int) bool { return all[i].Path < all[j].Path })
	z := zip.NewWriter(w)
	for i, f := range all {
		if i > 0 && all[i-1].Path == f.Path {
			return fmt.Errorf("%s is in the bundle twice", f.Path)
		}
		if err := writeFile(ctx, z, f); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		step()
	}
	return z.Close()
}

func writeFile(ctx context.Context, z *zip.Writer, f File) error {
	header := &zip.FileHeader{Name: f.Path, Method: zip.Deflate, Modified: epoch}
	header.SetMode(0o644)
	if f.Executable {
		header.SetMode(0o755)
	}
	entry, err := z.CreateHeader(header)
	if err != nil {
		return err
	}
	if f.From == "" {
		_, err = io.Copy(entry, bytes.NewReader(f.Data))
		return err
	}
	in, _, err := files.Open(f.From)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(entry, files.Until(ctx, in))
	return err
}
