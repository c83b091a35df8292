package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/vendored"
)

func vendorCommand(p program) *cobra.Command {
	var output string
	var upgrade, verify, dryRun, verbose, asJSON bool
	cmd := &cobra.Command{
		Use:   "vendor",
		Short: "Keep a copy of this program in the project",
		Long: `Copy this program into the project, so that it works where mcp-bash is not
installed. Clients then run run-server.sh in the project, which starts the program in
.mcp-bash/bin; on Windows they run run-server.cmd, which is written too. Existing ones
are kept.

The copy runs on the system that it was made on. vendor.json beside it holds
sums of all files; --verify compares them and names each file that differs.`,
		Example: "  mcp-bash vendor\n  mcp-bash vendor --upgrade\n  mcp-bash vendor --verify",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			root := output
			if root == "" {
				var err error
				if root, err = p.project(); err != nil {
					return err
				}
			}
			dir := filepath.Join(root, vendored.Dir)
			if verify {
				return p.verifyVendored(dir, asJSON)
			}
			return p.vendor(dir, upgrade, dryRun, verbose, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&output, "output", "", "the `folder` that .mcp-bash is made in (default: the project)")
	flags.BoolVar(&upgrade, "upgrade", false, "replace a copy that is there already")
	flags.BoolVar(&verify, "verify", false, "check whether the copy is unchanged: exit code 0 if it is, else 1")
	flags.BoolVar(&verbose, "verbose", false, "name every file that is written")
	flags.BoolVar(&asJSON, "json", false,
		"print the copy's folder, version and files, or with --verify what differs, as JSON")
	flags.BoolVar(&dryRun, "dry-run", false, "print what would be written, and write nothing")
	cmd.MarkFlagsMutuallyExclusive("verify", "upgrade")
	cmd.MarkFlagsMutuallyExclusive("verify", "dry-run")
	return cmd
}

// A vendoredCopy is the copy in a project, as JSON.
type vendoredCopy struct {
	Dir     string   `json:"dir"`
	Version string   `json:"version"`
	Files   []string `json:"files"`   // absolute
	Written bool     `json:"written"` // not with --dry-run
}

// A verifiedCopy is the outcome of --verify, as JSON.
type verifiedCopy struct {
	Dir         string                `json:"dir"`
	Version     string                `json:"version"`
	Same        bool                  `json:"same"`
	Differences []vendored.Difference `json:"differences"` // with absolute paths
}

func (p program) vendor(dir string, upgrade, dryRun, verbose, asJSON bool) error {
	out := p.console(p.out)
	made := vendoredCopy{Dir: dir, Version: version, Written: !dryRun}
	for _, name := range vendored.Files() {
		made.Files = append(made.Files, filepath.Join(dir, filepath.FromSlash(name)))
	}
	if err := vendored.Check(dir, upgrade); errors.Is(err, vendored.ErrThere) {
		return fmt.Errorf("%w in %s; `mcp-bash vendor --upgrade` replaces it", err, dir)
	} else if err != nil {
		return err
	}
	switch {
	case dryRun && asJSON:
		return out.JSON(made)
	case dryRun:
		for _, path := range made.Files {
			out.Say("would write %s", path)
		}
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, stop := untilEnded(context.Background())
	defer stop()
	if _, err := vendored.Copy(ctx, dir,
		vendored.Source{Program: self, Version: version, From: origin(), At: time.Now()}); err != nil {
		return err
	}
	if asJSON {
		return out.JSON(made)
	}
	if verbose {
		for _, path := range made.Files {
			out.Say("  %s", path)
		}
	}
	out.OK("mcp-bash %s is in %s", version, dir)
	out.Hint("have clients run %s", filepath.Join(filepath.Dir(dir), vendored.Starters()[0]))
	return nil
}

func (p program) verifyVendored(dir string, asJSON bool) error {
	out := p.console(p.out)
	r, differences, err := vendored.Verify(dir)
	if err != nil {
		return err
	}
	found := verifiedCopy{Dir: dir, Version: r.Version, Same: len(differences) == 0, Differences: []vendored.Difference{}}
	for _, d := range differences {
		d.Path = filepath.Join(dir, filepath.FromSlash(d.Path))
		found.Differences = append(found.Differences, d)
	}
	if !found.Same {
		p.exit(1)
	}
	if asJSON {
		return out.JSON(found)
	}
	for _, d := range found.Differences {
		out.Fail("%s: %s", d.Path, d.What)
	}
	if !found.Same {
		out.Hint("`mcp-bash vendor --upgrade` makes a new copy")
		return nil
	}
	out.OK("%s is mcp-bash %s as it was made", dir, r.Version)
	return nil
}

// origin describes which build this is.
func origin() string {
	platform := " (" + runtime.GOOS + "/" + runtime.GOARCH + ")"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path != "" {
		return info.Main.Path + "@" + info.Main.Version + platform
	}
	return "mcp-bash " + version + platform
}
