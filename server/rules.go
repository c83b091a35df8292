package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// rules are the interceptors of a project, ready to be asked. Sessions share them.
type rules struct {
	project    *catalog.Project
	host       interceptor.Host
	log        *slog.Logger
	background func(func())
	lends      func() bool // see [served.lends]; decided once

	mu   sync.Mutex
	from catalog.Snapshot[*catalog.Interceptor] // that set was made of
	set  *interceptor.Set                       // nil before the first question
	made map[string]rule                        // by name
	gone sync.WaitGroup                         // pools that are being closed
}

// A rule is an interceptor that is ready. It is kept as long as its files are as they were.
type rule struct {
	*interceptor.Interceptor
	from  *catalog.Interceptor
	stamp files.Stamp       // of its script
	pool  *interceptor.Pool // of a script that stays, else nil
}

func newRules(p *served, allowed bool) *rules {
	return &rules{
		lends:   sync.OnceValue(p.lends),
		project: p.Project,
		host: interceptor.Host{
			Root:   p.Root(),
			Rules:  hooks.Rules{Allowed: allowed},
			Runner: p.runtime.Runner,
			Env:    func() []string { return process.With(p.server.options.HookEnv, p.runtime.Env()...) },
		},
		log:        p.server.log,
		background: atMost(audits, p.server.background.Go), // also at the end: what was seen is told
	}
}

// audits is how many interceptors that only audit may be busy at the same time; beyond that they are left out.
const audits = 64

// atMost returns a function that runs at most n functions at the same time with run, and forgets others.
func atMost(n int, run func(func())) func(func()) {
	slots := make(chan struct{}, n)
	return func(f func()) {
		select {
		case slots <- struct{}{}:
			run(func() {
				defer func() { <-slots }()
				f()
			})
		default:
		}
	}
}

// interceptors returns those that messages pass now; nil if there are none.
func (s *Server) interceptors(ctx context.Context) (*interceptor.Set, error) {
	if p, ok := s.offers.(*served); ok {
		return p.rules.current(ctx)
	}
	return nil, nil
}

// current returns the interceptors as the files are now. What restricts and cannot be read refuses: where one is left
// out for a fault, no message passes.
func (r *rules) current(ctx context.Context) (*interceptor.Set, error) {
	if r.none() {
		return &interceptor.Set{}, nil
	}
	found, err := r.project.Interceptors(ctx)
	if err != nil {
		return nil, fmt.Errorf("interceptors: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.set != nil && r.from.Same(found) && slices.Equal(r.from.Faults, found.Faults) {
		return r.set, nil
	}
	before := r.made
	r.made = make(map[string]rule, len(found.Items))
	set := &interceptor.Set{Tell: r.tell, Background: r.background}
	for _, i := range found.Items {
		ready, known := before[i.Name]
		stamp, _ := files.StampOf(i.Path) // of none if it is an expression
		stamp.Settled = true              // an ended process forgets, so what was just written is not read twice
		if known && stamp == ready.stamp && reflect.DeepEqual(i, ready.from) {
			delete(before, i.Name)
		} else {
			ready = r.prepare(i)
			ready.from, ready.stamp = i, stamp
		}
		r.made[i.Name] = ready
		set.All = append(set.All, ready.Interceptor)
	}
	for _, f := range found.Faults {
		if !f.Warning {
			set.All = append(set.All, broken(f))
		}
	}
	r.from, r.set = found, set
	r.drop(before)
	return set, nil
}

// none reports whether there were no interceptors, and are none now, since their folder is missing. A look at all
// files, which a call needs for nothing else, would take longer by 7 % of a call.
func (r *rules) none() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.set != nil && len(r.set.All) > 0 {
		return false
	}
	_, err := os.Lstat(r.project.InterceptorsDir())
	return errors.Is(err, fs.ErrNotExist)
}

// prepare makes an interceptor ready.
func (r *rules) prepare(i *catalog.Interceptor) rule {
	made := &interceptor.Interceptor{Definition: i.Rule, Config: json.RawMessage(i.Config), Timeout: i.Timeout, AsError: i.AsError}
	made.Name, made.Description, made.Hooks = i.Name, i.Description, interceptor.Separate(i.Rule.Hooks)
	switch {
	case i.JQ != "":
		answer, err := interceptor.Expression(i.Rule.Type, i.JQ)
		if err != nil { // the metadata would have been refused
			answer = func(context.Context, interceptor.Question) (interceptor.Result, error) {
				return interceptor.Result{}, err
			}
		}
		made.Answer = answer
		return rule{Interceptor: made}
	case i.Stay:
		pool := r.host.Stay(i.Path, i.Concurrency)
		made.Answer, made.Slow = pool.Answer, true
		return rule{Interceptor: made, pool: pool}
	}
	made.Answer, made.Slow = r.host.Script(i.Rule.Type, i.Path), true
	return rule{Interceptor: made}
}

// broken stands for an interceptor that is left out: nobody knows what it would have refused.
func broken(f catalog.Fault) *interceptor.Interceptor {
	return &interceptor.Interceptor{
		Definition: interceptor.Definition{Name: f.File, Type: interceptor.Validation,
			Hooks: []interceptor.Hook{{Events: []string{"*"}, Phase: interceptor.Request}}},
		Answer: func(context.Context, interceptor.Question) (interceptor.Result, error) {
			return interceptor.Result{}, fmt.Errorf("%s; nothing passes until it is mended", f)
		},
	}
}

// drop closes the pools of rules that are not used any more. Messages that still wait for them get an error.
func (r *rules) drop(old map[string]rule) {
	for _, o := range old {
		if o.pool != nil {
			r.gone.Go(o.pool.Close)
		}
	}
}

func (r *rules) close() {
	r.mu.Lock()
	r.drop(r.made)
	r.made = nil
	r.mu.Unlock()
	r.gone.Wait()
}

// tell logs what an interceptor did.
func (r *rules) tell(t interceptor.Told) {
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
	r.log.LogAttrs(context.Background(), level, "interceptor", attrs...)
}

// lends reports whether others may use the interceptors of the project: it says so, or it has nothing else.
func (p *served) lends() bool {
	if p.server.options.LendInterceptors {
		return true
	}
	if id, _ := p.Identity(); id.LendsInterceptors {
		return true
	}
	if _, err := os.Stat(p.InterceptorsDir()); err != nil {
		return false
	}
	has := func(n int, err error) bool { return n > 0 || err != nil }
	ctx := p.server.context
	tools, err1 := p.Tools(ctx)
	resources, err2 := p.Resources(ctx)
	templates, err3 := p.Templates(ctx)
	prompts, err4 := p.Prompts(ctx)
	return !slices.Contains([]bool{has(len(tools.Items), err1), has(len(resources.Items), err2),
		has(len(templates.Items), err3), has(len(prompts.Items), err4)}, true)
}
