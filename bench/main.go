// Bench compares mcp-bash with other servers, alternating between them in one run:
// a minimal server (floor), the official Go SDK and mcp-go, each serving the same
// folders of tools; and with the bare start of a process. It prints a table; -doc
// writes it into a page.
//
// It is a separate module, so that the other servers do not become dependencies of mcp-bash.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// The subjects. bare is only the start of the process, without a server.
const (
	ours  = "mcp-bash"
	floor = "floor"
	goSDK = "Go SDK"
	mcpGo = "mcp-go"
	bare  = "bare"
)

// A bench is a run of the benchmark.
type bench struct {
	dir    string // for binaries and projects, removed at the end
	rounds int
	only   *regexp.Regexp
	before string // an earlier mcp-http
	rows   []*row
	// commands return the command of each server for a project.
	commands map[string]func(project string) []string
	// servers are the keys of commands in the order of the table.
	servers []string
}

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 30, "how often each server is measured; calls are measured ten times as often")
	only := flag.String("only", "", "measure the rows whose name matches this regular expression")
	before := flag.String("before", "", "measure mcp-http beside this earlier `program`, too")
	doc := flag.String("doc", "", "write the table into this page, between its markers")
	flag.Parse()

	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		log.Fatal(err)
	}
	b := &bench{dir: dir, rounds: *rounds, only: regexp.MustCompile(*only), before: *before}
	err = b.run()
	os.RemoveAll(dir)
	if err != nil {
		log.Fatal(err)
	}
	table := b.table()
	fmt.Print(table)
	if *doc != "" {
		if err := writeInto(*doc, table); err != nil {
			log.Fatal(err)
		}
	}
}

func (b *bench) run() error {
	if err := b.build(); err != nil {
		return err
	}
	for _, measure := range []func() error{
		b.starts, b.lists, b.rest, b.calls, b.inFlight, b.sdk, b.bytes, b.ends, b.pings,
		b.wrap, b.interceptors, b.http, b.workers, b.sizes,
	} {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}

// build builds the servers over stdio.
func (b *bench) build() error {
	b.commands = map[string]func(string) []string{}
	for _, s := range []struct{ name, folder, pkg string }{
		{ours, "..", "./cmd/mcp-bash"},
		{floor, ".", "./floor"},
		{goSDK, ".", "./gosdk"},
		{mcpGo, ".", "./mcpgo"},
	} {
		binary := b.binary(s.name)
		if err := install(s.folder, s.pkg, binary); err != nil {
			return err
		}
		b.servers = append(b.servers, s.name)
		b.commands[s.name] = func(project string) []string {
			if s.name == ours {
				return []string{binary, "serve", "--project-root", project}
			}
			return []string{binary, project}
		}
	}
	return nil
}

// install builds a program as it is released: stripped, without paths and without C. It is copied as
// an installation copies it: of a file that the linker has written, the system keeps smaller pieces
// in memory, which takes longer to start.
func install(folder, pkg, program string) error {
	built := program + ".built"
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", built, pkg)
	cmd.Dir, cmd.Stderr = folder, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build %s: %w", pkg, err)
	}
	data, err := os.ReadFile(built)
	if err != nil {
		return err
	}
	return os.WriteFile(program, data, 0o755)
}

func (b *bench) binary(server string) string {
	return filepath.Join(b.dir, "bin-"+regexp.MustCompile(`\W`).ReplaceAllString(server, ""))
}

// add returns a row to measure, or nil if -only excludes it.
func (b *bench) add(r row) *row {
	if !b.only.MatchString(r.name) {
		return nil
	}
	log.Printf("%s …", r.name)
	b.rows = append(b.rows, &r)
	return &r
}

// project creates a folder for a project.
func (b *bench) project(name string, make func(dir string) error) (string, error) {
	dir := filepath.Join(b.dir, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, make(dir)
}

// open opens a session with each server for a project. The returned function ends
// them.
func (b *bench) open(project string) (map[string]*client, func(), error) {
	all := map[string]*client{}
	end := func() {
		for _, c := range all {
			c.close()
		}
	}
	for _, s := range b.servers {
		c, err := open(b.commands[s](project))
		if err != nil {
			end()
			return nil, nil, err
		}
		all[s] = c
	}
	return all, end, nil
}
