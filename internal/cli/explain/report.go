// Package explain tells what happened in a recording: as a table of its calls, as the life of one message, as
// JSON, and as a page; and what interceptors would have done to it.
package explain

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/replay"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Report is what a recording says. Sessions and messages are numbered from 1.
type Report struct {
	File     string     `json:"file"`
	Sessions []*Session `json:"sessions"`
	Messages []*Message `json:"messages"` // in the order in which they passed

	wanted   string // the name or number of a session; empty: all
	sessions map[string]*Session
	entries  []entry // the same, with the steps
}

// A Session is the conversation with one client.
type Session struct {
	Number  int    `json:"number"`
	Name    string `json:"name"`
	Began   string `json:"began"`
	Version string `json:"version,omitempty"` // of mcp-bash
	Project string `json:"project,omitempty"`
	Client  string `json:"client,omitempty"` // its name and version

	ended time.Time
	lines map[uint64][]*Message // those of the client
	calls map[string]*Message   // that are not answered, by who has sent them and their ids
	steps bool                  // some were recorded
}

// A Message is a message, and what has become of it. Items of a batch are messages of their own.
type Message struct {
	Number  int             `json:"number"`
	Session int             `json:"session"`
	Line    uint64          `json:"line,omitempty"` // of the client's input, which it is, or was sent for
	Time    string          `json:"time"`
	From    string          `json:"from"` // client or server
	Kind    string          `json:"kind"` // call, notification, response or malformed
	Method  string          `json:"method,omitempty"`
	Name    string          `json:"name,omitempty"` // of the tool or prompt, or the URI
	ID      string          `json:"id,omitempty"`   // as it is spelled in JSON
	Bytes   int             `json:"bytes"`
	For     int             `json:"for,omitempty"` // the number of the message that it answers, or was sent for
	Message json.RawMessage `json:"message"`       // a text if it was not JSON

	// Of a call.
	Answer  int               `json:"answer,omitempty"`  // the number of its response
	Outcome string            `json:"outcome,omitempty"` // as in the log of calls, or never answered
	Took    float64           `json:"tookMs,omitempty"`
	Exit    *int              `json:"exit,omitempty"`
	Reason  string            `json:"reason,omitempty"`
	Steps   []json.RawMessage `json:"steps,omitempty"` // of it, and of what left for it; see docs/trace.schema.json

	at     time.Time
	parsed *pipeline.Message
}

// An entry is a message, or a step of one.
type entry struct {
	message *Message
	step    json.RawMessage
}

const unanswered = "never answered"

// Failed reports whether a call did not end as it should.
func (m *Message) Failed() bool {
	return m.Outcome == "failed" || m.Outcome == "refused" || m.Outcome == unanswered
}

// limit is the maximum size of a file.
const limit = 1 << 30

