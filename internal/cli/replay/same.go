package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	ourjson "github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// normalizer decides which lines are equal although their text differs: in times,
// folders, and values that the server generates each time, such as the ids of its own
// calls and its cursors.
type normalizer struct {
	folders []string // project folders, recorded and current
	// now are the values that the server generated, by the recorded values. The client
	// sends them back.
	now map[string]string
	ids map[string]json.RawMessage // ids of the server's calls, likewise
	// calls are the lines of the client that are answered, by the slots of their
	// answers.
	calls map[string]string
}

// Identity returns the variables with which a server that has no name and title of its own is called as the recorded
// one was: otherwise it is called after its folder, which may be another one now.
func (c *Conversation) Identity() []string {
	for _, b := range c.Blocks {
		for _, line := range b.Server {
			if name, title := introduced(line); name != "" {
				return []string{"MCPBASH_SERVER_NAME=" + name, "MCPBASH_SERVER_TITLE=" + title}
			}
		}
	}
	return nil
}

// introduced returns what the server calls itself in a line, in any revision.
func introduced(line string) (name, title string) {
	type info struct{ Name, Title string }
	var e struct {
		Result struct {
			ServerInfo info
			Meta       struct {
				ServerInfo info `json:"io.modelcontextprotocol/serverInfo"`
			} `json:"_meta"`
		}
	}
	_ = json.Unmarshal([]byte(line), &e) // most lines have none
	found := cmp.Or(e.Result.ServerInfo, e.Result.Meta.ServerInfo)
	return found.Name, found.Title
}

// made are the members whose values a server generates each time.
var made = []string{"nextCursor", "requestState", "taskId", "elicitationId"}

