// Package rules keeps the interceptors of a folder ready: those that its files describe now, whoever asks.
package rules

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Options are the settings of [New].
type Options struct {
	Host interceptor.Host // runs the scripts
	Log  *slog.Logger     // takes what the interceptors did
	// Told counts it: refused, changed, warned or failed; with audit it had no effect. Nil: nobody does.
	Told func(name, outcome string, audit bool)
	// Required lets nothing pass where there are no interceptors: somebody has asked for them.
	Required bool
}

// Rules are the interceptors of a project, ready to be asked. Sessions share them. Close them in the end.
type Rules struct {
	Options
	project *catalog.Project
	audits  errgroup.Group // what no message waits for
	life    context.Context
	end     context.CancelFunc

	last atomic.Pointer[look] // nil before the first question

	turn chan struct{}                          // full while somebody looks at the files, and uses what follows
	from catalog.Snapshot[*catalog.Interceptor] // what the interceptors were made of
	made map[string]rule                        // by name
	gone sync.WaitGroup                         // processes that are being ended
}

// A look is what was found in the files at a time.
type look struct {
	at  time.Time
	set *interceptor.Set
}

// A rule is an interceptor that is ready, or those of a server. It is kept as long as its files are as they were.
type rule struct {
	all   []*interceptor.Interceptor
	from  *catalog.Interceptor
	stamp files.Stamp // of its script
	close func()      // ends its processes; nil if it has none
	ended func() bool // the server has ended, or should be tried again; nil for all others
}

// New returns the interceptors of a project.
func New(project *catalog.Project, o Options) *Rules {
	r := &Rules{Options: o, project: project, turn: make(chan struct{}, 1)}
	r.life, r.end = context.WithCancel(context.Background())
	r.audits.SetLimit(maxAudits)
	return r
}

// Folder returns where the interceptors are that a person names by a folder, absolute: that of a project, which has
// them in interceptors/, or one that has nothing else.
func Folder(dir string) (string, error) {
	folder := filepath.Join(dir, "interceptors")
	if _, err := os.Stat(folder); err != nil {
		folder = dir
	}
	if _, err := os.ReadDir(folder); err != nil {
		return "", err
	}
	return filepath.Abs(folder)
}

// maxAudits is how many interceptors that only audit may be busy at the same time; beyond that they are left out.
const maxAudits = 64

// fresh is how long the files are taken to be as they were. To look at them takes longer than a rule, and messages come
// in thousands; whoever saves one, and then sends a message, takes longer than this.
const fresh = time.Millisecond

// Current returns the interceptors as the files are now. What restricts and cannot be read refuses: where one is left
// out for a fault, no message passes.
func (r *Rules) Current(ctx context.Context) (*interceptor.Set, error) {
	if set := r.kept(time.Now()); set != nil {
		return set, nil
	}
	select {
	case r.turn <- struct{}{}:
	default:
		pipeline.Yield(ctx) // whoever looks may have to start a server
		select {
		case r.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	defer func() { <-r.turn }()
	now := time.Now()
	if set := r.kept(now); set != nil {
		return set, nil
	}
	found, err := r.project.Interceptors(ctx)
	switch {
	case r.life.Err() != nil:
		return nil, errors.New("interceptors: the server is ending")
	case err != nil:
		return nil, fmt.Errorf("interceptors: %w", err)
	}
	if last := r.last.Load(); last != nil && r.from.Same(found) && slices.Equal(r.from.Faults, found.Faults) &&
		!slices.ContainsFunc(slices.Collect(maps.Values(r.made)), rule.over) {
		r.last.Store(&look{now, last.set})
		return last.set, nil
	}
	before := r.made
	r.made = make(map[string]rule, len(found.Items))
	set := &interceptor.Set{Tell: r.tell, Background: func(f func()) { r.audits.TryGo(func() error { f(); return nil }) }}
	for _, i := range found.Items {
		ready, known := before[i.Name]
		stamp, _ := files.StampOf(i.Path) // of none if it is an expression
		stamp.Settled = true              // an ended process forgets, so what was just written is not read twice
		if known && stamp == ready.stamp && reflect.DeepEqual(i, ready.from) && !ready.over() {
			delete(before, i.Name)
		} else {
			ready = r.prepare(ctx, i)
			ready.from, ready.stamp = i, stamp
		}
		r.made[i.Name] = ready
		set.All = append(set.All, ready.all...)
	}
	for _, f := range found.Faults {
		if !f.Warning {
			set.All = append(set.All, broken(f.File, f.String()))
		}
	}
	if r.Required && len(set.All) == 0 {
		set.All = append(set.All, broken(r.project.InterceptorsDir(), "it has no interceptors any more"))
	}
	r.from = found
	r.last.Store(&look{now, set})
	r.drop(before)
	return set, nil
}

// kept returns the interceptors where that takes no look at the files, else nil: just after one, and where there were
// none and their folder is missing.
func (r *Rules) kept(now time.Time) *interceptor.Set {
	last := r.last.Load()
	if last != nil && now.Sub(last.at) < fresh {
		return last.set
	}
	if r.Required || last != nil && len(last.set.All) > 0 {
		return nil
	}
	if _, err := os.Lstat(r.project.InterceptorsDir()); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	none := &interceptor.Set{}
	r.last.CompareAndSwap(last, &look{now, none}) // not over what somebody has found meanwhile
	return none
}

// over reports whether a server has to be started.
func (r rule) over() bool { return r.ended != nil && r.ended() }

// How long a server may take to start and to list its interceptors, and when one that cannot be used is tried again.
const (
	startTime = 10 * time.Second
	retryTime = 5 * time.Second
)

// start makes the interceptors of a server ready. While it cannot be used nobody knows what they would have refused.
func (r *Rules) start(ctx context.Context, i *catalog.Interceptor) rule {
	// It is for other messages, too.
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), startTime,
		fmt.Errorf("no answer within %v", startTime))
	defer cancel()
	defer context.AfterFunc(r.life, cancel)()
	server, err := r.Host.Start(ctx, i.MetadataFile, i.Server)
	if err != nil {
		next := time.Now().Add(retryTime)
		lost := broken(r.project.Rel(i.MetadataFile),
			fmt.Sprintf("the server of interceptor %s cannot be used: %v", i.Name, err))
		lost.FailOpen, lost.Mode = i.Rule.FailOpen, i.Rule.Mode
		return rule{all: []*interceptor.Interceptor{lost}, ended: func() bool { return time.Now().After(next) }}
	}
	for _, its := range server.All {
		its.Timeout, its.AsError, its.FailOpen = i.Timeout, i.AsError, its.FailOpen || i.Rule.FailOpen
		its.Mode = cmp.Or(i.Rule.Mode, its.Mode)
	}
	return rule{all: server.All, close: server.Close, ended: server.Ended}
}

