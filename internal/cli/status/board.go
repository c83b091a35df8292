package status

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
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
	version string
	pid     int
	since   time.Time
	log     tail

	mu        sync.Mutex
	project   string
	wraps     string
	client    string
	running   map[*Call]struct{}
	calls     uint64
	failed    uint64
	refused   uint64
	cancelled uint64
	tools     map[string]*tally
	rules     map[Rule]uint64 // without Calls
	errors    []Call
	minute    *limit.Minute // which bounds nothing
}

// A tally counts the calls of a tool.
type tally struct {
	calls, failed uint64
	total, most   time.Duration
}

// NewBoard returns the board of a server that starts now. It never shows the secrets, which a client may have
// used as an id or a name.
func NewBoard(version string, pid int, secrets ...string) *Board {
	return &Board{
		log:     tail{rules: redact.Rules{Secrets: secrets}},
		version: version,
		pid:     pid,
		since:   time.Now(),
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
	b.project = project
}

// Wraps records which other server this one is in front of.
func (b *Board) Wraps(server string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wraps = server
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
	stranger := b.client == ""
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
	b.client = b.short(strings.TrimSpace(name + " " + json.Text(json.Value(pipeline.Member(info, "version")))))
}

// ended counts a call that has ended.
func (b *Board) ended(c *Call, e middleware.CallEnd) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.running, c)
	b.calls++
	b.minute.Allow()
	switch e.Outcome {
	case "failed":
		b.failed++
	case "refused":
		b.refused++
	case "cancelled":
		b.cancelled++
	}
	if e.Failed() {
		failed := *c
		failed.Outcome, failed.Reason, failed.TookMS = e.Outcome, e.Reason, e.Took.Milliseconds()
		b.count(b.ruleOf(c, e))
		b.errors = append(b.errors, failed)
		b.errors = b.errors[max(0, len(b.errors)-shownErrors):]
	}
	if c.Method != "tools/call" || e.Outcome == "refused" { // what is refused may have any name
		return
	}
	t := b.tools[c.Name]
	if t == nil {
		if len(b.tools) >= knownTools {
			return
		}
		t = &tally{}
		b.tools[c.Name] = t
	}
	t.calls++
	if e.Outcome == "failed" {
		t.failed++
	}
	t.total += e.Took
	t.most = max(t.most, e.Took)
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
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Snapshot{
		Version: b.version, PID: b.pid, Project: b.project, Wraps: b.wraps, Client: b.client, Since: b.since.UTC(),
		Time:  now.UTC(),
		Calls: b.calls, Failed: b.failed, Refused: b.refused, Cancelled: b.cancelled, PerMinute: b.minute.Passed(),
		Running: len(b.running), InFlight: []Call{}, Slowest: []Tool{}, Rules: []Rule{},
		Errors: append([]Call{}, b.errors...), Log: lines,
	}
	for c := range b.running {
		s.InFlight = append(s.InFlight, *c)
	}
	sort.Slice(s.InFlight, func(i, j int) bool {
		a, b := s.InFlight[i], s.InFlight[j]
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.ID, b.ID)) < 0
	})
	s.InFlight = s.InFlight[:min(len(s.InFlight), shownCalls)]
	for name, t := range b.tools {
		s.Slowest = append(s.Slowest,
			Tool{Name: name, Calls: t.calls, Failed: t.failed, MeanMS: ms(t.total) / float64(t.calls), MaxMS: ms(t.most)})
	}
	sort.Slice(s.Slowest, func(i, j int) bool {
		a, b := s.Slowest[i], s.Slowest[j]
		return cmp.Or(cmp.Compare(b.MeanMS, a.MeanMS), cmp.Compare(a.Name, b.Name)) < 0
	})
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
