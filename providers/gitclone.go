package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A clone is the temporary bare repository of one read.
type clone struct {
	git    Git
	file   gitFile
	dir    string
	config []string
	env    []string
}

// fetched is the name of the fetched commit.
const fetched = "refs/mcp-bash/fetched"

// content fetches the commit without its files, looks up the path, and fetches just that one file.
func (c clone) content(ctx context.Context) ([]byte, error) {
	if _, err := c.run(ctx, "init", "--quiet", "--bare", "--template=", "--", c.dir); err != nil {
		return nil, err
	}
	if _, err := c.run(ctx, "fetch", "--quiet", "--depth=1", "--no-tags", "--filter=blob:none", "--no-write-fetch-head",
		"--", "origin", "+"+c.file.ref+":"+fetched); err != nil {
		return nil, err
	}
	entry, err := c.run(ctx, "ls-tree", "-z", "--full-tree", fetched, "--", c.file.path)
	if err != nil {
		return nil, err
	}
	object, err := blobIn(string(entry))
	if err != nil {
		return nil, err
	}
	return c.run(ctx, "cat-file", "blob", object)
}

// blobIn returns the id of a file from a line of ls-tree: MODE TYPE ID, a tab, the path.
func blobIn(entry string) (string, error) {
	about, _, _ := strings.Cut(entry, "\t")
	fields := strings.Fields(about)
	switch {
	case len(fields) < 3:
		return "", fmt.Errorf("%w: the repository has no such file", ErrNotFound)
	case fields[0] == "120000":
		return "", fmt.Errorf("%w: it is a symbolic link; name the file that it leads to", ErrDenied)
	case fields[1] == "tree":
		return "", fmt.Errorf("%w: it is a folder; name a file in it", ErrBadURI)
	case fields[1] != "blob":
		return "", fmt.Errorf("%w: it is a submodule", ErrNotFound)
	}
	return fields[2], nil
}

// run runs a subcommand of git in the repository and returns its output.
func (c clone) run(ctx context.Context, args ...string) ([]byte, error) {
	command := Command{Path: c.git.Program, Dir: filepath.Dir(c.dir), Env: c.env,
		MaxBytes: int(cmp.Or(c.git.MaxBytes, DefaultMaxBytes))}
	if args[0] != "init" {
		command.Args = append(command.Args, "--git-dir="+c.dir)
	}
	for _, pair := range c.config {
		command.Args = append(command.Args, "-c", pair)
	}
	command.Args = append(command.Args, args...)
	out, err := c.git.Run.runCommand(ctx, command)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%w: cannot start git; install it", ErrUnavailable)
	case err != nil:
		return nil, err
	case out.ExitCode != 0:
		return nil, c.faultOf(out.Stderr)
	}
	return out.Stdout, nil
}

// faultOf returns a fault for an error message of git.
func (c clone) faultOf(stderr string) error {
	says := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(stderr, p) })
	}
	switch {
	case says("couldn't find remote ref", "not our ref", "unadvertised object"):
		return fmt.Errorf("%w: the repository has no branch, tag or commit %q; a commit needs its full id", ErrNotFound,
			c.file.ref)
	case says("could not read Username", "Authentication failed"):
		return fmt.Errorf("%w: the repository does not exist or requires credentials, which are not sent", ErrUnavailable)
	case says("repository '") && says("not found"):
		return fmt.Errorf("%w: the repository does not exist", ErrNotFound)
	}
	last := stderr[strings.LastIndexByte(stderr, '\n')+1:]
	return fmt.Errorf("%w: git: %s", ErrUnavailable, strings.TrimPrefix(last, "fatal: "))
}

// sizeInterval is how often the size of a clone is checked while git runs.
const sizeInterval = 100 * time.Millisecond

// watchSize returns a context that ends when a folder grows beyond a limit. Git itself cannot limit
// the size of a fetch.
func watchSize(ctx context.Context, dir string, maxKB int64) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(sizeInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if diskUsage(dir) > maxKB<<10 {
					cancel(repositoryTooLarge(maxKB))
				}
			}
		}
	}()
	return ctx, func() { cancel(nil); <-done }
}

func repositoryTooLarge(maxKB int64) error {
	return fmt.Errorf("%w: the repository takes more than %d KB; raise MCPBASH_GIT_MAX_KB", ErrTooLarge, maxKB)
}

// diskUsage returns the size of all files below a folder that can be seen.
func diskUsage(dir string) (total int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // removed meanwhile
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}