// prepare makes an interceptor ready.
func (r *Rules) prepare(ctx context.Context, i *catalog.Interceptor) rule {
	if i.Server != nil {
		return r.start(ctx, i)
	}
	made := &interceptor.Interceptor{Definition: i.Rule, Config: json.RawMessage(i.Config), Timeout: i.Timeout,
		AsError: i.AsError}
	made.Name, made.Description = i.Name, i.Description
	ready := rule{all: []*interceptor.Interceptor{made}}
	switch {
	case i.JQ != "":
		made.Answer, _ = interceptor.Expression(i.Rule.Type, i.JQ) // one that does not compile is a fault of its file
	case i.Stay:
		pool := r.Host.Stay(i.Path, i.Concurrency)
		made.Answer, made.Slow, ready.close = pool.Answer, true, pool.Close
	default:
		made.Answer, made.Slow = r.Host.Script(i.Rule.Type, i.Path), true
	}
	return ready
}

// broken stands for interceptors that are left out, in a file or a folder: nobody knows what they would have refused.
func broken(file, why string) *interceptor.Interceptor {
	return &interceptor.Interceptor{
		Definition: interceptor.Definition{Name: file, Type: interceptor.Validation,
			Hooks: []interceptor.Hook{{Events: []string{"*"}, Phase: interceptor.Both}}}, // also answers to older calls
		Answer: func(context.Context, interceptor.Question) (interceptor.Result, error) {
			return interceptor.Result{}, fmt.Errorf("%s; nothing passes until it is mended", why)
		},
	}
}

// drop ends the processes of rules that are not used any more. Messages that still wait for them get an error.
func (r *Rules) drop(old map[string]rule) {
	for _, o := range old {
		if o.close != nil {
			r.gone.Go(o.close)
		}
	}
}

// Close returns when what only audits is done, also at the end, and all processes have ended. Messages that still wait
// for them get an error.
func (r *Rules) Close() {
	_ = r.audits.Wait() // it returns none
	r.end()
	r.turn <- struct{}{}
	r.drop(r.made)
	r.made = nil
	<-r.turn
	r.gone.Wait()
}

// tell counts and logs what an interceptor did.
func (r *Rules) tell(t interceptor.Told) {
	if r.Told != nil {
		r.Told(t.Name, string(t.What), t.Audit)
	}
	level := slog.LevelWarn
	if t.What == interceptor.Changed && !t.Audit {
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{slog.String("name", t.Name), slog.String("event", t.Event), slog.String("phase", t.Phase),
		slog.String("outcome", string(t.What))}
	if t.Audit {
		attrs = append(attrs, slog.Bool("audit", true))
	}
	if t.Reason != "" {
		attrs = append(attrs, slog.String("reason", t.Reason))
	}
	r.Log.LogAttrs(context.Background(), level, "interceptor", attrs...)
}
