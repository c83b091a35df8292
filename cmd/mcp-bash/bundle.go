package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/bundle"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// bundleFlags are the flags of mcp-bash bundle.
type bundleFlags struct {
	output, name, version, platform string
	binaries                        []string
	validate, verbose, json         bool
}

func bundleCommand(p program) *cobra.Command {
	var f bundleFlags
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "Pack the project into a file that clients install with one click",
		Long:  bundleLong(),
		Example: `  mcp-bash bundle --validate
  mcp-bash bundle --output dist
  mcp-bash bundle --platform all --binary darwin=mcp-bash-darwin --binary win32=mcp-bash-win32.exe`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return makeBundle(cmd.Context(), p, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.output, "output", ".", "the `folder` to write the bundle to")
	flags.StringVar(&f.name, "name", "", "the bundle's `name` (default: MCPB_NAME, else the server's)")
	flags.StringVar(&f.version, "version", "", "its `version` (default: MCPB_VERSION, else the server's)")
	flags.StringVar(&f.platform, "platform", "",
		"the `system` that it is for: linux, darwin, win32 or all (default: this one)")
	flags.StringArrayVar(&f.binaries, "binary", nil, "a build of this program for another system, as `PLATFORM=PATH`")
	flags.BoolVar(&f.validate, "validate", false, "report what is wrong with it, and write nothing")
	flags.BoolVar(&f.verbose, "verbose", false, "list every file in it")
	flags.BoolVar(&f.json, "json", false, "print the bundle's path, files and warnings as JSON")
	flags.Bool("include-gojq", false, "")
	_ = flags.MarkDeprecated("include-gojq", "jq is part of the program")
	return cmd
}

// bundleLong explains the command, with every variable of mcpb.conf.
func bundleLong() string {
	var keys strings.Builder
	for _, k := range new(bundle.Config).Keys() {
		fmt.Fprintf(&keys, "    %-28s %s\n", k.Name, k.Meaning)
	}
	build, file := bundle.Darwin.Build()
	return `Pack the project and this program into NAME-VERSION.mcpb, an MCP bundle, which
Claude Desktop and others install with one click. The user needs nothing else,
except the programs that the tools call. On Windows scripts need bash, which Git
for Windows includes.

It contains the folders that a server reads (tools, resources, interceptors and so
on) and lib, and what MCPB_INCLUDE names. Files that look like secrets (.env, *.key, ...)
are left out, and links that lead out of the project are refused. The same project
gives the same bytes.

mcpb.conf in the project describes the bundle further, in lines like
MCPB_AUTHOR_NAME="Ada Lovelace". What it does not set comes from
server.d/server.meta.json, VERSION and git. It is read as data, never run:

` + keys.String() + `
The program runs on one system only. A bundle for several needs a build of it for
each; without one, users there need mcp-bash on their PATH:

    ` + build + `
    mcp-bash bundle --binary darwin=` + file + `

Bundles do not distinguish kinds of processors; lipo makes one program for both kinds
of Mac.`
}

func makeBundle(ctx context.Context, p program, f bundleFlags) error {
	ctx, stop := untilEnded(ctx, syscall.SIGPIPE)
	defer stop()
	root, err := p.project()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	platforms, programs, err := bundle.Programs(f.platform, f.binaries, self)
	if err != nil {
		return err
	}
	source := bundle.Source{Root: root, Platforms: platforms, Programs: programs}
	source.Config, err = bundle.ReadConfig(filepath.Join(root, "mcpb.conf"), "mcpb.conf")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if f.name != "" {
		source.Name = f.name
	}
	if f.version != "" {
		source.Version = f.version
	}
	out := p.console(p.out)
	if !source.Dynamic {
		if source.Registry, err = os.MkdirTemp("", "mcpbash.bundle."); err != nil {
			return err
		}
		defer os.RemoveAll(source.Registry)
	}
	faults, err := p.offered(ctx, &source)
	if err != nil {
		return err
	}
	source.Fallback = bundle.GitConfig(ctx, root)
	if err := ctx.Err(); err != nil {
		return err // rather than a bundle that lacks what was not found in time
	}
	b, err := bundle.Make(source)
	if err != nil {
		return err
	}
	made := bundleResult{Name: b.Manifest.Name, Version: b.Manifest.Version, LeftOut: append([]string{}, b.LeftOut...),
		Warnings: []string{}}
	for _, fault := range faults {
		made.Warnings = append(made.Warnings, fault.String())
	}
	made.Warnings = append(made.Warnings, b.Warnings...)
	for _, file := range b.Files {
		made.Files = append(made.Files, file.Path)
	}
	if !f.json {
		made.printContents(out, f.verbose)
	}
	if !f.validate {
		made.Path = filepath.Join(f.output, b.FileName())
		if err := p.writeBundle(ctx, b, made.Path); err != nil {
			return err
		}
		info, err := os.Stat(made.Path)
		if err != nil {
			return err
		}
		made.Bytes = info.Size()
	}
	switch {
	case f.json:
		return out.JSON(made)
	case f.validate:
		out.OK("%s is valid", b.FileName())
		return nil
	}
	out.OK("%s (%d files, %s)", made.Path, len(made.Files), megabytes(made.Bytes))
	out.Hint("open it in Claude Desktop, or upload it to a registry with: mcp-bash publish %s", console.Quote(made.Path))
	return nil
}

// A bundleResult is the result of mcp-bash bundle, as JSON.
type bundleResult struct {
	Path     string   `json:"path,omitempty"` // absent if it was only checked
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Bytes    int64    `json:"bytes,omitempty"`
	Files    []string `json:"files"`
	LeftOut  []string `json:"leftOut"` // files that look like secrets
	Warnings []string `json:"warnings"`
}

// printContents shows the warnings about the bundle and, with all, its files.
func (m bundleResult) printContents(out *console.Console, all bool) {
	for _, w := range m.Warnings {
		out.Warn("%s", w)
	}
	for _, name := range m.LeftOut {
		out.Warn("%s looks like a secret and is left out", name)
		out.Hint("name it in MCPB_INCLUDE if it is not one")
	}
	if all {
		for _, name := range m.Files {
			out.Say("  %s", name)
		}
	}
}

// writeBundle writes the file as a whole, or not at all.
func (p program) writeBundle(ctx context.Context, b *bundle.Bundle, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	bar := p.console(p.err).Progress("packing", len(b.Files))
	defer bar.Done()
	whole, err := files.Prepare(path, 0o644, func(w io.Writer) error { return b.Write(ctx, w, bar.Step) })
	if err != nil {
		return err
	}
	defer whole.Drop()
	if err := ctx.Err(); err != nil {
		return err
	}
	return whole.Put()
}

// offered fills in what the server of the project offers, and returns the faults of what it leaves
// out.
func (p program) offered(ctx context.Context, s *bundle.Source) ([]catalog.Fault, error) {
	settings, _, err := p.readProject(s.Root)
	if err != nil {
		return nil, err
	}
	return s.List(ctx,
		opening(settings, &process.Runner{}, operator.ToolEnvironment(p.env, settings), slog.New(slog.DiscardHandler)))
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
