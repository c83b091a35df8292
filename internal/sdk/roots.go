package sdk

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk/filter"
)

// withRoots returns the operation that needs the roots of the client.
func withRoots(f func(c *Channel, ctx context.Context, roots, args []string) answer) operation {
	return operation{run: func(c *Channel, ctx context.Context, args []string) answer {
		if c.call.Roots == nil {
			return f(c, ctx, nil, args)
		}
		roots, err := c.call.Roots(ctx)
		if err != nil {
			return helperError(1, "cannot get the roots: %v", err)
		}
		return f(c, ctx, roots, args)
	}}
}

func rootsList(_ *Channel, _ context.Context, roots, _ []string) answer {
	if len(roots) == 0 {
		return silent(0)
	}
	return print(strings.Join(roots, "\n"))
}

func rootsCount(_ *Channel, _ context.Context, roots, _ []string) answer {
	return print(strconv.Itoa(len(roots)))
}

// rootsContain answers mcp_roots_contains: FOLDER PATH.
func rootsContain(_ *Channel, _ context.Context, roots, args []string) answer {
	return yes(arg(args, 1) != "" && within(roots, physical(absolute(arg(args, 0), arg(args, 1)))))
}

// requirePath answers mcp_require_path: FOLDER FILTER [--default-to-single-root]
// [--allow-empty]. It prints a path without symbolic links, so that the tool opens exactly
// what was checked.
func requirePath(c *Channel, ctx context.Context, roots, args []string) answer {
	g, err := spec{"--default-to-single-root": 0, "--allow-empty": 0}.parse(args, 2)
	if err != nil {
		return helperError(1, "%v", err)
	}
	wanted := arg(g.args, 1)
	out, err := filter.Run(ctx, wanted, orEmpty(c.call.Args))
	if err != nil {
		return filterTrouble(err)
	}
	path := ""
	if !isMissing(out) {
		ok := false
		if path, ok = unquote(out[0].JSON()); !ok {
			return invalid(wanted + " must be a string")
		}
	}
	switch {
	case strings.Contains(path, "\x00"):
		return invalid(wanted + " must not contain U+0000")
	case path != "" && len(roots) == 1:
		path = absolute(roots[0], path)
	case path != "":
		path = absolute(arg(g.args, 0), path)
	case g.has("--default-to-single-root") && len(roots) == 1:
		path = roots[0]
	case g.has("--allow-empty"):
		return print("")
	case g.has("--default-to-single-root"):
		return invalid(wanted + " is required when zero or multiple roots are configured")
	default:
		return invalid(wanted + " is required")
	}
	path = physical(path)
	if len(roots) > 0 && !within(roots, path) {
		return invalid(wanted + " is outside configured MCP roots")
	}
	return print(path)
}

// within reports whether a path without symbolic links is in one of the roots.
func within(roots []string, path string) bool {
	for _, root := range roots {
		if _, inside := files.Inside(physical(root), path); inside {
			return true
		}
	}
	return false
}

// absolute returns the absolute form of a path that may be relative to a folder.
func absolute(folder, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	return filepath.Clean(path)
}

// maxLinks is how many dangling symbolic links are followed one after the other.
const maxLinks = 40

// physical resolves the symbolic links of a path, as far as it exists: the rest is kept,
// for files that are yet to be created. A dangling link is replaced by its target.
func physical(path string) string { return resolve(path, maxLinks) }

func resolve(path string, links int) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real
	}
	parent, name := filepath.Dir(path), filepath.Base(path)
	if parent == path || links == 0 {
		return path
	}
	at := filepath.Join(resolve(parent, links), name)
	if target, err := os.Readlink(at); err == nil {
		return resolve(absolute(filepath.Dir(at), target), links-1)
	}
	return at
}

// pathNormalize answers mcp_path_normalize: FOLDER [--physical] PATH.
func pathNormalize(args []string) answer {
	folder, args := arg(args, 0), args[min(1, len(args)):]
	links := arg(args, 0) == "--physical"
	if links {
		args = args[1:]
	}
	if arg(args, 0) == "" {
		return helperError(1, "requires a path")
	}
	path := absolute(folder, args[0])
	if links {
		path = physical(path)
	}
	return print(path)
}

// pathCollapse answers mcp_path_collapse: PATH. It resolves "." and ".." and removes empty
// elements, without accessing the disk.
func pathCollapse(args []string) answer { return print(filepath.Clean(arg(args, 0))) }
