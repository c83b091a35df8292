package status

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Names and ids come from clients: these bound what a server keeps of them.
const (
	knownTools = 256
	knownRules = 256
	nameBytes  = 200
)

// A Board counts the calls of a server. It is safe for concurrent use. Snapshots cost,
// counting hardly does.
type Board struct {
	log tail

	mu      sync.Mutex
	now     Snapshot // without what is below
	running map[*Call]struct{}
	tools   map[string]*tally
	rules   map[Rule]uint64 // without Calls
	minute  *limit.Minute   // which bounds nothing
}

// A tally counts the calls of a tool.
type tally struct {
	Tool
	took time.Duration // all of them together
}

// NewBoard returns the board of a server that starts now. It never shows the secrets, which a client may have
// used as an id or a name.
func NewBoard(version string, pid int, secrets ...string) *Board {
	return &Board{
		log:     tail{rules: redact.Rules{Secrets: secrets}},
		now:     Snapshot{Version: version, PID: pid, Since: time.Now().UTC()},
		running: make(map[*Call]struct{}),
		tools:   make(map[string]*tally),
		rules:   make(map[Rule]uint64),
		minute:  limit.PerMinute(math.MaxInt),
	}
}

// Serves records the folder of the project that is served.
func (b *Board) Serves(project string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now.Project = project
}

// Wraps records which other server this one is in front of.
func (b *Board) Wraps(server string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now.Wraps = server
}

// Observe is a [middleware.CallObserver].
func (b *Board) Observe(_ context.Context, m *pipeline.Message) (ended func(middleware.CallEnd)) {
	switch m.Method() {
	case "initialize":
		b.meet(pipeline.Member(m.Params(), "clientInfo"))
		return nil
	case "tools/call", "prompts/get", "resources/read":
	default:
		return nil
	}
	call := &Call{ID: b.short(m.ID().String()), Method: m.Method(), Name: b.short(middleware.Subject(pipeline.MCP, m)),
		Began: time.Now()}
	b.mu.Lock()
	b.running[call] = struct{}{}
	stranger := b.now.Client == ""
	b.mu.Unlock()
	if stranger { // no initialize was sent; in stateless revisions each call names its client
		b.meet(pipeline.Member(pipeline.Member(m.Params(), "_meta"), "io.modelcontextprotocol/clientInfo"))
	}
	return func(e middleware.CallEnd) { b.ended(call, e) }
}

// meet records the name and version of the client.
func (b *Board) meet(info json.RawMessage) {
	name := json.Text(json.Value(pipeline.Member(info, "name")))
	if name == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now.Client = b.short(strings.TrimSpace(name + " " + json.Text(json.Value(pipeline.Member(info, "version")))))
}

// ended counts a call that has ended.
func (b *Board) ended(c *Call, e middleware.CallEnd) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if delete(b.running, c); !e.Task {
		b.now.Calls++
		b.minute.Allow()
	}
	switch e.Outcome {
	case "failed":
		b.now.Failed++
	case "refused":
		b.now.Refused++
	case "cancelled":
		b.now.Cancelled++
	}
	if e.Failed() {
		failed := *c
		failed.Outcome, failed.Reason, failed.TookMS = e.Outcome, e.Reason, e.Took.Milliseconds()
		b.count(b.ruleOf(c, e))
		b.now.Errors = append(b.now.Errors, failed)
		b.now.Errors = b.now.Errors[max(0, len(b.now.Errors)-shownErrors):]
	}
	if c.Method != "tools/call" || e.Outcome == "refused" || e.Task { // what is refused may have any name
		return
	}
	t := b.tools[c.Name]
	if t == nil {
		if len(b.tools) >= knownTools {
			return
		}
		t = &tally{Tool: Tool{Name: c.Name}}
		b.tools[c.Name] = t
	}
	t.Calls++
	if e.Outcome == "failed" {
		t.Failed++
	}
	t.took += e.Took
	t.MeanMS, t.MaxMS = ms(t.took)/float64(t.Calls), max(t.MaxMS, ms(e.Took))
}

// count counts what a rule did. The caller holds mu.
func (b *Board) count(rule Rule) {
	if len(b.rules) < knownRules || b.rules[rule] > 0 {
		b.rules[rule]++
	}
}

// Intercepted counts what an interceptor did to a message. One that refuses a call is counted with it, by its reason.
func (b *Board) Intercepted(name, outcome string, audit bool) {
	if audit {
		outcome = "audit " + outcome
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if audit || outcome != "refused" {
		b.count(Rule{Outcome: outcome, Why: b.short(name)})
	}
}

// ruleOf returns what calls that ended like this have in common.
func (b *Board) ruleOf(c *Call, e middleware.CallEnd) Rule {
	why, _, _ := strings.Cut(e.Reason, ":")
	if e.Exit != nil {
		why = fmt.Sprintf("%s, exit code %d", c.Name, *e.Exit)
	}
	return Rule{Outcome: e.Outcome, Why: b.short(why)}
}

// Snapshot returns what the server does now.
func (b *Board) Snapshot() Snapshot {
	lines := b.log.lines()
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.now
	s.Time, s.PerMinute, s.Running, s.Log = time.Now().UTC(), b.minute.Passed(), len(b.running), lines
	s.InFlight, s.Slowest, s.Rules, s.Errors = []Call{}, []Tool{}, []Rule{}, append([]Call{}, s.Errors...)
	for c := range b.running {
		s.InFlight = append(s.InFlight, *c)
	}
	slices.SortFunc(s.InFlight, func(a, b Call) int { return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.ID, b.ID)) })
	s.InFlight = s.InFlight[:min(len(s.InFlight), shownCalls)]
	for _, t := range b.tools {
		s.Slowest = append(s.Slowest, t.Tool)
	}
	slices.SortFunc(s.Slowest,
		func(a, b Tool) int { return cmp.Or(cmp.Compare(b.MeanMS, a.MeanMS), cmp.Compare(a.Name, b.Name)) })
	s.Slowest = s.Slowest[:min(len(s.Slowest), shownTools)]
	for rule, calls := range b.rules {
		rule.Calls = calls
		s.Rules = append(s.Rules, rule)
	}
	slices.SortFunc(s.Rules,
		func(a, b Rule) int { return cmp.Or(cmp.Compare(b.Calls, a.Calls), strings.Compare(a.Why, b.Why)) })
	s.Rules = s.Rules[:min(len(s.Rules), shownRules)]
	return s
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// short returns a text of a client to be kept.
func (b *Board) short(text string) string {
	if text = b.log.rules.Known(text); len(text) > nameBytes {
		text = strings.ToValidUTF8(text[:nameBytes], "") + "…"
	}
	return text
}
