package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/replay"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// replayOptions are the options of replay.
type replayOptions struct {
	argv   []string // the server to start; nil: this program, with the project, or the server elsewhere
	far    elsewhere
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

The server is this program with the project, what follows --, or with --url one elsewhere. It
is started again for each session of a recording: each time that a client had started the server. Times,
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
			if _, err := r.far.server(p, argv); err != nil {
				return err
			}
			if len(paths) == 0 {
				return console.Usagef("mcp-bash replay requires a file; `mcp-bash serve --record FILE` records one")
			}
			if err := checkSeconds("--wait", r.wait); err != nil {
				return err
			}
			return p.replay(r, paths)
		},
	}
	f := cmd.Flags()
	r.far.add(f)
	f.BoolVar(&r.update, "update", false, "rewrite the recordings with the server's current answers")
	f.BoolVar(&r.json, "json", false, "print the outcome of each file as JSON")
	f.StringVar(&r.junit, "junit", "", "write a report for CI systems into this `file`")
	f.Float64Var(&r.wait, "wait", 10, "`seconds` to wait for what the recording has")
	f.StringSliceVar(&r.ignore, "ignore", nil, "ignore notifications with these `methods`")
	return cmd
}

func (p program) replay(r replayOptions, paths []string) error {
	root := ""
	if r.argv == nil && r.far == (elsewhere{}) {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		if root, err = p.project(); err != nil {
			return err
		}
		r.argv = []string{self, "serve", "--project-root", root}
	}
	report := replayed{Same: true, Files: []replay.Played{}}
	out := p.messages(r.json)
	for _, path := range paths {
		played, err := p.replayOne(out, r, root, path)
		if err != nil {
			played.Outcome, played.Error = "error", err.Error()
			out.Fail("%s: %v", path, err)
		}
		report.Same = report.Same && err == nil && len(played.Differences) == 0
		report.Files = append(report.Files, played)
	}
	if r.junit != "" {
		if err := files.Rewrite(r.junit, replay.JUnit(report.Files), 0o644); err != nil {
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
	Same  bool            `json:"same"`
	Files []replay.Played `json:"files"`
}

// replayOne replays a file, and prints the outcome for people.
func (p program) replayOne(out *console.Console, r replayOptions, root, path string) (replay.Played, error) {
	played := replay.Played{File: path, Outcome: "same"}
	recorded, err := replay.Read(path)
	if err != nil {
		return played, err
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
		played.TookSecs += time.Since(began).Seconds()
		if err != nil {
			return played, err
		}
		outcomes = append(outcomes, outcome)
		switch {
		case r.update: // when all are known
		case recorded.Plain():
			played.Outcome = "printed"
			for _, line := range slices.Concat(outcome.Written...) {
				out.Say("%s", line)
				played.Written = append(played.Written, line)
			}
		case len(outcome.Differences) == 0:
			out.OK("%s: the same", name)
		default:
			played.Outcome = "differs"
			for i := range outcome.Differences {
				outcome.Differences[i].Session = session
			}
			out.Fail("%s: differs", name)
			out.Diff(strings.TrimSuffix(replay.Text(outcome.Differences), "\n"))
			played.Differences = append(played.Differences, outcome.Differences...)
		}
	}
	if r.update {
		if err := recorded.Update(outcomes); err != nil {
			return played, err
		}
		played.Outcome = "updated"
		out.OK("%s: updated", path)
	}
	return played, nil
}

// play plays a conversation to a server of its own.
func (p program) play(r replayOptions, root string, c *replay.Conversation) (*replay.Outcome, error) {
	o := replay.Options{Project: root, Wait: time.Duration(r.wait * float64(time.Second)), Ignore: r.ignore}
	environ := slices.Concat(p.environ, c.Environ)
	if root != "" {
		environ = append(c.Identity(), environ...) // what is set otherwise counts
	}
	server, err := r.far.dial(p, r.argv, environ, p.err)
	if err != nil {
		return nil, err
	}
	return c.Play(server, o)
}
