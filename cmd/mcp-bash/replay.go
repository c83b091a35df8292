package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/replay"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
)

// replayOptions are the options of replay.
type replayOptions struct {
	argv   []string // the server to start; nil: this program, with the project
	update bool
	json   bool
	junit  string
	wait   float64
	ignore []string
}

func replayCommand(p program) *cobra.Command {
	var r replayOptions
	cmd := &cobra.Command{
		Use:   "replay FILE...",
		Short: "Play recorded conversations again and compare the answers",
		Long: `Play the client's part of recorded conversations to a server, wait for the same answers
and notifications as in the recording, and compare them. A file is a recording of
` + "`serve --record`" + ` or of ` + "`debug`" + `, or NAME.client.ndjson with NAME.server.ndjson beside it,
where a blank line means: wait here, and a file env beside them has the variables of
the server, NAME=VALUE a line. For any other file of messages, the answers are printed.

The server is this program with the project, or what follows --. It is started again
for each session of a recording: each time that a client had started the server. Times,
temporary folders, the project's folder and the name that a server has from it, and what
servers make anew each time, such as cursors, count as the same. The exit code is 1 where
something differs, or where --update finds that answers are missing and keeps the file as
it is.`,
		Example: `  mcp-bash serve --record session.ndjson
  mcp-bash replay session.ndjson
  mcp-bash replay --junit report.xml replay/*.client.ndjson
  mcp-bash replay session.ndjson -- ./another-server --stdio`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, argv, err := splitAtDash(cmd, args)
			if err != nil {
				return err
			}
			r.argv = argv
			if len(paths) == 0 {
				return console.Usagef("mcp-bash replay requires a file; `mcp-bash serve --record FILE` records one")
			}
			if !(r.wait > 0) {
				return console.Usagef("--wait %g: write a number of seconds above 0", r.wait)
			}
			return p.replay(r, paths)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&r.update, "update", false, "rewrite the recordings with the server's current answers")
	f.BoolVar(&r.json, "json", false, "print the outcome of each file as JSON")
	f.StringVar(&r.junit, "junit", "", "write a report for CI systems into this `file`")
	f.Float64Var(&r.wait, "wait", 10, "`seconds` to wait for what the recording has")
	f.StringSliceVar(&r.ignore, "ignore", nil, "ignore notifications with these `methods`")
	return cmd
}

func (p program) replay(r replayOptions, paths []string) error {
	root := ""
	if r.argv == nil {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		if root, err = p.project(); err != nil {
			return err
		}
		r.argv = []string{self, "serve", "--project-root", root}
	}
	var all []replay.Played
	report := replayed{Same: true, Files: []replayedFile{}}
	out := p.messages(r.json)
	for _, path := range paths {
		played, file, err := p.replayOne(out, r, root, path)
		if err != nil {
			played.Err = err
			file.Outcome, file.Error = "error", err.Error()
			out.Fail("%s: %v", path, err)
		}
		report.Same = report.Same && err == nil && len(played.Differences) == 0
		report.Files = append(report.Files, file)
		all = append(all, played)
	}
	if r.junit != "" {
		if err := files.Rewrite(r.junit, replay.JUnit(all), 0o644); err != nil {
			return fmt.Errorf("--junit: %w", err)
		}
	}
	if !report.Same {
		p.exit(1)
	}
	if r.json {
		return p.console(p.out).JSON(report)
	}
	return nil
}

// A replayed is the outcome for all files, as JSON.
type replayed struct {
	Same  bool           `json:"same"`
	Files []replayedFile `json:"files"`
}

type replayedFile struct {
	File        string    `json:"file"`
	Outcome     string    `json:"outcome"` // same, differs, updated, printed or error
	TookSecs    float64   `json:"tookSecs"`
	Differences []inBlock `json:"differences,omitempty"`
	Written     []string  `json:"written,omitempty"` // the lines of the server, if none were recorded
	Error       string    `json:"error,omitempty"`
}

type inBlock struct {
	Session int    `json:"session,omitempty"` // from 1, if the file has several
	Block   int    `json:"block"`             // from 1
	Text    string `json:"text"`              // for people: a unified diff
}

// replayOne replays a file, and prints the outcome for people.
func (p program) replayOne(out *console.Console, r replayOptions, root, path string) (played replay.Played, file replayedFile, err error) {
	played, file = replay.Played{Name: path}, replayedFile{File: path, Outcome: "same"}
	recorded, err := replay.Read(path)
	if err != nil {
		return played, file, err
	}
	var outcomes []*replay.Outcome
	for i, c := range recorded.Conversations {
		name, session := path, 0
		if several := len(recorded.Conversations); several > 1 {
			session = i + 1
			name = fmt.Sprintf("%s, session %d of %d", path, session, several)
		}
		began := time.Now()
		outcome, err := p.play(r, root, c)
		played.Took += time.Since(began)
		file.TookSecs = played.Took.Seconds()
		if err != nil {
			return played, file, err
		}
		outcomes = append(outcomes, outcome)
		switch {
		case r.update: // when all are known
		case recorded.Plain():
			file.print(out, outcome)
		default:
			played.Differences = append(played.Differences, file.compare(out, outcome, name, session)...)
		}
	}
	if r.update {
		if err := recorded.Update(outcomes); err != nil {
			return played, file, err
		}
		file.Outcome = "updated"
		out.OK("%s: updated", path)
	}
	return played, file, nil
}

// play plays a conversation to a server of its own.
func (p program) play(r replayOptions, root string, c *replay.Conversation) (*replay.Outcome, error) {
	o := replay.Options{Project: root, Wait: time.Duration(r.wait * float64(time.Second)), Ignore: r.ignore}
	if root != "" {
		served, err := project.Open(root, project.Options{ServerDir: p.env["MCPBASH_SERVER_DIR"]})
		if err != nil {
			return nil, err
		}
		id, _ := served.Identity() // validate reports the faults
		if named := served.Defaults(); id.Name == named.Name {
			o.Name = id.Name
			if id.Title == named.Title {
				o.Title = id.Title
			}
		}
	}
	server, err := dial.Command(r.argv, slices.Concat(p.environ, c.Environ), p.err)
	if err != nil {
		return nil, err
	}
	return c.Play(server, o)
}

// print prints what the server wrote.
func (f *replayedFile) print(out *console.Console, o *replay.Outcome) {
	for _, lines := range o.Written {
		for _, line := range lines {
			out.Say("%s", line)
		}
		f.Written = append(f.Written, lines...)
	}
	f.Outcome = "printed"
}

// compare prints how the conversation with a name differs from its recording, and
// returns the differences.
func (f *replayedFile) compare(out *console.Console, o *replay.Outcome, name string, session int) []replay.Difference {
	if len(o.Differences) == 0 {
		out.OK("%s: the same", name)
		return nil
	}
	f.Outcome = "differs"
	for i := range o.Differences {
		d := &o.Differences[i]
		d.Session = session
		f.Differences = append(f.Differences, inBlock{session, d.Block + 1, d.Text})
	}
	out.Fail("%s: differs", name)
	out.Diff(strings.TrimSuffix(replay.Text(o.Differences), "\n"))
	return o.Differences
}
