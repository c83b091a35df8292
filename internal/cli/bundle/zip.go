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
func writeZip(ctx context.Context, w io.Writer, files []File, step func()) error {
	files = slices.Clone(files)
	sort.Slice(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	z := zip.NewWriter(w)
	for i, f := range files {
		if i > 0 && files[i-1].Path == f.Path {
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
	_, err = io.Copy(entry, readerFunc(func(b []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return in.Read(b)
	}))
	return err
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