// Read reads a recording, and the part of it that was renamed to PATH.1 when it had become too long. Of a session
// that is named, by its name or number, only its messages are in the report.
func Read(path, session string) (*Report, error) {
	text, err := files.Read(path, limit)
	if err != nil {
		return nil, err
	}
	if !replay.IsRecording(text) {
		return nil, errors.New(path + ": not a recording; `mcp-bash serve --record FILE` writes one")
	}
	r := &Report{File: path, Sessions: []*Session{}, Messages: []*Message{}, wanted: session,
		sessions: make(map[string]*Session)}
	older, err := files.Read(path+".1", limit)
	switch {
	case err == nil && replay.IsRecording(older):
		err = replay.Lines(path+".1", older, r.add)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err == nil {
		err = replay.Lines(path, text, r.add)
	}
	if err == nil && session != "" && !slices.ContainsFunc(r.Sessions, r.wants) {
		err = fmt.Errorf("%s: no session is %s; it has %s, numbered from 1", path, session,
			console.Count(len(r.Sessions), "session"))
	}
	return r, err
}

func (r *Report) wants(s *Session) bool {
	return r.wanted == "" || r.wanted == s.Name || r.wanted == strconv.Itoa(s.Number)
}

// add adds a line of the recording.
func (r *Report) add(l replay.Line) error {
	s := r.sessions[l.Session]
	if s == nil || l.Way == "start" {
		s = &Session{Number: len(r.Sessions) + 1, Name: l.Session, Began: l.Time, lines: make(map[uint64][]*Message),
			calls: make(map[string]*Message)}
		r.Sessions, r.sessions[l.Session] = append(r.Sessions, s), s
	}
	if s.ended = l.At(); !r.wants(s) {
		return nil
	}
	switch l.Way {
	case "start":
		var start middleware.Recording
		err := json.Unmarshal(l.Message, &start)
		s.Version, s.Project = start.Version, start.Project
		return err
	case "step":
		return r.step(s, l)
	}
	m := pipeline.Parse([]byte(l.Text()))
	if m.Kind() != pipeline.Batch {
		r.message(s, l, m, l.Message)
		return nil
	}
	for item := range m.Items() {
		r.message(s, l, item, item.Line())
	}
	return nil
}

// message adds a message, and links it with the one that it answers or was sent for.
func (r *Report) message(s *Session, l replay.Line, p *pipeline.Message, text json.RawMessage) {
	m := &Message{Number: len(r.Messages) + 1, Session: s.Number, Line: l.Line, Time: l.Time, From: "client",
		Kind: p.Kind().String(), Method: p.Method(), ID: p.ID().String(), Bytes: len(p.Line()), Message: text,
		at: l.At(), parsed: p}
	other := "server"
	if l.Way == "out" {
		m.From, other = other, m.From
	}
	r.Messages, r.entries = append(r.Messages, m), append(r.entries, entry{message: m})
	if m.From == "client" {
		s.lines[m.Line] = append(s.lines[m.Line], m)
	} else if cause := s.cause(m.Line, ""); cause != nil && m.Line > 0 {
		m.For = cause.Number
	}
	switch p.Kind() {
	case pipeline.Call:
		m.Name, m.Outcome = middleware.Subject(pipeline.MCP, p), unanswered
		s.calls[m.From+p.ID().Key()] = m
		s.meet(p)
	case pipeline.Response:
		key := other + p.ID().Key()
		call := s.calls[key]
		if call == nil && m.For > 0 && r.Messages[m.For-1].Kind == "malformed" {
			call = r.Messages[m.For-1]
		}
		if call == nil {
			return
		}
		delete(s.calls, key)
		end := middleware.EndOf(pipeline.MCP, p)
		m.For, call.Answer, call.Took = call.Number, m.Number, float64(m.at.Sub(call.at).Microseconds())/1000
		call.Outcome, call.Exit, call.Reason = end.Outcome, end.Exit, end.Reason
	case pipeline.Notification:
		if id, ok := pipeline.MCP.Cancelled(p); ok {
			if call := s.calls[m.From+id.Key()]; call != nil {
				call.Outcome, m.For = "cancelled", call.Number
			}
		}
	}
}

// meet records the name of the client, where a call says it: initialize, or each without sessions.
func (s *Session) meet(call *pipeline.Message) {
	type info struct{ Name, Version string }
	var params struct {
		ClientInfo info `json:"clientInfo"`
		Meta       struct {
			ClientInfo info `json:"io.modelcontextprotocol/clientInfo"`
		} `json:"_meta"`
	}
	if s.Client != "" || json.Unmarshal(call.Params(), &params) != nil {
		return
	}
	client := cmp.Or(params.ClientInfo, params.Meta.ClientInfo)
	s.Client = strings.TrimSpace(client.Name + " " + client.Version)
}

// cause returns the message of a line of the client, that with the id if it has several.
func (s *Session) cause(line uint64, id string) *Message {
	all := s.lines[line]
	for _, m := range all {
		if m.ID == id {
			return m
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// step adds what a stage did to the message that it is about.
func (r *Report) step(s *Session, l replay.Line) error {
	var about struct {
		Kind, ID string
		For      *struct{ ID string }
	}
	if err := json.Unmarshal(l.Step, &about); err != nil {
		return err
	}
	s.steps = true
	id := about.ID
	if about.For != nil {
		id = about.For.ID
	}
	if m := s.cause(l.Line, id); m != nil && l.Line > 0 && about.Kind != "batch" { // its items are messages here
		m.Steps = append(m.Steps, l.Step)
		r.entries = append(r.entries, entry{m, l.Step})
	}
	return nil
}
