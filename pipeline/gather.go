package pipeline

// Answers to messages that came in together leave together: one write for many costs little more
// than one for each of them. None waits for anything but messages that are served at once; see
// Options.Quick. The decision of the doors about an answer and its place on the wire stay one step,
// since lines that are held back leave before any other.
//
// Only NDJSON itself gathers: a stream of somebody else that is built on it must see all that passes.

// holds reports whether the answer of a turn can wait for that of the next message: it has come in,
// and is served at once. This reads the next message, so the turn must hold the baton.
func (p *Pipeline) holds(t *turn) bool {
	switch {
	case p.quick == nil || p.gather == nil:
		return false
	case t.item:
		return t.behind != nil && !t.passed.Load() && p.quick(t.behind)
	case t.passed.Swap(true): // until it has read; nobody passes on what is not there
		return false
	}
	defer t.passed.Store(false)
	if p.ahead == nil {
		if line, ok := p.gather.short(); ok {
			p.ahead = parseCopy(line)
		}
	}
	return p.ahead != nil && p.quick(p.ahead)
}

// flush writes what was held back, if there is anything.
func (p *Pipeline) flush() {
	if !p.held.Load() || !p.wire.lock() {
		return
	}
	defer p.wire.unlock()
	p.writeHeld()
}

// writeHeld is flush for a caller that holds the wire.
func (p *Pipeline) writeHeld() {
	if !p.held.Load() || p.closed.Load() {
		return
	}
	p.departing.Store(gathered)
	p.writing.Store(true)
	err := p.gather.flush()
	p.writing.Store(false)
	p.departing.Store(nil)
	p.held.Store(false)
	if err != nil {
		p.streamFailed(err)
	}
}
