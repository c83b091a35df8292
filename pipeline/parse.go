package pipeline

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A scanner is a decoder in the pool.
type scanner struct {
	buf bytes.Buffer
	dec *json.Decoder
}

var scanners = sync.Pool{New: func() any {
	s := new(scanner)
	s.dec = json.NewDecoder(&s.buf, json.Lenient)
	return s
}}

// MaxBatch is the most items of a batch. An array of more is malformed as a whole: 4 MiB of [1,1,…] would
// ask for two million answers.
const MaxBatch = 1000

// Parse parses one line into a message. It never fails: a line that is not a JSON-RPC 2.0 message
// becomes a message of kind Malformed, whose Fault is the reason, and an array of 1 to [MaxBatch]
// items one of kind Batch.
// Parse keeps the line, which must not change afterwards.
//
// One pass checks the grammar, UTF-8, nesting (at most 10,000 deep) and duplicate names in the
// envelope, and finds id, method, params, result and error.
func Parse(line []byte) *Message {
	m := &Message{line: line}
	m.parse()
	return m
}

// parseCopy is Parse for a line whose memory will be used again.
func parseCopy(line []byte) *Message {
	if len(line) > room {
		return Parse(bytes.Clone(line))
	}
	s := new(short)
	s.line = append(s.room[:0], line...)
	s.parse()
	return &s.Message
}

func (m *Message) parse() {
	line := m.line
	if bytes.IndexByte(line, '\n') >= 0 {
		m.line = unwrap(line)
	}
	if !utf8.Valid(line) {
		m.malformed(jsonrpc2.CodeParseError, "not valid UTF-8")
		return
	}
	s := scanners.Get().(*scanner)
	s.buf = *bytes.NewBuffer(m.line)
	s.dec.Reset(&s.buf, json.Lenient)
	m.scan(s.dec)
	s.buf = bytes.Buffer{}
	scanners.Put(s)
}

// unwrap joins several lines to one: a newline is only white space in JSON.
func unwrap(lines []byte) []byte {
	v := json.Value(bytes.Clone(lines))
	if v.Compact(json.Lenient, json.PreserveRawStrings(true)) == nil {
		return v
	}
	return bytes.ReplaceAll(lines, []byte{'\n'}, []byte{' '})
}

// malformed makes m a message that is answered with an error, unless it was meant as a response.
func (m *Message) malformed(code int64, format string, args ...any) *Message {
	prefix := "invalid request: "
	switch {
	case code == jsonrpc2.CodeParseError:
		prefix = "parse error: "
	case m.response:
		prefix = "invalid response: "
	}
	m.kind, m.method, m.value = Malformed, "", nil
	m.fault = Errorf(code, prefix+format, args...)
	return m
}

// envelope holds the members of a message; nil for absent ones.
type envelope struct {
	version, id, method, params, result, err json.Value
	duplicate, duplicateID                   bool // there is a duplicate member, a duplicate id
}

// scan reads the only value of dec, which must be all of m.line.
func (m *Message) scan(dec *json.Decoder) {
	kind := dec.PeekKind()
	var e envelope
	var items int
	var err error
	switch kind {
	case '{':
		err = e.read(dec)
	case '[':
		items, err = countItems(dec)
	default:
		err = dec.SkipValue()
	}
	if err == nil {
		if _, err = dec.ReadToken(); err == nil {
			err = fmt.Errorf("more than one message on the line, at byte %d", dec.InputOffset())
		} else if err == io.EOF {
			err = nil
		}
	} else if err == io.EOF {
		err = fmt.Errorf("empty line")
	}
	switch {
	case err != nil:
		m.malformed(jsonrpc2.CodeParseError, "%s", strings.TrimPrefix(err.Error(), "jsontext: "))
	case kind == '[' && items == 0:
		m.malformed(jsonrpc2.CodeInvalidRequest, "the batch is empty") // J-21
	case kind == '[' && items > MaxBatch:
		m.malformed(jsonrpc2.CodeInvalidRequest, "a batch has at most %d items, not %d", MaxBatch, items)
	case kind == '[':
		m.kind = Batch
	case kind != '{':
		m.malformed(jsonrpc2.CodeInvalidRequest, "a message is a JSON object, not %s", json.KindName(kind))
	default:
		m.classify(&e)
	}
}

// countItems reads over an array.
func countItems(dec *json.Decoder) (n int, err error) {
	if _, err := dec.ReadToken(); err != nil {
		return 0, err
	}
	for dec.PeekKind() != ']' {
		if err := dec.SkipValue(); err != nil {
			return n, err
		}
		n++
	}
	_, err = dec.ReadToken()
	return n, err
}

