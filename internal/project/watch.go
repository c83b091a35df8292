package project

import (
	"context"
	"time"
)

const (
	debounce     = 100 * time.Millisecond // to save a file is more than one change
	maxDelay     = 500 * time.Millisecond // the longest that a change waits to be looked at
	fallbackPoll = time.Second            // where the system does not report changes
	restRatio    = 10                     // how much longer than a look took nothing is looked at
)

// Watch has the system report what happens to the project's files, and returns what watches it
// until its context ends. It must be called, and started soon: whoever asks for a list waits for
// its first look, rather than look at the same time. That calls changed with the lists that are not what they were, as clients
// see them, within a second after it happened. Nothing is called while nothing changed, nor for a
// list that a registration spoils.
//
// Before that it calls begun, once: no change from then on is missed. That is as soon as all lists
// were looked at, which takes as long as server.d/register.sh does. begun returns the
// time, as [Now] gives it, since which a client may expect to hear of changes: changed is called for
// those too. 0 means that there is no such client.
//
// Then it calls happened after anything was reported, which may be of a file that Observe is
// about.
//
// While nothing happens, nothing is done. Where the system cannot report all changes, as for more
// folders than it allows or for network disks, the files are looked at every Options.Poll instead.
func (p *Project) Watch(begun func() (since int64), changed func(Kinds), happened func()) (run func(context.Context)) {
	w := &watch{p: p, begun: begun, changed: changed, happened: happened}
	p.watched.Store(true)
	if err := w.listen(); err != nil {
		w.fallBack(err)
	}
	return w.run
}

// A watch compares what is there with what was told last.
type watch struct {
	p        *Project
	begun    func() (since int64)
	changed  func(Kinds)
	happened func()
	reported overview
	looked   bool
	monitor  *monitor      // nil while the files are polled
	poll     time.Duration // while they are
}

// listen starts the monitor.
func (w *watch) listen() (err error) {
	if w.monitor, err = w.p.listen(&w.p.clock); err != nil {
		w.monitor = nil
		return err
	}
	w.p.monitor.Store(w.monitor)
	_, err = w.follow(0) // what is looked at first is watched before
	return err
}

// fallBack has the files polled instead.
func (w *watch) fallBack(err error) {
	points := w.close()
	if w.poll = w.p.poll; w.poll <= 0 {
		w.poll = fallbackPoll
	}
	w.p.logger.Warn("the system cannot report changes in the project, so its files are looked at instead",
		"error", err, "interval", w.poll, "watched", points)
}

func (w *watch) close() (points int) {
	if w.monitor != nil {
		w.p.monitor.CompareAndSwap(w.monitor, nil)
		points = len(w.monitor.watcher.Paths())
		w.monitor.markReady()
		w.monitor.watcher.Close()
		w.monitor = nil
	}
	return points
}

func (w *watch) run(ctx context.Context) {
	ended := make(chan struct{})
	defer func() { w.close(); <-ended }()
	if w.monitor != nil {
		go func(m *monitor) { m.watcher.Run(ctx); close(ended) }(w.monitor)
	} else {
		close(ended)
	}
	for ctx.Err() == nil {
		took := w.look(ctx)
		w.p.keep(ctx) // when nobody waits for the lists any more
		w.wait(ctx, took)
		w.happened()
	}
}

// look looks at everything, and tells how long that took.
func (w *watch) look(ctx context.Context) time.Duration {
	for {
		began := time.Now()
		tick := w.p.clock.Add(1)
		now, err := await(ctx, &w.p.lifetime, w.p.overview)
		if err != nil {
			return 0
		}
		w.compare(now)
		again, err := w.follow(tick)
		if err != nil {
			w.fallBack(err)
		} else if !again {
			if w.monitor != nil {
				w.monitor.markReady()
			}
			return time.Since(began)
		}
	}
}

// follow has the monitor follow what was found at a tick.
func (w *watch) follow(tick uint64) (again bool, err error) {
	if w.monitor == nil {
		return false, nil
	}
	return w.monitor.follow(tick, w.p.interests(w.reported.batches), w.p.hasFolder)
}

// keep writes the lists that have changed, until ctx ends.
func (p *Project) keep(ctx context.Context) {
	for _, keep := range []func(){p.tools.keep, p.resources.keep, p.templates.keep, p.prompts.keep} {
		if ctx.Err() == nil {
			keep()
		}
	}
}

// knows reports whether a folder is one that was looked through.
func (p *Project) hasFolder(folder string) bool {
	for _, t := range p.trees {
		if _, known := t.lastFolders()[folder]; known {
			return true
		}
	}
	return false
}

// An overview is what all lists were at one time.
type overview struct {
	hashes  [kindPrompt + 1]string // empty for a list that a registration spoils
	batches [kindCount]*batch
}

// overview looks at all lists. It is nobody's question, so no script is run for it.
func (p *Project) overview() (now overview) {
	a := ask{since: p.clock.Add(1), idle: true}
	if m := p.monitor.Load(); m != nil && m.watcher.Drain() {
		a.since, _ = m.lastEvent()
	}
	include(&now, p.tools, a)
	include(&now, p.resources, a)
	include(&now, p.templates, a)
	include(&now, p.prompts, a)
	now.batches[kindCompleter] = p.completers.at(a).batch
	return now
}

func include[T Entry](now *overview, c *catalog[T], a ask) {
	var none T
	s := c.at(a)
	now.batches[none.kind()] = s.batch
	if s.batch.err == nil {
		now.hashes[none.kind()] = s.snapshot.Hash
	}
}

// compare tells what is not as it was told last.
func (w *watch) compare(now overview) {
	var changed Kinds
	for k, hash := range now.hashes {
		if hash == "" {
			now.hashes[k] = w.reported.hashes[k] // until it is mended
		} else if w.looked && hash != w.reported.hashes[k] {
			changed |= kind(k).set()
		}
	}
	w.reported = now
	if !w.looked {
		w.looked = true
		if since := w.begun(); since != 0 {
			changed = w.p.touched(since)
		}
	}
	if changed != 0 {
		w.changed(changed)
	}
}

// wait waits for a reason to look again.
func (w *watch) wait(ctx context.Context, took time.Duration) {
	if w.monitor == nil {
		sleep(ctx, max(w.poll, took*restRatio))
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-w.monitor.woken:
	}
	// A file that changes all the time must not put it off for ever.
	sleep(ctx, min(max(w.p.debounce, took*restRatio), maxDelay))
	select {
	case <-w.monitor.woken: // what happened meanwhile is seen by the same look
	default:
	}
}

// pause waits, but no longer than ctx lasts.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
