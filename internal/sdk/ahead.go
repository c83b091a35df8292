package sdk

import (
	"context"
	"errors"
	"os"
)

// Pipes are the pipes of a channel for a tool that is started before its call.
type Pipes struct {
	pipes *pipes
	files []*os.File
}

// NewPipes returns the pipes for one channel.
func NewPipes() (*Pipes, error) {
	p, err := newPipes()
	if err != nil || p == nil {
		return nil, errors.Join(err, errors.ErrUnsupported)
	}
	return &Pipes{p, p.inherited()}, nil
}

// Files returns the open files that the tool must inherit, as [Channel.Files] does.
func (p *Pipes) Files() []*os.File { return p.files }

// Env returns the variables by which a tool in the folder dir finds the channel.
func (p *Pipes) Env(dir string) []string { return []string{variable(dir)} }

// Close closes pipes that were not used.
func (p *Pipes) Close() { p.pipes.close() }

// OpenAhead is Open with existing pipes. They are closed with the channel.
func (s *Server) OpenAhead(ctx context.Context, call Call, p *Pipes) *Channel {
	return s.open(ctx, call, p.pipes)
}
