package wrap

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/rules"
)

// Interceptors returns the interceptors of a project or a folder. Having none is an error, and so is one that cannot be
// read. The root of the host is set here.
func Interceptors(ctx context.Context, dir string, o rules.Options) (*rules.Rules, error) {
	folder, err := rules.Folder(dir)
	if err != nil {
		return nil, err
	}
	project, err := catalog.Open(dir, catalog.Options{Folders: catalog.Folders{Interceptors: folder}})
	if err != nil {
		return nil, err
	}
	found, err := project.Interceptors(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range found.Faults {
		if !f.Warning {
			f.File = filepath.Join(dir, f.File)
			err = errors.Join(err, errors.New(f.String()))
		}
	}
	if err == nil && len(found.Items) == 0 {
		err = fmt.Errorf("no interceptors in %s: write NAME/NAME.meta.json, as `mcp-bash scaffold interceptor NAME` does",
			folder)
	}
	if err != nil {
		return nil, err
	}
	o.Required, o.Host.Root = true, project.Root()
	return rules.New(project, o), nil
}
