package catalog

import (
	"cmp"
	"context"
	"time"
)

const (
	debounce     = 100 * time.Millisecond // to save a file is more than one change
	connected    = 100 * time.Millisecond // in which clients ask for their first lists, before folders are watched
	maxDelay     = 500 * time.Millisecond // the longest that a change waits to be looked at
	fallbackPoll = time.Second            // where the system does not report changes
	restRatio    = 10                     // how much longer the pause is than the look took
)

// Watch starts watching the project's files, and returns a function that reports changes until its
// context ends. It calls changed with the lists that have changed, as clients see them, within a second after the
// change; not for a list with a faulty registration.
//
// Before that it calls begun, once: no change from then on is missed. That is as soon as all lists
// were read, which takes as long as server.d/register.sh does. Then it calls happened after each look, which may have
// been caused by a file of Observe.
//
// While nothing changes, it is idle. If the system cannot report all changes, for example of too
// many folders or of network disks, the files are polled every Options.Poll instead.
func (p *Project) Watch(begun func(), changed func(Kinds), happened func()) (run func(context.Context)) {
	w := &watch{p: p, begun: begun, changed: changed, happened: happened, reported: [kindCount]uint64{1, 1, 1, 1, 1}}
	p.watched.Store(true)
	if m, err := p.listen(p); err != nil {
		w.fallBack(err)
	} else {
		w.monitor = m
		p.monitor.Store(m)
	}
	return w.run
}

// A watch compares the lists with those reported last.
type watch struct {
	p        *Project
	begun    func()
	changed  func(Kinds)
	happened func()
	reported [kindCount]uint64 // the versions of the lists; 1 before the first look, as a client may have that list
	looked   bool
	monitor  *monitor // nil while the files are polled
}

// fallBack switches to polling the files.
func (w *watch) fallBack(err error) {
	watched := 0
	if w.monitor != nil {
		watched = w.monitor.watcher.Len()
	}
	w.close()
	w.p.o.Logger.Warn("the system cannot report changes in the project, so its files are polled",
		"error", err, "interval", w.interval(), "watched", watched)
}

// interval is how often files are polled whose changes are not reported.
func (w *watch) interval() time.Duration { return cmp.Or(max(w.p.o.Poll, 0), fallbackPoll) }

func (w *watch) close() {
	if w.monitor != nil {
		w.p.monitor.CompareAndSwap(w.monitor, nil)
		w.monitor.watcher.Close()
		w.monitor = nil
	}
}

func (w *watch) run(ctx context.Context) {
	defer w.close()
	for ctx.Err() == nil {
		took := w.look(ctx)
		w.p.write(ctx) // when no request waits for the lists any more
		w.wait(ctx, took)
		w.happened()
	}
}

// look reads all lists, and returns how long that took.
func (w *watch) look(ctx context.Context) time.Duration {
	for {
		began := time.Now()
		tick := w.p.clock.Add(1)
		now, err := await(ctx, &w.p.lifetime, w.p.versions)
		if err != nil {
			return 0
		}
		first := !w.looked
		if w.compare(now); first && w.monitor != nil {
			sleep(ctx, connected)
		}
		if ctx.Err() != nil {
			return 0
		}
		if w.monitor == nil {
			return time.Since(began)
		}
		again, err := w.monitor.follow(tick, w.p.interests())
		if err != nil {
			w.fallBack(err)
		} else if !again {
			return time.Since(began)
		}
	}
}

// write writes the lists that have changed, until ctx ends.
func (p *Project) write(ctx context.Context) {
	for _, l := range p.lists {
		if ctx.Err() == nil {
			l.write()
		}
	}
}

// versions reads all lists and returns their versions, 0 for a list with a faulty registration. No
// client waits for it, so no script is run for it.
func (p *Project) versions() (all [kindCount]uint64) {
	a := ask{since: p.clock.Add(1), idle: true}
	if m := p.monitor.Load(); m != nil && m.settle() {
		a.since, _ = m.lastEvent()
	}
	for k, l := range p.lists {
		if s := l.at(a); s.err == nil {
			all[k] = s.version
		}
	}
	return all
}

// compare reports what differs from the last report. A change that was undone meanwhile is reported if
// a look of a client has seen it: that client has a list that is no longer right.
func (w *watch) compare(now [kindCount]uint64) {
	var changed Kinds
	for k, version := range now {
		if version == 0 && w.looked {
			now[k] = w.reported[k] // until it is fixed
		} else if version > 0 && version != w.reported[k] {
			changed |= kind(k).set()
		}
	}
	w.reported = now
	if !w.looked {
		w.looked = true
		w.begun()
	}
	if changed != 0 {
		w.changed(changed)
	}
}

// wait waits for a reason to look again.
func (w *watch) wait(ctx context.Context, took time.Duration) {
	if w.monitor == nil {
		sleep(ctx, max(w.interval(), took*restRatio))
		return
	}
	var polls <-chan time.Time // nil: never
	blind, linked := w.monitor.polls()
	if blind || linked {
		ticker := time.NewTicker(w.interval())
		defer ticker.Stop()
		polls = ticker.C
	}
	for woken := false; !woken; {
		select {
		case <-ctx.Done():
			return
		case <-w.monitor.woken:
			woken = true
		case <-polls:
			woken = blind
			w.monitor.settle() // which wakes if the project's path leads elsewhere
		}
	}
	// A file that changes all the time must not delay it forever.
	sleep(ctx, min(max(w.p.debounce, took*restRatio), maxDelay))
	select {
	case <-w.monitor.woken: // changes in the meantime are seen by the same look
	default:
	}
}

// sleep waits, but no longer than ctx lasts.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
