package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/vendored"
)

func vendorCommand(p program) *cobra.Command {
	var output string
	var upgrade, verify, dryRun, verbose bool
	cmd := &cobra.Command{
		Use:   "vendor",
		Short: "Keep a copy of this program in the project",
		Long: `Copy this program into the project, so that it works where mcp-bash is not
installed. Clients then run run-server.sh in the project, which starts the program in
.mcp-bash/bin; on Windows they run run-server.cmd, which is written too. Ones that
are there are kept.

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
				return p.verifyVendored(dir)
			}
			return p.vendor(dir, upgrade, dryRun, verbose)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&output, "output", "", "the `folder` that .mcp-bash is made in (default: the project)")
	flags.BoolVar(&upgrade, "upgrade", false, "replace a copy that is there already")
	flags.BoolVar(&verify, "verify", false, "say whether the copy is as it was made: exit code 0, else 1")
	flags.BoolVar(&verbose, "verbose", false, "name every file that is written")
	flags.BoolVar(&dryRun, "dry-run", false, "say what would be written, and write nothing")
	cmd.MarkFlagsMutuallyExclusive("verify", "upgrade")
	cmd.MarkFlagsMutuallyExclusive("verify", "dry-run")
	return cmd
}

func (p program) vendor(dir string, upgrade, dryRun, verbose bool) error {
	out := p.console(p.out)
	if err := vendored.Check(dir, upgrade); errors.Is(err, vendored.ErrThere) {
		return fmt.Errorf("%w in %s; `mcp-bash vendor --upgrade` replaces it", err, dir)
	} else if err != nil {
		return err
	}
	if dryRun {
		for _, name := range vendored.Files() {
			out.Say("would write %s", filepath.Join(dir, filepath.FromSlash(name)))
		}
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if _, err := vendored.Copy(dir, vendored.Source{Program: self, Version: version, From: origin(), At: time.Now()}); err != nil {
		return err
	}
	if verbose {
		for _, name := range vendored.Files() {
			out.Say("  %s", filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	out.OK("mcp-bash %s is in %s", version, dir)
	out.Hint("have clients run %s", filepath.Join(filepath.Dir(dir), vendored.Starters()[0]))
	return nil
}

func (p program) verifyVendored(dir string) error {
	out := p.console(p.out)
	r, differences, err := vendored.Verify(dir)
	if err != nil {
		return err
	}
	for _, d := range differences {
		out.Fail("%s: %s", filepath.Join(dir, filepath.FromSlash(d.Path)), d.What)
	}
	if len(differences) > 0 {
		out.Hint("`mcp-bash vendor --upgrade` makes a new copy")
		p.exit(1)
		return nil
	}
	out.OK("%s is mcp-bash %s as it was made", dir, r.Version)
	return nil
}

// origin says which build this is.
func origin() string {
	platform := " (" + runtime.GOOS + "/" + runtime.GOARCH + ")"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path != "" {
		return info.Main.Path + "@" + info.Main.Version + platform
	}
	return "mcp-bash " + version + platform
}
