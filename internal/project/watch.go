package project

import (
	"context"
	"errors"
	"time"
)

const (
	debounce     = 100 * time.Millisecond // to save a file is more than one change
	patience     = 500 * time.Millisecond // the longest that a change waits to be looked at
	fallbackPoll = time.Second            // where the system does not tell of changes
	restRatio    = 10                     // how much longer than a look took nothing is looked at
)

// Watch calls changed with the lists that are not what they were, as clients see them, within a
// second after it happened, until ctx ends. Nothing is called while nothing changed, nor for a list
// that a registration spoils.
//
// Before that it calls begun, once: no change from then on is missed. That is as soon as all lists
// were looked at, which takes as long as server.d/register.sh does.
//
// The system tells what happens in the folders. Where it cannot, as for more folders than it
// allows, the files are looked at every second instead; Options.Poll has them looked at besides.
func (p *Project) Watch(ctx context.Context, begun func(), changed func(Kinds)) {
	w := &watch{p: p, begun: begun, changed: changed, poll: p.poll}
	w.hear()
	defer w.close()
	for ctx.Err() == nil {
		w.wait(ctx, w.look(ctx))
	}
}

// A watch compares what is there with what was told last.
type watch struct {
	p       *Project
	begun   func()
	changed func(Kinds)
	told    sight
	looked  bool
	poll    time.Duration // 0 for never
	ear
}

// A sight is what all lists were at one time.
type sight struct {
	hashes  [kindPrompt + 1]string // empty for a list that a registration spoils
	batches [kindCount]*batch
}

// look looks at everything, and tells how long that took.
func (w *watch) look(ctx context.Context) time.Duration {
	began := time.Now()
	for {
		now, err := await(ctx, w.p.sight)
		if err != nil {
			return 0
		}
		w.compare(now)
		if !w.follow() {
			return time.Since(began)
		}
		// What happened in a new folder before the system was asked to tell of it, it did not tell.
	}
}

// sight looks at all lists. It is nobody's question, so no script is run for it.
func (p *Project) sight() (now sight) {
	a := ask{since: p.clock.Add(1), idle: true}
	see(&now, p.tools, a)
	see(&now, p.resources, a)
	see(&now, p.templates, a)
	see(&now, p.prompts, a)
	now.batches[kindCompleter] = p.completers.at(a).batch
	return now
}

func see[T Entry](now *sight, c *catalog[T], a ask) {
	var none T
	s := c.at(a)
	now.batches[none.kind()] = s.batch
	if s.batch.err == nil {
		now.hashes[none.kind()] = s.snapshot.Hash
	}
}

// compare tells what is not as it was told last.
func (w *watch) compare(now sight) {
	var changed Kinds
	for k, hash := range now.hashes {
		if hash == "" {
			now.hashes[k] = w.told.hashes[k] // until it is mended
		} else if w.looked && hash != w.told.hashes[k] {
			changed |= kind(k).set()
		}
	}
	w.told = now
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
	var poll, ready <-chan time.Time
	if w.poll > 0 {
		poll = time.After(max(w.poll, took*restRatio))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-poll:
			return
		case <-ready:
			return
		case event, open := <-w.events:
			if !open {
				w.deaf(errors.New("it stopped telling"))
				return
			}
			if !w.concerned(event) {
				continue
			}
		case <-w.errors: // as when there was more to tell than it could keep
		}
		if ready == nil { // a file that changes all the time must not put it off for ever
			ready = time.After(min(max(debounce, took*restRatio), patience))
		}
	}
}