var (
	times     = lazyregexp.New(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	temporary = lazyregexp.New(`[^\s"'=]*mcpbash\.[a-z]+\.[A-Za-z0-9]+`)
)

// plain returns a line in which everything that may differ is normalized.
func (s *normalizer) plain(line string) string {
	v, err := ourjson.Exact([]byte(line))
	if err != nil {
		return line
	}
	if m, isObject := v.(map[string]any); isObject && m["method"] != nil && m["id"] != nil {
		m["id"] = "(id)" // the server counts its calls
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s.value(v)) // a decoded value can be encoded
	return strings.TrimSpace(b.String())
}

func (s *normalizer) value(v any) any {
	switch v := v.(type) {
	case string:
		return s.text(v)
	case []any:
		for i := range v {
			v[i] = s.value(v[i])
		}
	case map[string]any:
		for name := range v {
			if text, isText := v[name].(string); isText && text != "" && slices.Contains(made, name) {
				v[name] = "(" + name + ")"
				continue
			}
			v[name] = s.value(v[name])
		}
		if q, ok := v["inputRequests"].(map[string]any); ok {
			questions := slices.Collect(maps.Values(q))
			sort.Slice(questions, func(i, j int) bool { return fmt.Sprint(questions[i]) < fmt.Sprint(questions[j]) })
			v["inputRequests"] = questions
		}
	}
	return v
}

func (s *normalizer) text(t string) string {
	t = temporary.Get().ReplaceAllString(t, "(temporary)")
	for _, folder := range s.folders {
		if folder != "" {
			t = strings.ReplaceAll(t, folder, "(project)")
		}
	}
	return times.Get().ReplaceAllString(t, "(time)")
}

// learn records the generated values of a recorded line, with their current values.
func (s *normalizer) learn(then, now string) {
	var a, b any
	if json.Unmarshal([]byte(then), &a) != nil || json.Unmarshal([]byte(now), &b) != nil {
		return
	}
	if s.now == nil {
		s.now, s.ids = map[string]string{}, map[string]json.RawMessage{}
	}
	var was, is envelope
	_, _ = json.Unmarshal([]byte(then), &was), json.Unmarshal([]byte(now), &is) // as above
	if was.Method != "" && was.ID != nil {
		s.ids[string(was.ID)] = is.ID
	}
	s.learnValue(a, b)
}

func (s *normalizer) learnValue(then, now any) {
	switch then := then.(type) {
	case []any:
		if now, ok := now.([]any); ok {
			for i := range min(len(then), len(now)) {
				s.learnValue(then[i], now[i])
			}
		}
	case map[string]any:
		now, ok := now.(map[string]any)
		if !ok {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(then)) {
			was, isText := then[name].(string)
			is, stillText := now[name].(string)
			if isText && stillText && slices.Contains(made, name) {
				s.now[was] = is
			} else {
				s.learnValue(then[name], now[name])
			}
		}
		s.learnKeys(then["inputRequests"], now["inputRequests"])
	}
}

// learnKeys pairs the keys of questions by the text of the questions; equal ones in order.
func (s *normalizer) learnKeys(then, now any) {
	was, _ := then.(map[string]any)
	is, _ := now.(map[string]any)
	keys := slices.Sorted(maps.Keys(is))
	for _, key := range slices.Sorted(maps.Keys(was)) {
		at := slices.IndexFunc(keys, func(other string) bool { return fmt.Sprint(was[key]) == fmt.Sprint(is[other]) })
		if at >= 0 {
			s.now[key] = keys[at]
			keys = slices.Delete(keys, at, at+1)
		}
	}
}

// outgoing returns a line of the client in which recorded values that the server
// generated are replaced by the current ones.
func (s *normalizer) outgoing(line string) string {
	var e envelope
	if json.Unmarshal([]byte(line), &e) == nil && e.Method == "" && s.ids[string(e.ID)] != nil {
		if answer, err := pipeline.SetMember(json.RawMessage(line), "id", s.ids[string(e.ID)]); err == nil {
			line = string(answer)
		}
	}
	var values []string // all at once, as the current value of one may be the recorded one of another
	for _, was := range slices.Sorted(maps.Keys(s.now)) {
		values = append(values, string(ourjson.Quote(was)), string(ourjson.Quote(s.now[was])))
	}
	line = strings.NewReplacer(values...).Replace(line)
	if folders := s.folders; len(folders) == 2 && folders[0] != "" && folders[1] != "" {
		line = strings.ReplaceAll(line, folders[0], folders[1])
	}
	return line
}

// A matched is a recorded line and the line that the server wrote instead; "" for none.
type matched struct{ then, got string }

// match finds for each recorded line the line that the server wrote: first equal
// lines, then lines of the same kind, in order. The rest are lines that were not
// recorded.
func (s *normalizer) match(expected, came []string) (pairs []matched, rest []string) {
	pairs = make([]matched, len(expected))
	rest = slices.Clone(came)
	take := func(i int, fits func(line string) bool) {
		if pairs[i].got != "" {
			return
		}
		if at := slices.IndexFunc(rest, fits); at >= 0 {
			pairs[i].got = rest[at]
			s.learn(pairs[i].then, rest[at])
			rest = slices.Delete(rest, at, at+1)
		}
	}
	for i, then := range expected {
		pairs[i].then = then
		want := s.plain(then)
		take(i, func(line string) bool { return s.plain(line) == want })
	}
	for i, then := range expected {
		want := slotOf(then)
		take(i, func(line string) bool { return slotOf(line) == want })
	}
	return pairs, rest
}

// A Difference is a block in which the server did not write what was recorded.
type Difference struct {
	Session int    `json:"session,omitempty"` // from 1; 0 if the file has one only
	Block   int    `json:"block"`             // from 1
	Text    string `json:"text"`              // for people: what the client had said, and a unified diff
}

func (s *normalizer) difference(i int, b Block, pairs []matched, rest []string) Difference {
	var then, now strings.Builder
	var causes []string
	for _, p := range pairs {
		was := s.plain(p.then)
		if p.got != "" && s.plain(p.got) == was {
			continue
		}
		if call := s.calls[slotOf(p.then)]; call != "" {
			causes = append(causes, call)
		}
		then.WriteString(indented(was))
		if p.got != "" {
			now.WriteString(indented(s.plain(p.got)))
		}
	}
	for _, line := range rest {
		now.WriteString(indented(s.plain(line)))
	}
	if then.String() == now.String() {
		return Difference{}
	}
	text := udiff.Unified("recorded", "now", then.String(), now.String())
	if causes == nil {
		causes = b.Client
	}
	return Difference{Block: i + 1, Text: after(causes) + text}
}

// after describes the client's lines before a difference.
func after(lines []string) string {
	if len(lines) == 0 {
		return "after the end of the input:\n"
	}
	var text strings.Builder
	text.WriteString("after\n")
	for _, line := range lines {
		const most = 160
		if len(line) > most {
			line = strings.ToValidUTF8(line[:most], "") + " …"
		}
		fmt.Fprintf(&text, "  %s\n", line)
	}
	return text.String()
}

// indented formats JSON on several lines, for diffs.
func indented(line string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(line), "", "  ") != nil {
		return line + "\n"
	}
	return b.String() + "\n"
}