// read finds the members of the envelope. Their values point into the line.
func (e *envelope) read(dec *json.Decoder) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadValue()
		if err != nil {
			return err
		}
		member := e.member(text(name))
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if member == nil {
			continue
		}
		e.set(member, value)
	}
	_, err := dec.ReadToken() // the closing brace, or the wrong token in its place
	return err
}

// set records the value of a member.
func (e *envelope) set(member *json.Value, value json.Value) {
	if *member != nil {
		e.duplicate = true
		e.duplicateID = e.duplicateID || member == &e.id
	}
	*member = value
}

// member returns the place for the value of a member, nil for names that are not JSON-RPC's. The
// comparison is exact: "Method" is not "method".
func (e *envelope) member(name []byte) *json.Value {
	switch string(name) {
	case "jsonrpc":
		return &e.version
	case "id":
		return &e.id
	case "method":
		return &e.method
	case "params":
		return &e.params
	case "result":
		return &e.result
	case "error":
		return &e.err
	}
	return nil
}

// classify decides the kind of a JSON object (J-01 to J-16).
func (m *Message) classify(e *envelope) {
	const invalid = jsonrpc2.CodeInvalidRequest
	m.response = e.method == nil && (e.result != nil || e.err != nil)
	if k := e.id.Kind(); !e.duplicateID && (k == '"' || k == '0') {
		m.id = ID{string(e.id)}
	}
	switch {
	case e.duplicate:
		m.malformed(invalid, "duplicate member")
	case e.version.Kind() != '"' || string(text(e.version)) != "2.0":
		m.malformed(invalid, `"jsonrpc" must be "2.0"`)
	case m.response:
		m.classifyResponse(e)
	case e.method == nil:
		m.malformed(invalid, `"method" is missing`)
	case e.method.Kind() != '"':
		m.malformed(invalid, `"method" must be a string`)
	case e.result != nil || e.err != nil:
		m.malformed(invalid, `a request must not have "result" or "error"`)
	case e.id != nil && m.id.IsZero():
		m.malformed(invalid, `"id" must be a string or a number`)
	default:
		m.kind, m.method = Call, string(text(e.method))
		if e.id == nil {
			m.kind = Notification
		}
		if e.params.Kind() != 'n' {
			m.value = clip(e.params)
		}
		if k := m.value; m.kind == Call && k != nil && k[0] != '{' && k[0] != '[' {
			m.malformed(invalid, `"params" must be an object`)
		}
	}
}

// classifyResponse decides whether an object without method is a response. An
// error may come without an id, or with null, which JSON-RPC asks for (J-14).
func (m *Message) classifyResponse(e *envelope) {
	const invalid = jsonrpc2.CodeInvalidRequest
	noID := e.id == nil || e.id.Kind() == 'n'
	switch {
	case e.result != nil && e.err != nil:
		m.malformed(invalid, `it has both "result" and "error"`)
	case m.id.IsZero() && !(noID && e.err != nil):
		m.malformed(invalid, `"id" must be a string or a number`)
	case e.result != nil:
		m.kind, m.response, m.value = Response, false, clip(e.result)
	default:
		fault := new(jsonrpc2.Error)
		if e.err.Kind() != '{' || json.Unmarshal(e.err, fault, json.Lenient) != nil {
			m.malformed(invalid, `"error" must be an object with a number as "code" and a string as "message"`)
			return
		}
		m.kind, m.response, m.fault = Response, false, fault
	}
}

// Items are the items of a batch as messages of their own, each parsed when its turn has come; of
// every other kind there are none. An array inside is Malformed: batches do not nest.
func (m *Message) Items() iter.Seq[*Message] {
	return func(yield func(*Message) bool) {
		if m.kind != Batch {
			return
		}
		dec := json.NewDecoder(bytes.NewBuffer(m.line), json.Lenient)
		dec.ReadToken() // the bracket: Parse has checked the grammar
		for dec.PeekKind() != ']' {
			v, err := dec.ReadValue()
			if err != nil {
				return
			}
			item := parseCopy(v)
			if v.Kind() == '[' {
				item.malformed(jsonrpc2.CodeInvalidRequest, "batches cannot be nested")
			}
			if !yield(item) {
				return
			}
		}
	}
}

// text returns the text of a JSON string.
func text(v json.Value) []byte {
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1]
	}
	s, _ := json.AppendUnquote(nil, v)
	return s
}

// clip keeps an append to the value from writing into the line behind it.
func clip(v json.Value) []byte { return slices.Clip([]byte(v)) }
